import type { FastifyBaseLogger } from 'fastify';
import {
  type CustomAttributePurge,
  purgePollMilliseconds,
} from '../features/employees/custom-attribute-purge.js';
import { type UploadWorker, uploadPollMilliseconds } from '../features/imports/uploads/upload-worker.js';
import {
  reminderPollMilliseconds,
  type SecretReminders,
} from '../features/oauth-clients/secret-reminders.js';
import { type DomainChecks, domainPollMilliseconds } from '../features/single-sign-on/domain-checks.js';
import { type UsageRecorder, usageIntervalMilliseconds } from '../features/usage/usage-recorder.js';
import { type WebhookWorker, webhookPollMilliseconds } from '../features/webhooks/delivery/webhook-worker.js';
import { refreshIntervalMilliseconds, type SigningKeys } from '../oauth/keys/signing-keys.js';
import { type LogoutWorker, logoutPollMilliseconds } from '../oauth/logout/logout-worker.js';
import type { Clock } from '../platform/clock.js';
import type { Housekeeping } from './housekeeping.js';

const pruneIntervalMilliseconds = 600_000;

const maintenanceIntervalMilliseconds = 30_000;

/**
 * Starts the periodic tasks: reloading signing keys, storing usage, running imports of uploaded files, sending webhooks and logout
 * tokens, checking the DNS records of domains, reminding of client secrets that expire, deleting custom
 * attributes, maintaining the database and deleting expired rows.
 *
 * @returns function that stops them and waits for the running ones
 */
export function startBackgroundWork({
  housekeeping,
  signingKeys,
  usage,
  uploadWorker,
  webhookWorker,
  logoutWorker,
  domainChecks,
  secretReminders,
  attributePurge,
  clock,
  logger,
}: {
  housekeeping: Housekeeping;
  signingKeys: SigningKeys;
  usage: UsageRecorder;
  uploadWorker: UploadWorker;
  webhookWorker: WebhookWorker;
  logoutWorker: LogoutWorker;
  domainChecks: DomainChecks;
  secretReminders: SecretReminders;
  attributePurge: CustomAttributePurge;
  clock: Clock;
  logger: FastifyBaseLogger;
}): () => Promise<void> {
  const stopping = new AbortController();
  const prune = async () =>
    logger.debug({ pruned: await housekeeping.prune(clock(), stopping.signal) }, 'pruned');
  const stops = [
    repeat(refreshIntervalMilliseconds, 'reload of signing keys', () => signingKeys.reload()),
    repeat(usageIntervalMilliseconds, 'storing usage', () => usage.flush()),
    repeat(webhookPollMilliseconds, 'looking for webhooks', () => webhookWorker.poll()),
    repeat(logoutPollMilliseconds, 'looking for back-channel logouts', () => logoutWorker.poll()),
    repeat(uploadPollMilliseconds, 'looking for imports', () => uploadWorker.poll()),
    repeat(domainPollMilliseconds, 'checking domains', () => domainChecks.run(stopping.signal)),
    repeat(reminderPollMilliseconds, 'reminding of client secrets', () =>
      secretReminders.run(stopping.signal),
    ),
    repeat(purgePollMilliseconds, 'deleting custom attributes', () => attributePurge.run(stopping.signal)),
    repeat(maintenanceIntervalMilliseconds, 'maintenance of the database', () => housekeeping.maintain()),
    // The random interval prevents processes that started together from pruning at the same time.
    repeat(pruneIntervalMilliseconds * (0.5 + Math.random()), 'pruning', prune),
  ];
  return async () => {
    stopping.abort();
    const workers = [uploadWorker, webhookWorker, logoutWorker];
    await Promise.all([...workers.map((worker) => worker.stop()), ...stops.map((stop) => stop())]);
  };

  function repeat(everyMilliseconds: number, name: string, work: () => Promise<void>): () => Promise<void> {
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
}
