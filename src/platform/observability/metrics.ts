import { once } from 'node:events';
import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ConfigError } from '../config/environment.js';
import type { Database } from '../database/client.js';
import { databaseErrorKind, describeError } from '../database/database-errors.js';
import type { FinishedRequest, RequestObserver } from './request-watch.js';

/** State of the deliveries, which is read for each response of the metrics server. */
interface DeliveryState {
  /** Deliveries in progress in this process. */
  running(): number;
  /** Age in seconds of the oldest event that an endpoint of any account waits for; 0: none waits. */
  lagSeconds(): Promise<number>;
}

export class WebhookMetrics {
  readonly #registry: Registry;
  readonly #deliveries: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#deliveries = new Counter({
      name: 'people_webhook_deliveries_total',
      help: 'Attempts to deliver webhooks, by outcome: "delivered" or "failed".',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  onAttempt(outcome: 'delivered' | 'failed'): void {
    this.#deliveries.inc({ outcome });
  }

  watch({ running, lagSeconds }: DeliveryState): void {
    new Gauge({
      name: 'people_webhook_deliveries_in_flight',
      help: 'Webhook deliveries in progress.',
      registers: [this.#registry],
      collect() {
        this.set(running());
      },
    });
    new Gauge({
      name: 'people_webhook_lag_seconds',
      help: 'Age of the oldest event that an endpoint which is not paused waits for. All processes report the same value.',
      registers: [this.#registry],
      async collect() {
        // The other metrics are also needed when the database is not available.
        this.set(await lagSeconds().catch(() => Number.NaN));
      },
    });
  }
}

/** Buckets in seconds, from a response from memory to a slow report. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of the server. Labels have few values: text of clients is never a label. */
export class Metrics implements RequestObserver {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'people_http_requests_total',
    help: 'Completed requests; status is "aborted" when the client disconnected before the response.',
    labelNames: ['operation', 'method', 'status'],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: 'people_http_request_duration_seconds',
    help: 'Time from the headers of a request to the last byte of its response.',
    labelNames: ['operation', 'method'],
    buckets: durationBuckets,
    registers: [this.#registry],
  });
  readonly #problems = new Counter({
    name: 'people_http_problems_total',
    help: 'Requests that were rejected or failed, by problem code.',
    labelNames: ['operation', 'status', 'code'],
    registers: [this.#registry],
  });
  readonly #tokens = new Counter({
    name: 'people_oauth_token_requests_total',
    help: 'Token requests; outcome is "issued", "refreshed" or the error.',
    labelNames: ['grant_type', 'outcome'],
    registers: [this.#registry],
  });
  readonly #databaseErrors = new Counter({
    name: 'people_database_errors_total',
    help: 'Failed statements: unavailable, conflict (may be retried), constraint, other.',
    labelNames: ['kind'],
    registers: [this.#registry],
  });
  readonly webhooks = new WebhookMetrics(this.#registry);
  readonly #grantTypes: readonly string[];
  #inFlight = 0;

  constructor(database: Pick<Database, 'poolState'>, grantTypes: readonly string[]) {
    this.#grantTypes = grantTypes;
    collectDefaultMetrics({ register: this.#registry });
    const inFlight = () => this.#inFlight;
    new Gauge({
      name: 'people_http_requests_in_flight',
      help: 'Requests in progress.',
      registers: [this.#registry],
      collect() {
        this.set(inFlight());
      },
    });
    new Gauge({
      name: 'people_database_connections',
      help: 'Connections of a pool: total, idle, and requests that are waiting for one.',
      labelNames: ['pool', 'state'],
      registers: [this.#registry],
      collect() {
        for (const { pool, ...counts } of database.poolState()) {
          for (const [state, count] of Object.entries(counts)) this.set({ pool, state }, count);
        }
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  exposition(): Promise<string> {
    return this.#registry.metrics();
  }

  started(): void {
    this.#inFlight += 1;
  }

  finished(finished: FinishedRequest): void {
    this.#inFlight -= 1;
    const { operation, method, durationMs, problemCode } = finished;
    const status = finished.status ?? 'aborted';
    this.#requests.inc({ operation, method, status });
    this.#durations.observe({ operation, method }, durationMs / 1000);
    // Some pages, such as the sign-in page, show errors without a problem document.
    const code = problemCode ?? (status === 'aborted' || status < 400 ? null : 'page');
    if (code !== null) this.#problems.inc({ operation, status, code });
    if (operation === 'createToken') this.#countToken(finished);
  }

  databaseFailed(error: unknown): void {
    this.#databaseErrors.inc({ kind: databaseErrorKind(error) });
  }

  #countToken({ request, status, problemCode }: FinishedRequest): void {
    const requested = (request.body as { grant_type?: unknown } | null | undefined)?.grant_type;
    const grantType = this.#grantTypes.find((type) => type === requested) ?? 'unknown';
    const success = grantType === 'refresh_token' ? 'refreshed' : 'issued';
    const outcome = problemCode ?? (status === 200 ? success : 'aborted');
    this.#tokens.inc({ grant_type: grantType, outcome });
  }
}

/**
 * Serves `GET /metrics` on a separate port, and 404 for all other requests.
 *
 * @returns closes the port
 * @throws {ConfigError} when the port cannot be opened
 */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<() => Promise<void>> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (request.method !== 'GET' || path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const body = await metrics.exposition();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(body);
    } catch {
      response.writeHead(500).end();
    }
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ConfigError(`METRICS_PORT: ${describeError(cause)}`, { cause });
  }
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}
