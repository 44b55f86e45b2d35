import { constants } from 'node:fs';
import { access, cp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { PGlite, Transaction as ServerTransaction } from '@electric-sql/pglite';
import {
  DriverAdapterError,
  isDriverAdapterError,
  type SqlQuery,
  type SqlQueryable,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type {
  CsvQuery,
  Database,
  DatabaseOptions,
  PreparedStatement,
  ReportQueryOptions,
} from '../client.js';
import { cursorCsv } from '../cursor-csv.js';
import { DatabaseOpenError, describeError, toAdapterError } from '../database-errors.js';
import { PrismaClient } from '../generated/client.js';
import { lockDataDir } from './data-dir-lock.js';
import { EmbeddedServer } from './server.js';

/** Changes the queries of an adapter, so that unique violations have the name of the constraint instead of its columns. */
function withConstraintNames<Adapter extends SqlQueryable>(adapter: Adapter): Adapter {
  const queryRaw = adapter.queryRaw.bind(adapter);
  const executeRaw = adapter.executeRaw.bind(adapter);
  return Object.assign(adapter, {
    queryRaw: (query: SqlQuery) => queryRaw(query).catch(nameConstraint),
    executeRaw: (query: SqlQuery) => executeRaw(query).catch(nameConstraint),
  });
}

function nameConstraint(error: unknown): never {
  const violation = isDriverAdapterError(error) ? error.cause : undefined;
  const name = /unique constraint "([^"]+)"/.exec(violation?.originalMessage ?? '')?.[1];
  if (violation?.kind !== 'UniqueConstraintViolation' || name === undefined) throw error;
  throw new DriverAdapterError({ ...violation, constraint: { index: name } });
}

/** Starts a transaction. Other transactions and statements wait for it. A failed COMMIT is reported. */
async function beginTransaction(server: PGlite): Promise<Transaction> {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let outcome: Promise<void> = Promise.resolve();
  const transaction = await new Promise<ServerTransaction>((resolve, reject) => {
    outcome = server.transaction(async (started) => {
      resolve(started);
      await ended;
    });
    outcome.catch(reject);
  });
  // For queries, the adapter uses only methods that a transaction has as well.
  const queries = withConstraintNames(await new PrismaPGlite(transaction as unknown as PGlite).connect());
  const run = async (sql: string): Promise<void> => {
    await queries.executeRaw({ sql, args: [], argTypes: [] });
  };
  return Object.assign(queries, {
    options: { usePhantomQuery: true },
    async commit() {
      end();
      await outcome.catch((error: unknown) => {
        throw toAdapterError(error);
      });
    },
    async rollback() {
      // A failed transaction may already be rolled back.
      await transaction.rollback().catch(() => {});
      end();
      await outcome.catch(() => {});
    },
    createSavepoint: (name: string) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name: string) => run(`ROLLBACK TO SAVEPOINT ${name}`),
    releaseSavepoint: (name: string) => run(`RELEASE SAVEPOINT ${name}`),
  });
}

/**
 * The driver adapter of the embedded database. Like the adapter for PostgreSQL, it reports failed scripts and failed commits,
 * and the names of violated unique constraints.
 */
class EmbeddedAdapter extends PrismaPGlite {
  readonly #server: PGlite;

  constructor(server: PGlite) {
    super(server);
    this.#server = server;
  }

  override async connect() {
    const adapter = await super.connect();
    const executeScript = async (script: string) => {
      await this.#server.exec(script).catch((error: unknown) => {
        throw toAdapterError(error);
      });
    };
    // The isolation level is ignored: on the only connection, transactions run one after the other.
    const startTransaction = () => beginTransaction(this.#server);
    return Object.assign(withConstraintNames(adapter), { executeScript, startTransaction });
  }
}

let cursors = 0;

/**
 * Runs a query with a cursor and yields its rows as CSV. The cursor is declared WITH HOLD instead of in a transaction, which
 * would block the only connection: the database stores the result, and other statements run between two fetches. COPY would
 * return the whole result at once.
 */
