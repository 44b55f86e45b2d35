import type { FastifyBaseLogger } from 'fastify';
import { type UploadWorker, uploadPollMilliseconds } from '../features/imports/uploads/upload-worker.js';
import { type UsageRecorder, usageIntervalMilliseconds } from '../features/usage/usage-recorder.js';
import { type WebhookWorker, webhookPollMilliseconds } from '../features/webhooks/delivery/webhook-worker.js';
import { refreshIntervalMilliseconds, type SigningKeys } from '../oauth/keys/signing-keys.js';
import type { Clock } from '../platform/clock.js';
import type { Housekeeping } from './housekeeping.js';

const pruneIntervalMilliseconds = 600_000;

const maintenanceIntervalMilliseconds = 30_000;

/**
 * Starts the periodic tasks: reloading signing keys, storing usage, running imports of uploaded files, sending webhooks, maintaining the
 * database and deleting expired rows.
 *
 * @returns function that stops them and waits for the running ones
 */
export function startBackgroundWork({
  housekeeping,
  signingKeys,
  usage,
  uploadWorker,
  webhookWorker,
  clock,
  logger,
}: {
  housekeeping: Housekeeping;
  signingKeys: SigningKeys;
  usage: UsageRecorder;
  uploadWorker: UploadWorker;
  webhookWorker: WebhookWorker;
  clock: Clock;
  logger: FastifyBaseLogger;
}): () => Promise<void> {
  const stopping = new AbortController();
  const stops = [
    repeat(refreshIntervalMilliseconds, 'reload of signing keys', () => signingKeys.reload(), logger),
    repeat(usageIntervalMilliseconds, 'storing usage', () => usage.flush(), logger),
    repeat(webhookPollMilliseconds, 'looking for webhooks', () => webhookWorker.poll(), logger),
    repeat(uploadPollMilliseconds, 'looking for imports', () => uploadWorker.poll(), logger),
    repeat(
      maintenanceIntervalMilliseconds,
      'maintenance of the database',
      () => housekeeping.maintain(),
      logger,
    ),
    // The random interval prevents processes that started together from pruning at the same time.
    repeat(
      pruneIntervalMilliseconds * (0.5 + Math.random()),
      'pruning',
      async () => logger.debug({ pruned: await housekeeping.prune(clock(), stopping.signal) }, 'pruned'),
      logger,
    ),
  ];
  return async () => {
    stopping.abort();
    await Promise.all([uploadWorker.stop(), webhookWorker.stop(), ...stops.map((stop) => stop())]);
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
      .catch((err) => logger.warn({ err }, `${name} failed and will be retried`))
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
