import pg from 'pg';
import { postgresqlHosts } from '../../config/postgresql-hosts.js';
import { withLibpqSsl } from '../../config/postgresql-ssl.js';
import type { Logger } from '../../logger.js';
import type {
  Database,
  DatabaseOptions,
  MigrationSession,
  PoolState,
  ReportQueryOptions,
} from '../client.js';
import { DatabaseOpenError, describeError } from '../database-errors.js';
import { recordWriteOf } from '../replicas/write-positions.js';
import { allAccounts, currentScope, noAccount } from '../scope.js';
import { type CancelStatement, runReportQuery } from './cancellable-transaction.js';
import { createConflictRetry, createRetryingClient } from './conflict-retry.js';
import { readCsv } from './copy-csv.js';
import { CurrentHost, findReadWrite } from './current-host.js';
import { readIsolation } from './isolation.js';
import { ScopedPrismaPg, ScriptPrismaPg } from './prisma-adapters.js';
import { ScopedPool } from './scoped-pool.js';
import { type Settings, TransactionSettings } from './transaction-settings.js';

/** Maximum duration of the statement of a report, in milliseconds. */
export const defaultReportStatementTimeoutMs = 5_000;
const defaultConnectionTimeoutMs = 5_000;
// Time for the server to report a cancelled statement before the driver closes the connection.
const cancelGraceMs = 1_000;
// Longer than any stream may take. For a process that hangs: its snapshot would prevent VACUUM from removing rows. A session
// that waits for the process to read is not idle, so there `tcp_user_timeout` closes the connection.
const stalledStreamTimeoutMs = 2_400_000;
// Streams are rare, so their connections are closed soon.
const streamIdleTimeoutMs = 5_000;

// The adapter of Prisma reads timestamps as UTC in ISO format, whatever the defaults of the server are. Set in each
// transaction, because poolers do not accept them at the start of a session.
const textSettings: Settings = { TimeZone: 'UTC', DateStyle: 'ISO' };
// Just-in-time compilation costs more than it saves for short queries. Without bitmap scans, pages are read in the order of
// an index. When most accounts are smaller than a page, or a table has no statistics, the planner would otherwise read all
// rows of a large account and sort them for each page.
const pageSettings: Settings = { ...textSettings, jit: 'off', enable_bitmapscan: 'off' };
// A report uses one processor of the database server.
const reportSettings: Settings = { ...textSettings, jit: 'off', max_parallel_workers_per_gather: '0' };

/**
 * Connects to a PostgreSQL server.
 *
 * @throws {DatabaseOpenError} when it cannot be reached or rejects the user
 */
export async function openPostgresql(options: DatabaseOptions & { databaseUrl: string }): Promise<Database> {
  const {
    poolSize = 10,
    statementTimeoutMs = 30_000,
    streamPoolSize = 20,
    reportPoolSize = 6,
    reportStatementTimeoutMs = defaultReportStatementTimeoutMs,
    defaultScope = noAccount,
    transactionLimits,
    logger,
  } = options;
  const settings = new TransactionSettings({
    ...pageSettings,
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: '120000',
  });
  const reports = new TransactionSettings({
    ...pageSettings,
    ...reportSettings,
    statement_timeout: String(reportStatementTimeoutMs),
    idle_in_transaction_session_timeout: '120000',
  });
  const streams = new TransactionSettings({
    ...reportSettings,
    statement_timeout: '0',
    idle_in_transaction_session_timeout: String(stalledStreamTimeoutMs),
    tcp_user_timeout: String(stalledStreamTimeoutMs),
  });
  const host = await findHost(options);
  const connection = { ...connectionConfig(options), ...host?.poolConfig };
  const conflictRetry = createConflictRetry(logger);
  const retry = host?.watch(conflictRetry) ?? conflictRetry;
  const pool = new ScopedPool({
    ...connection,
    ...queryTimeout(statementTimeoutMs),
    settings,
    defaultScope,
    retry,
    max: poolSize,
    // A new connection must plan every statement again.
    min: poolSize,
  });
  // Separate, so that reports of one account cannot take the connections that every token check needs.
  const reportPool = new pg.Pool({
    ...connection,
    ...queryTimeout(reportStatementTimeoutMs),
    max: reportPoolSize,
  });
  // Separate, so that slow clients cannot take the connections that every request needs. The caller limits the time.
  const streamPool = new pg.Pool({
    ...connection,
    max: streamPoolSize,
    idleTimeoutMillis: streamIdleTimeoutMs,
  });
  for (const each of [pool, reportPool, streamPool]) logPoolErrors(each, logger);
  const { onConnectionLost } = options;
  if (onConnectionLost !== undefined) pool.on('remove', onConnectionLost);
  const warnUnisolated = once(async () => logger?.warn({}, unisolated));
  const checkIsolation = async () => {
    const { role, isIsolated, isDistributed } = await readIsolation(pool);
    for (const each of [settings, reports, streams]) Object.assign(each, { role, isDistributed });
    if (isIsolated) return;
    if (options.production && !options.allowUnisolated)
      throw new DatabaseOpenError(`${unisolated}; ALLOW_UNISOLATED=true allows it`);
    await warnUnisolated();
  };
  const close = async () => {
    host?.close();
    await Promise.all([pool.end(), reportPool.end(), streamPool.end()]);
  };
  try {
    await checkIsolation();
  } catch (error) {
    await close();
    if (error instanceof DatabaseOpenError) throw error;
    throw openError('DATABASE_URL', error);
  }
  const cancel: CancelStatement = (processId, session) => cancelStatement(pool, processId, session);
  const prisma = createRetryingClient(
    {
      adapter: new ScopedPrismaPg(pool, settings, defaultScope),
      ...(transactionLimits && { transactionOptions: transactionLimits }),
    },
    retry,
    options.recordWrites ? () => recordWriteOf(pool, currentScope(defaultScope)) : undefined,
  );

  return {
    kind: 'postgresql',
    // Lost connections are replaced, so it never stops.
    stopped: new Promise(() => {}),
    prisma,
    isDistributed: () => settings.isDistributed,
    runPrepared: pool.runPrepared.bind(pool),
    queryReport: <Row extends object>(text: string, values: readonly unknown[], query: ReportQueryOptions) =>
      runReportQuery<Row>(reportPool, text, values, { ...query, settings: reports, cancel }),
    streamCsv: ({ scope = currentScope(defaultScope), ...query }) =>
      readCsv(streamPool, { ...query, scope, settings: streams, cancel }),
    poolState: () => [
      stateOf('requests', pool, pool.availableCount),
      stateOf('reports', reportPool),
      stateOf('streams', streamPool),
    ],
    checkIsolation,
    openMigrationSession: () => openMigrationSession(options),
    maintain: async () => {},
    close: once(async () => {
      await prisma.$disconnect();
      await close();
    }),
  };
}

