import { constants } from 'node:fs';
import { access, cp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Database, DatabaseOptions, ReportQueryOptions } from '../client.js';
import { DatabaseOpenError, describeError } from '../database-errors.js';
import { PrismaClient } from '../generated/client.js';
import type { TextRow } from '../hot/hot-statement.js';
import { createEmbeddedAdapter } from './adapter.js';
import { readCsv } from './csv.js';
import { lockDataDir } from './data-dir-lock.js';
import { EmbeddedServer } from './server.js';

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
    await server.waitReady;
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
  const adapterFactory = createEmbeddedAdapter(server);
  const prisma = new PrismaClient({
    adapter: adapterFactory,
    ...(transactionLimits && { transactionOptions: transactionLimits }),
  });
  let closing: Promise<void> | undefined;

  return {
    kind: 'embedded',
    stopped: server.stopped,
    prisma,
    async runHot({ text }, values) {
      return (await server.query<TextRow>(text, [...values], { rowMode: 'array' })).rows;
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
