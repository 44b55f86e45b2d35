import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.js';
import { refreshIntervalMilliseconds, type SigningKeys } from '../oauth/signing-keys.js';
import type { Housekeeping } from '../services/housekeeping.js';
import { type UsageRecorder, usageIntervalMilliseconds } from '../services/usage/usage-recorder.js';

const pruneIntervalMilliseconds = 600_000;

const maintenanceIntervalMilliseconds = 30_000;

/**
 * Does what no request asks for: taking over rotated keys, storing usage, keeping the database in order and deleting
 * what has expired.
 *
 * @returns a function that stops it, and waits for what is under way
 */
export function startBackgroundWork({
  housekeeping,
  signingKeys,
  usage,
  clock,
  logger,
}: {
  housekeeping: Housekeeping;
  signingKeys: SigningKeys;
  usage: UsageRecorder;
  clock: Clock;
  logger: FastifyBaseLogger;
}): () => Promise<void> {
  const ending = new AbortController();
  const stops = [
    repeat(refreshIntervalMilliseconds, 'reload of signing keys', () => signingKeys.reload(), logger),
    repeat(usageIntervalMilliseconds, 'storing of usage', () => usage.flush(), logger),
    repeat(
      maintenanceIntervalMilliseconds,
      'maintenance of the database',
      () => housekeeping.maintain(),
      logger,
    ),
    // Processes that were started together need not all prune at the same moment.
    repeat(
      pruneIntervalMilliseconds * (0.5 + Math.random()),
      'pruning',
      async () => logger.debug({ pruned: await housekeeping.prune(clock(), ending.signal) }, 'pruned'),
      logger,
    ),
  ];
  return async () => {
    ending.abort();
    await Promise.all(stops.map((stop) => stop()));
  };
}

function repeat(
  everyMilliseconds: number,
  name: string,
  work: () => Promise<void>,
  logger: FastifyBaseLogger,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let idle = true;
  const timer = setInterval(() => {
    if (!idle) return;
    idle = false;
    running = work()
      .catch((err) => logger.warn({ err }, `${name} failed and will be tried again`))
      .finally(() => {
        idle = true;
      });
  }, everyMilliseconds);
  timer.unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}
