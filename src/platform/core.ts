import { Passwords } from './accounts/passwords.js';
import { Reauthentication } from './accounts/reauthentication.js';
import { Sessions } from './accounts/sessions.js';
import { Users } from './accounts/users.js';
import { AuditLog } from './audit/audit-log.js';
import { AuditedExports } from './audit/audited-exports.js';
import type { Clock } from './clock.js';
import type { Config } from './config/config.js';
import type { Contract } from './contract/contract.js';
import type { AppSecrets } from './crypto/keyring.js';
import type { Database, ReadDatabase } from './database/client.js';
import { BrowserSessions } from './http/browser-sessions.js';
import { CsvDownloads } from './http/csv-downloads.js';
import { createLifecycle, type Lifecycle } from './http/lifecycle.js';
import { Idempotency } from './idempotency/idempotency.js';
import { type Counters, createDatabaseCounters } from './limits/counter.js';
import { FailureLimit } from './limits/failure-limit.js';
import { defaultReportLimits, ReportConcurrency, type ReportLimits } from './limits/report-concurrency.js';
import type { Logger } from './logger.js';
import { LinkDelivery } from './mail/link-delivery.js';
import { SecurityEmails } from './mail/security-emails.js';
import { createResolveTxt, type ResolveTxt } from './network/txt-records.js';

/** What the application gets from its process, or from a test. */
export interface CoreOptions {
  readonly config: Config;
  readonly contract: Contract;
  readonly database: Database;
  /** Where employees, reports and results are read. Default: the database. */
  readonly reads?: ReadDatabase;
  /** Secrets that sign cookies and forms. */
  readonly appSecrets: AppSecrets;
  readonly clock: Clock;
  /** Default: a process that does not shut down. */
  readonly lifecycle?: Lifecycle;
  /** Default: the limits of the contract. */
  readonly reportLimits?: ReportLimits;
  /** Default: the limits of {@link Passwords}. */
  readonly passwords?: Passwords;
  /** Milliseconds that a request with an idempotency key waits for others; see {@link Idempotency}. */
  readonly idempotencyWaitMs?: number | undefined;
  /** Default: one that sends mails as `config` states. */
  readonly delivery?: LinkDelivery;
  /** Default: with the name servers of the system. */
  readonly resolveTxt?: ResolveTxt;
}

/** What the features of an application share. */
export type Core = Readonly<Awaited<ReturnType<typeof createCore>>>;

/** Creates what the features of an application share. */
export async function createCore(options: CoreOptions, logger: Logger) {
  const { config, database, clock, appSecrets, lifecycle = createLifecycle() } = options;
  const { reads = database, reportLimits = defaultReportLimits, passwords = new Passwords() } = options;
  const { resolveTxt = createResolveTxt(), delivery = new LinkDelivery({ config, clock, logger }) } = options;
  const counters = await createCounters(database, config, logger);
  const failureLimit = new FailureLimit(counters.failures, config.rateLimitFailures);
  const auditLog = new AuditLog(database, clock);
  const users = new Users(database);
  const userSessions = new Sessions(database, clock);
  const reportSlots = new ReportConcurrency(reportLimits);
  return {
    ...{
      config,
      contract: options.contract,
      database,
      reads,
      appSecrets,
      clock,
      reportLimits,
      passwords,
      resolveTxt,
    },
    logger,
    counters,
    failureLimit,
    auditLog,
    users,
    userSessions,
    reauthentication: new Reauthentication({
      ...{ database, users, passwords, sessions: userSessions, auditLog, failureLimit },
    }),
    sessions: new BrowserSessions(userSessions, { appSecrets, baseUrl: config.baseUrl }),
    delivery,
    securityEmails: new SecurityEmails(database, delivery, logger),
    auditedExports: new AuditedExports(database),
    idempotency: new Idempotency(database, {
      maxKeys: config.maxIdempotencyKeys,
      wait: options.idempotencyWaitMs,
    }),
    /** Slots of running reports and downloads. */
    reportSlots,
    downloads: new CsvDownloads(reportSlots, { limits: reportLimits, cutOff: lifecycle.cutOff.signal }),
  };
}

/** Counts in Redis, or in the database when no `redisUrl` is configured. */
async function createCounters(
  database: Database,
  { redisUrl, baseUrl }: Config,
  logger: Logger,
): Promise<Counters> {
  if (redisUrl === undefined) return createDatabaseCounters(database);
  const { RedisCounters } = await import('./limits/redis-counters.js');
  // Processes of one service have the same base URL, and other services have different ones.
  return new RedisCounters({ url: redisUrl, prefix: `people-api:${baseUrl}:`, logger });
}