const unisolated =
  'DATABASE_URL: row-level security does not isolate the accounts: its user is a superuser or has BYPASSRLS, and may not set the role people_api_tenant';

/** @returns `undefined` where DATABASE_URL has one host */
async function findHost({
  databaseUrl,
  connectionTimeoutMs = defaultConnectionTimeoutMs,
  logger,
}: DatabaseOptions & { databaseUrl: string }): Promise<CurrentHost | undefined> {
  const urls = urlsOf(databaseUrl);
  if (urls.length === 1) return undefined;
  return forVariable('DATABASE_URL', CurrentHost.find(urls, connectionTimeoutMs, logger));
}

/** @throws {DatabaseOpenError} when the server cannot be reached or rejects the user */
async function openMigrationSession(
  options: DatabaseOptions & { databaseUrl: string },
): Promise<MigrationSession> {
  const { connectionTimeoutMs = defaultConnectionTimeoutMs } = options;
  const [variable, url] =
    options.directDatabaseUrl === undefined
      ? ['DATABASE_URL', options.databaseUrl]
      : ['DIRECT_DATABASE_URL', options.directDatabaseUrl];
  const urls = urlsOf(url);
  const connectionString =
    urls.length === 1
      ? withLibpqSsl(url)
      : await forVariable(variable, findReadWrite(urls, connectionTimeoutMs));
  // One connection that is never closed, because it holds the advisory lock. No time limits: waiting for another process or
  // building an index can take long.
  const pool = new pg.Pool({ ...connectionConfig(options), connectionString, max: 1, idleTimeoutMillis: 0 });
  logPoolErrors(pool, options.logger);
  // The policies apply to the owner of the tables as well.
  await forVariable(
    variable,
    pool
      .query("SET TimeZone = 'UTC'; SET DateStyle = 'ISO'")
      .then(() => pool.query("SELECT set_config('app.accounts', $1, false)", [allAccounts])),
  ).catch(async (error) => {
    await pool.end();
    throw error;
  });
  return {
    adapterFactory: new ScriptPrismaPg(pool),
    close: () => pool.end(),
  };
}

/** One URL for each host. */
function urlsOf(url: string): string[] {
  return (postgresqlHosts(url) ?? [url]).map(withLibpqSsl);
}

/** @throws {DatabaseOpenError} that names the variable, when the work fails */
function forVariable<Result>(variable: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw openError(variable, error);
  });
}

function openError(variable: string, cause: unknown): DatabaseOpenError {
  return new DatabaseOpenError(`${variable}: ${describeError(cause)}`, { cause });
}

function connectionConfig({
  databaseUrl,
  connectionTimeoutMs = defaultConnectionTimeoutMs,
}: DatabaseOptions & { databaseUrl: string }): pg.PoolConfig {
  return {
    connectionString: withLibpqSsl(databaseUrl),
    application_name: 'people-api',
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
  };
}

/** The time limit of the driver, for a server that fails without closing the connection. 0: no limit. */
function queryTimeout(timeoutMs: number): pg.PoolConfig {
  return timeoutMs === 0 ? {} : { query_timeout: timeoutMs + cancelGraceMs };
}

function stateOf(name: PoolState['pool'], pool: pg.Pool, idleCount = pool.idleCount): PoolState {
  return { pool: name, total: pool.totalCount, idle: idleCount, waiting: pool.waitingCount };
}

/**
 * Cancels a statement of a session. Runs outside of the tenant role, because only the user of the session may cancel it. On
 * another host the id would be that of another session.
 */
async function cancelStatement(
  pool: pg.Pool,
  processId: number,
  { host, port }: pg.PoolClient,
): Promise<void> {
  const client = await pool.connect();
  try {
    if (client.host === host && client.port === port)
      await client.query('SELECT pg_cancel_backend($1::integer)', [processId]);
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function logPoolErrors(pool: pg.Pool, logger: Logger | undefined): void {
  // Without a listener, the loss of an idle connection would terminate the process. Only the description is logged, because
  // the error contains the client with its cancellation key.
  pool.on('error', (error) =>
    logger?.warn({ reason: describeError(error) }, 'a database connection was lost'),
  );
  // The same while a connection is checked out. Its next statement reports the loss.
  pool.on('connect', (client) => client.on('error', () => {}));
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}
