import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Lifecycle } from '../platform/http/lifecycle.js';

/** Milliseconds for requests and streams to finish after the server has stopped accepting connections. */
const drainMilliseconds = 10_000;

/** Milliseconds after which the process exits in any case, for example when the database does not respond. */
const forcedExitMilliseconds = 30_000;

interface Parts {
  readonly app: FastifyInstance;
  readonly lifecycle: Lifecycle;
  /** Functions that run one after the other after the last response. */
  readonly afterwards: readonly (() => Promise<void>)[];
  readonly logger: FastifyBaseLogger;
  /** Milliseconds for load balancers to detect that the process is not ready. It still serves requests. */
  readonly drainDelayMs: number;
}

/**
 * Creates the graceful shutdown of the process. It reports not ready, serves requests until load balancers have detected that,
 * stops accepting connections, waits for running requests, and closes the connections of those that take too long.
 *
 * @returns function for a signal or a fatal error; the process exits with 0, or with 1 after an error
 */
export function createShutdown(parts: Parts): (reason: NodeJS.Signals | Error) => Promise<void> {
  const { app, lifecycle, afterwards, logger, drainDelayMs } = parts;
  return async (reason) => {
    const failed = reason instanceof Error;
    if (failed) {
      process.exitCode = 1;
      logger.fatal(reason.message);
    }
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
    logger.info(failed ? {} : { signal: reason }, 'stopping');
    setTimeout(() => process.exit(1), drainDelayMs + forcedExitMilliseconds).unref();
    try {
      // After a fatal error the process cannot serve requests.
      await wait(failed ? 0 : drainDelayMs);
      const timer = setTimeout(() => {
        // Streams first, so that clients do not mistake them for complete.
        lifecycle.cutOff.abort();
        app.server.closeAllConnections();
      }, drainMilliseconds);
      await app.close();
      clearTimeout(timer);
      for (const stop of afterwards) await stop();
    } catch (err) {
      logger.error({ err }, 'shutdown failed');
      process.exit(1);
    }
    process.exit();
  };
}
