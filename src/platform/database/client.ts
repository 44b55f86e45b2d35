import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Logger } from '../logger.js';
import type { DatabaseStoppedError } from './database-errors.js';
import type { Prisma, PrismaClient } from './generated/client.js';
import type { TenantScope } from './scope.js';

/** A statement that is prepared once on each connection. Its parameters and all its columns have the type text. */
export interface PreparedStatement {
  /** Unique among the prepared statements. */
  readonly name: string;
  readonly text: string;
  /** Whether it uses no table of account data. On a distributed database it runs on the coordinator. Default: false. */
  readonly isOnCoordinator?: boolean;
  /**
   * A statement that runs after it in the same transaction, with its first parameter and the same columns. The result has the
   * rows of both. For a distributed database only.
   */
  readonly followedBy?: PreparedStatement;
}

export { Prisma, PrismaClient } from './generated/client.js';

export interface DatabaseOptions {
  /** PostgreSQL to connect to. Absent: the embedded database under {@link DatabaseOptions.dataDir}. */
  readonly databaseUrl?: string | undefined;
  /** URL of the same database that bypasses a connection pooler, for migrations. Absent: the same as `databaseUrl`. */
  readonly directDatabaseUrl?: string | undefined;
  /** Rejects a PostgreSQL user to whom row-level security does not apply, unless `allowUnisolated` is set. Default: false. */
  readonly production?: boolean;
  /** Default: false. */
  readonly allowUnisolated?: boolean;
  readonly dataDir: string;
  /** Directory of a closed database that a new embedded database is copied from, if it exists. */
  readonly embeddedTemplate?: string;
  readonly logger?: Logger;
  /** Maximum number of connections of this process; the embedded database has one. */
  readonly poolSize?: number;
  /** Maximum time to wait for a connection, in milliseconds; then the database is unavailable. */
  readonly connectionTimeoutMs?: number;
  /**
   * Maximum time to wait for the start of a transaction, and to run it, in milliseconds, for transactions that set no other.
   * Default: that of Prisma, 2 and 5 seconds.
   */
  readonly transactionLimits?: { readonly maxWait: number; readonly timeout: number };
  /** Maximum duration of one statement, in milliseconds; 0: no limit. */
  readonly statementTimeoutMs?: number;
  /** Maximum number of connections for {@link Database.streamCsv}, opened on demand; the embedded database needs none. */
  readonly streamPoolSize?: number;
  /** Maximum number of connections for {@link Database.queryReport}, opened on demand; the embedded database needs none. */
  readonly reportPoolSize?: number;
  /** Maximum duration of a statement of {@link Database.queryReport}, in milliseconds; none in the embedded database. */
  readonly reportStatementTimeoutMs?: number;
  /** Scope of statements that have no other. Default: no account. */
  readonly defaultScope?: TenantScope;
  /** Records the position of each write, for processes that read from standbys. Default: false. */
  readonly recordWrites?: boolean;
  /** Called when a connection for requests is lost. */
  readonly onConnectionLost?: () => void;
}

/** One connection of its own, on which migrations run. */
export interface MigrationSession {
  readonly adapterFactory: SqlMigrationAwareDriverAdapterFactory;
  close(): Promise<void>;
}

export interface PoolState {
  readonly pool: 'requests' | 'reports' | 'streams';
  readonly total: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

export interface ReportQueryOptions {
  readonly scope: TenantScope;
  /** Cancels the statement. */
  readonly signal: AbortSignal;
}

export interface CsvQuery {
  /** All its columns must be of the type text. Its values are strings and arrays of strings. */
  readonly query: Pick<Prisma.Sql, 'strings' | 'text' | 'values'>;
  /** Cancels the query. */
  readonly signal: AbortSignal;
  /** Default: the scope of `withScope`. */
  readonly scope?: TenantScope;
}

/**
 * On PostgreSQL, row-level security limits a statement to rows of its scope: that of `withScope`, or its own. On the
 * embedded database statements run as superuser, so row-level security does not apply.
 */
export interface Database {
  readonly kind: 'embedded' | 'postgresql';
  /** Resolves when the embedded database has stopped; the process must exit. */
  readonly stopped: Promise<DatabaseStoppedError>;
  readonly prisma: PrismaClient;
  /**
   * Whether account data is distributed over the workers of Citus, where a statement that reads rows has a constant account.
   * Known after {@link Database.checkIsolation}.
   */
  isDistributed(): boolean;
  /** Runs a prepared statement. The values of a row are strings or `null`. */
  runPrepared<Row extends object>(
    statement: PreparedStatement,
    values: readonly string[],
    scope: TenantScope,
  ): Promise<Row[]>;
  /**
   * Runs one read-only statement that may take seconds, on a separate connection pool. When the signal aborts, PostgreSQL
   * cancels the statement and the call rejects. The embedded database cannot cancel a running statement, only one that has
   * not started.
   */
  queryReport<Row extends object>(
    text: string,
    values: readonly unknown[],
    options: ReportQueryOptions,
  ): Promise<Row[]>;
  /**
   * Yields the result of a read-only query as CSV in chunks of bytes, as `COPY … TO STDOUT (FORMAT csv, HEADER)` writes it:
   * UTF-8, a header line of column names, lines that end with LF. All rows are from one snapshot. A chunk may end inside a
   * line. Returning from the iteration releases the connection; the signal does so even while a statement runs.
   */
  streamCsv(query: CsvQuery): AsyncGenerator<Buffer, void, undefined>;
  /** Current state of the connection pools; the embedded database has none. */
  poolState(): PoolState[];
  /**
   * Checks that row-level security applies to the user of the database, and whether the database is distributed. Migrations
   * create the policies, so call it again after them.
   *
   * @throws {DatabaseOpenError} when it does not apply and `allowUnisolated` is not set
   */
  checkIsolation(): Promise<void>;
  /**
   * Opens the session for `migrate`.
   *
   * @throws {DatabaseOpenError} when it cannot be opened
   */
  openMigrationSession(): Promise<MigrationSession>;
  /** Runs the maintenance of the embedded database. A PostgreSQL server needs none. */
  maintain(): Promise<void>;
  /** Closes all connections. Another process can open the directory of the embedded database then. */
  close(): Promise<void>;
}

/** The part of a database that reads use. It may read from standbys. */
export type ReadDatabase = Pick<
  Database,
  'prisma' | 'isDistributed' | 'runPrepared' | 'queryReport' | 'streamCsv'
>;
