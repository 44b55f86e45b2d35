import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type {
  Database,
  DatabaseLogger,
  DatabaseOptions,
  MigrationSession,
  PoolState,
  QueryOptions,
  ReportQueryOptions,
  TextRow,
} from '../client.js';
import { DatabaseOpenError, describeError } from '../database-errors.js';
import { allAccounts, currentScope, noAccount, type Scope, withScope } from '../scope.js';
import { createConflictRetry, createRetryingClient } from './conflict-retry.js';
import { copyCsv } from './csv.js';
import { ScriptPrismaPg } from './migration-adapter.js';
import { PreparedQuery } from './prepared-query.js';
import type { ReadyPool } from './ready-pool.js';
import { runReportQuery } from './report.js';
import { ScopedPool } from './scoped-pool.js';
import { createStatementNames } from './statement-names.js';

// Both adapters read timestamps as if the session were in UTC. Just-in-time compilation costs more than the
// short queries of an API ever win back.
const sessionOptions = '-c TimeZone=UTC -c jit=off';
// Pages are read in the order of an index. Where most accounts are smaller than a page, or a table was never analysed,
// the planner would rather collect the whole of a large account by a bitmap, and sort it for each page.
const pageOptions = '-c enable_bitmapscan=off';
// One report takes one processor of the database server, and changes nothing.
const reportOptions = '-c max_parallel_workers_per_gather=0 -c default_transaction_read_only=on';
/** Longest time of the statement of a report run. */
export const defaultReportStatementTimeoutMs = 5_000;
// Time for a cancelled statement to be reported before the connection itself is given up.
const cancelGraceMs = 1_000;
// Longer than any stream may take: for a process that hangs, and whose snapshot would hold back vacuum. A session that
// waits for the process to read is not idle: there it is the operating system that ends the connection.
const stalledStreamTimeoutMs = 2_400_000;
const streamOptions = `${reportOptions} -c tcp_user_timeout=${stalledStreamTimeoutMs}`;
// Streams are rare: their connections are not kept.
const streamIdleTimeoutMs = 5_000;

/**
 * Connects to a PostgreSQL server.
 *
 * @throws {DatabaseOpenError} when it cannot be reached or refuses the user.
 */
export async function openPostgresql(options: DatabaseOptions & { databaseUrl: string }): Promise<Database> {
  const {
    poolSize = 10,
    statementTimeoutMs = 30_000,
    streamPoolSize = 20,
    reportPoolSize = 6,
    reportStatementTimeoutMs = defaultReportStatementTimeoutMs,
    defaultScope = noAccount,
    logger,
  } = options;
  const statementNames = createStatementNames();
  const retry = createConflictRetry(logger);
  const binding = { defaultScope, retry, onUnbound: warnOnce(logger) };
  const pool = new ScopedPool({
    ...connectionConfig(options, pageOptions),
    ...binding,
    max: poolSize,
    // A new connection would have every statement to plan anew.
    min: poolSize,
    ...statementLimits(statementTimeoutMs),
    idle_in_transaction_session_timeout: 120_000,
  });
  // Separate, because reports of one account would otherwise take the connections that every token check needs.
  const reportPool = new ScopedPool({
    ...connectionConfig(options, `${pageOptions} ${reportOptions}`),
    ...binding,
    max: reportPoolSize,
    ...statementLimits(reportStatementTimeoutMs),
  });
  // Separate, because slow readers would otherwise take the connections that every request needs. A statement may run
  // as long as its caller allows.
  const streamPool = new ScopedPool({
    ...connectionConfig(options, streamOptions),
    ...binding,
    max: streamPoolSize,
    idleTimeoutMillis: streamIdleTimeoutMs,
    idle_in_transaction_session_timeout: stalledStreamTimeoutMs,
  });
  for (const each of [pool, reportPool, streamPool]) logPoolErrors(each, logger);
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await pool.end();
    throw new DatabaseOpenError(`DATABASE_URL: ${describeError(error)}`, { cause: error });
  }
  const cancel = (processId: number) => cancelStatement(pool, processId);
  const adapter = new PrismaPg(pool, { statementNameGenerator: statementNames });
  const prisma = createRetryingClient({ adapter }, retry);

  return {
    kind: 'postgresql',
    // Connections are made anew, for ever.
    stopped: new Promise(() => {}),
    prisma,
    async query<Row extends object>(
      text: string,
      values: readonly unknown[] = [],
      { adHoc = false }: QueryOptions = {},
    ) {
      const name = adHoc ? '' : statementNames({ sql: text });
      const result = await pool.query<Row>({ text, values: [...values], ...(name === '' ? {} : { name }) });
      return result.rows;
    },
    queryText<Row extends TextRow>(text: string, values: readonly unknown[], scope: Scope) {
      const name = statementNames({ sql: text });
      const run = () => pool.run(new PreparedQuery({ name, text, values, scope }));
      return retry(run) as Promise<TextRow[]> as Promise<Row[]>;
    },
    queryReport: <Row extends object>(
      text: string,
      values: readonly unknown[],
      { scope, signal }: ReportQueryOptions,
    ) => runReportQuery<Row>(reportPool, cancel, { text, values, scope, signal }),
    streamCsv: ({ scope = currentScope(defaultScope), ...query }) =>
      copyCsv(streamPool, cancel, { ...query, scope }),
    poolState: () => [
      stateOf('requests', pool),
      stateOf('reports', reportPool),
      stateOf('streams', streamPool),
    ],
    renew: () => pool.renew(),
    openMigrationSession: () => openMigrationSession(options),
    maintain: async () => {},
    close: once(async () => {
      await prisma.$disconnect();
      await Promise.all([pool.end(), reportPool.end(), streamPool.end()]);
    }),
  };
}