async function* readCsv(
  server: PGlite,
  { query, signal }: CsvQuery,
): AsyncGenerator<Buffer, void, undefined> {
  signal.throwIfAborted();
  cursors += 1;
  const name = `csv_${cursors}`;
  await server.query(`DECLARE ${name} NO SCROLL CURSOR WITH HOLD FOR ${query.text}`, [...query.values]);
  try {
    yield* cursorCsv((count) => {
      signal.throwIfAborted();
      return server.query<(string | null)[]>(`FETCH ${count} FROM ${name}`, [], { rowMode: 'array' });
    });
  } finally {
    if (!server.closed) await server.query(`CLOSE ${name}`);
  }
}

/**
 * Opens the database that runs inside this process, and creates it the first time. It has one connection: inside an
 * interactive transaction, queries of the outer client wait for its end.
 *
 * @throws {DatabaseOpenError} when another process has opened it or the directory cannot be used
 */
export async function openEmbedded({
  dataDir,
  embeddedTemplate,
  transactionLimits,
}: DatabaseOptions): Promise<Database> {
  const directory = path.resolve(dataDir);
  const files = path.join(directory, 'pglite');
  const release = await lockDataDir(directory);
  const isNew = !(await exists(files));
  if (isNew && embeddedTemplate !== undefined && (await exists(embeddedTemplate))) {
    await copyTemplate(embeddedTemplate, files).catch(async (cause) => {
      await release();
      const reason = describeError(cause);
      throw new DatabaseOpenError(`DATA_DIR: no database can be created in ${directory}: ${reason}`, {
        cause,
      });
    });
  }
  const server = new EmbeddedServer(files);
  try {
    await server.open();
    // The adapter reads timestamps as if the session were in UTC.
    await server.exec('SET TIME ZONE UTC');
  } catch (error) {
    // The next start would not recognize a partly created database as new.
    if (isNew) await rm(files, { recursive: true, force: true }).catch(() => {});
    await release();
    const reason = server.reasonOf(error);
    throw new DatabaseOpenError(`DATA_DIR: the database in ${directory} does not open: ${reason}`, {
      cause: error,
    });
  }
  const adapterFactory = new EmbeddedAdapter(server);
  const prisma = new PrismaClient({
    adapter: adapterFactory,
    ...(transactionLimits && { transactionOptions: transactionLimits }),
  });
  let closing: Promise<void> | undefined;

  return {
    kind: 'embedded',
    stopped: server.stopped,
    prisma,
    async runPrepared<Row extends object>({ text }: PreparedStatement, values: readonly string[]) {
      return (await server.query<Row>(text, [...values])).rows;
    },
    queryReport: <Row extends object>(
      text: string,
      values: readonly unknown[],
      { signal }: ReportQueryOptions,
    ) =>
      // Transactions run one after the other: the client may have disconnected before this one starts.
      server.transaction(async (transaction) => {
        signal.throwIfAborted();
        return (await transaction.query<Row>(text, [...values])).rows;
      }),
    streamCsv: (query) => readCsv(server, query),
    poolState: () => [],
    isDistributed: () => false,
    checkIsolation: async () => {},
    openMigrationSession: async () => ({ adapterFactory, close: async () => {} }),
    maintain: () => trimLog(server),
    close() {
      closing ??= (async () => {
        await prisma.$disconnect();
        await server.close();
        await release();
      })();
      return closing;
    },
  };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/**
 * Copies a closed database, because creating one takes PGlite 750 MB of memory. The copy is renamed when it is complete, so
 * that a killed process leaves no partial database.
 */
async function copyTemplate(template: string, files: string): Promise<void> {
  const draft = `${files}.new`;
  try {
    await rm(draft, { recursive: true, force: true });
    await cp(template, draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
    await rename(draft, files);
  } finally {
    await rm(draft, { recursive: true, force: true }).catch(() => {});
  }
}

/** Bytes of the write-ahead log since the last checkpoint that cause the next one. */
const logBytes = 32 * 2 ** 20;

/** Runs a checkpoint when the write-ahead log is large, so that it can be reused. */
async function trimLog(server: EmbeddedServer): Promise<void> {
  const { rows } = await server.query<{ due: boolean }>(
    'SELECT pg_current_wal_insert_lsn() - redo_lsn >= $1 AS due FROM pg_control_checkpoint()',
    [logBytes],
  );
  if (rows[0]?.due) await server.query('CHECKPOINT');
}
