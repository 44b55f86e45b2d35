import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Lifecycle } from '../http/lifecycle.js';

/** Milliseconds that requests and streams have to finish once no new connection is taken. */
const drainMilliseconds = 10_000;

/** Milliseconds after which a process ends that still waits, such as for a database that does not answer. */
const patienceMilliseconds = 30_000;

interface Parts {
  readonly app: FastifyInstance;
  readonly lifecycle: Lifecycle;
  /** What is stopped, one after the other, when the last request is answered. */
  readonly afterwards: readonly (() => Promise<void>)[];
  readonly logger: FastifyBaseLogger;
  /** Milliseconds in which a balancer notices that the process is not ready, while it still serves everything. */
  readonly noticeMilliseconds: number;
}

/**
 * Makes what ends the process without losing a request: it stops being ready, goes on serving until balancers have
 * noticed, takes no more connections, lets requests in flight finish, and cuts off what is not done in time.
 *
 * @returns for a signal, or what the process cannot go on after; it ends with 0, or with 1 after a failure and when
 *   something could not be stopped
 */
export function createShutdown(parts: Parts): (reason: NodeJS.Signals | Error) => Promise<void> {
  const { app, lifecycle, afterwards, logger, noticeMilliseconds } = parts;
  return async (reason) => {
    const failed = reason instanceof Error;
    if (failed) {
      process.exitCode = 1;
      logger.fatal(reason.message);
    }
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
    logger.info(failed ? {} : { signal: reason }, 'stopping');
    setTimeout(() => process.exit(1), noticeMilliseconds + patienceMilliseconds).unref();
    try {
      // Of a process that can do nothing any more there is nothing to be noticed.
      await wait(failed ? 0 : noticeMilliseconds);
      const timer = setTimeout(() => {
        // Streams first: they must not look complete to their clients.
        lifecycle.cutOff.abort();
        app.server.closeAllConnections();
      }, drainMilliseconds);
      await app.close();
      clearTimeout(timer);
      for (const stop of afterwards) await stop();
    } catch (err) {
      logger.error({ err }, 'stopping failed');
      process.exit(1);
    }
    process.exit();
  };
}