async function openMigrationSession(
  options: DatabaseOptions & { databaseUrl: string },
): Promise<MigrationSession> {
  // One connection that is never retired: the advisory lock belongs to it, and so must every script. No time
  // limits: waiting for another process and building an index both take as long as they take.
  const config = connectionConfig(options);
  // Policies bind the owner of the tables, who migrates them.
  const sessionOptions = `${config.options} -c app.accounts=${allAccounts}`;
  const pool = new pg.Pool({ ...config, options: sessionOptions, max: 1, idleTimeoutMillis: 0 });
  logPoolErrors(pool, options.logger);
  return {
    adapterFactory: new ScriptPrismaPg(pool),
    close: () => pool.end(),
  };
}

function connectionConfig(
  { databaseUrl, connectionTimeoutMs = 5_000 }: DatabaseOptions,
  moreOptions = '',
): pg.PoolConfig {
  const url = URL.canParse(databaseUrl ?? '') ? new URL(databaseUrl ?? '') : undefined;
  // What a URL says wins over the configuration in the driver, so options of both must be merged in the URL.
  const own = url?.searchParams.get('options') ?? null;
  url?.searchParams.delete('options');
  return {
    connectionString: url?.toString() ?? databaseUrl,
    options: [own, sessionOptions, moreOptions].filter(Boolean).join(' '),
    application_name: 'people-api',
    connectionTimeoutMillis: connectionTimeoutMs,
    keepAlive: true,
  };
}

/** 0 is no limit. */
function statementLimits(timeoutMs: number): pg.PoolConfig {
  return {
    statement_timeout: timeoutMs,
    // A server that vanished without closing the connection never reports anything.
    ...(timeoutMs === 0 ? {} : { query_timeout: timeoutMs + cancelGraceMs }),
  };
}

function stateOf(name: PoolState['pool'], pool: ReadyPool): PoolState {
  const idle = pool.idleCount + pool.readyCount;
  return { pool: name, total: pool.totalCount, idle, waiting: pool.waitingCount };
}

/** Only the user who has logged in may cancel what the sessions of this user do, not the role that they take. */
async function cancelStatement(pool: pg.Pool, processId: number): Promise<void> {
  await withScope(noAccount, () => pool.query(`SET LOCAL ROLE NONE; SELECT pg_cancel_backend(${processId})`));
}

function warnOnce(logger: DatabaseLogger | undefined): () => void {
  return once(async () => {
    const user = 'a superuser, or a user with BYPASSRLS, who may not take the role people_api_tenant';
    logger?.warn(
      {},
      `row-level security does not protect the accounts from each other: DATABASE_URL names ${user}`,
    );
  });
}

function logPoolErrors(pool: pg.Pool, logger: DatabaseLogger | undefined): void {
  // Without a listener the loss of an idle connection would end the process.
  // The error carries the client, with what it takes to cancel the statements of its session.
  pool.on('error', (error) =>
    logger?.warn({ reason: describeError(error) }, 'a database connection was lost'),
  );
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}
