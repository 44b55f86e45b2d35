import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { DatabaseStoppedError } from './database-errors.js';
import type { Prisma, PrismaClient } from './generated/client.js';
import type { HotStatement, TextRow } from './hot/hot-statement.js';
import type { Scope } from './scope.js';

export { Prisma, PrismaClient } from './generated/client.js';

/** The part of a pino logger that the database layer uses. */
export interface DatabaseLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

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
  /** Directory of a closed database that a new embedded database is a copy of, if it exists. */
  readonly embeddedTemplate?: string;
  readonly logger?: DatabaseLogger;
  /** Connections that this process may hold; the embedded database has one. */
  readonly poolSize?: number;
  /** How long to wait for a connection before the database counts as unavailable. */
  readonly connectionTimeoutMs?: number;
  /** Longest run of one statement; 0 is no limit. */
  readonly statementTimeoutMs?: number;
  /** Most connections for {@link Database.streamCsv}, which are opened on demand; the embedded database needs none. */
  readonly streamPoolSize?: number;
  /** Most connections for {@link Database.queryReport}, which are opened on demand; the embedded database needs none. */
  readonly reportPoolSize?: number;
  /** Longest run of one statement of {@link Database.queryReport}; the embedded database has no such limit. */
  readonly reportStatementTimeoutMs?: number;
  /** Scope of statements that have no other. Default: no account. */
  readonly defaultScope?: Scope;
}

/** One connection of its own, on which migrations run. */
export interface MigrationSession {
  readonly adapterFactory: SqlMigrationAwareDriverAdapterFactory;
  close(): Promise<void>;
}

/** Connections that a process has for one purpose. */
export interface PoolState {
  readonly pool: 'requests' | 'reports' | 'streams';
  readonly total: number;
  readonly idle: number;
  /** Those who wait for a connection. */
  readonly waiting: number;
}

export interface ReportQueryOptions {
  readonly scope: Scope;
  /** Cancels the statement. */
  readonly signal: AbortSignal;
}

export interface CsvQuery {
  /** All its columns must be of the type text. Its values are texts and lists of texts. */
  readonly query: Pick<Prisma.Sql, 'strings' | 'text' | 'values'>;
  /** Ends the work of the database at once. */
  readonly signal: AbortSignal;
  /** Default: the scope of the caller's work. */
  readonly scope?: Scope;
}

/**
 * On PostgreSQL a statement reads and writes only rows of its scope: that of `withScope`, or its own. The embedded database,
 * which runs as its superuser, has no row-level security.
 */
export interface Database {
  readonly kind: 'embedded' | 'postgresql';
  /** Settles when the embedded database cannot go on: the process has to exit. */
  readonly stopped: Promise<DatabaseStoppedError>;
  readonly prisma: PrismaClient;
  /** Runs a hot statement. */
  runHot(statement: HotStatement, values: readonly string[], scope: Scope): Promise<TextRow[]>;
  /**
   * Runs one read-only statement that may take seconds, on connections apart from those that every request needs. When
   * the signal aborts, PostgreSQL cancels the statement and the call rejects. The embedded database cannot be
   * interrupted: there only a statement that has not started is dropped.
   */
  queryReport<Row extends object>(
    text: string,
    values: readonly unknown[],
    options: ReportQueryOptions,
  ): Promise<Row[]>;
  /**
   * Yields the result of a read-only query as CSV in chunks of bytes, as `COPY … TO STDOUT (FORMAT csv, HEADER)` writes it:
   * UTF-8, a header line of column names, lines that end with LF. All rows are from one snapshot, however long the
   * consumer takes. A chunk may end inside a line. Ending the iteration releases what the query holds; the signal does so
   * at once, also while the database is at work.
   */
  streamCsv(query: CsvQuery): AsyncGenerator<Buffer, void, undefined>;
  /** How the pools of connections are used at this moment; the embedded database has none. */
  poolState(): PoolState[];
  /**
   * Checks how row-level security binds the user of the database. To be called again after migrations, which create it.
   *
   * @throws {DatabaseOpenError} when it does not, unless that is allowed
   */
  checkIsolation(): Promise<void>;
  /**
   * Opens the session that {@link migrate} works on.
   *
   * @throws {DatabaseOpenError} when it cannot be opened
   */
  openMigrationSession(): Promise<MigrationSession>;
  /** Does what a database server does by itself from time to time, and the embedded database does not. */
  maintain(): Promise<void>;
  /** Closes every connection and, when embedded, lets another process open the directory. */
  close(): Promise<void>;
}
