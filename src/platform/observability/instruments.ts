import type { Config } from '../config/config.js';
import type { Database } from '../database/client.js';
import type { WebhookMetrics } from './metrics.js';
import type { RequestObserver } from './request-watch.js';

/** Metrics and traces of a process. */
interface Instruments {
  readonly database: Database;
  readonly observers: readonly RequestObserver[];
  /** Absent: there are no metrics. */
  readonly webhooks?: WebhookMetrics;
  close(): Promise<void>;
}

/**
 * Sets up metrics and traces if they are configured. Their modules are not loaded otherwise.
 *
 * @param grantTypes values of `grant_type` that tokens are counted by; others count as `unknown`
 * @throws {ConfigError} when the metrics server cannot listen
 */
export async function startInstruments(
  { metricsPort, metricsHost, tracing }: Pick<Config, 'metricsPort' | 'metricsHost' | 'tracing'>,
  database: Database,
  grantTypes: readonly string[],
): Promise<Instruments> {
  const tracer = tracing ? new (await import('./tracing.js')).Tracing() : undefined;
  const module = metricsPort === undefined ? undefined : await import('./metrics.js');
  const metrics = module && new module.Metrics(database, grantTypes);
  if (tracer === undefined && metrics === undefined) {
    return { database, observers: [], close: async () => {} };
  }
  const { observeDatabase } = await import('./observed-database.js');
  const watched = observeDatabase(database, {
    ...(tracer && { around: tracer.around.bind(tracer) }),
    ...(metrics && { failed: metrics.databaseFailed.bind(metrics) }),
  });
  return {
    database: watched,
    observers: [tracer, metrics].filter((observer) => observer !== undefined),
    ...(metrics && { webhooks: metrics.webhooks }),
    close:
      module && metrics && metricsPort
        ? await module.serveMetrics(metrics, { host: metricsHost, port: metricsPort })
        : async () => {},
  };
}
