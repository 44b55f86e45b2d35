import { constants, cpSync } from 'node:fs';
import { access, appendFile, mkdir, mkdtemp, open, readdir, rename, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import { query } from './query.js';
import { templateKey } from './template-key.js';

const cache = path.join(packageRoot, 'node_modules', '.cache', 'people-api');

/** Copies an embedded database into a data directory: with every table, or with none. */
export async function copyEmbeddedTemplate(dataDir: string, { empty }: { empty: boolean }): Promise<void> {
  const template = path.join(cache, `trimmed-${empty ? 'empty' : await templateKey()}`);
  if (!(await exists(template))) await createTemplate(template, { empty });
  // The synchronous copy takes a third of the time of the asynchronous one, because there are hundreds of small files.
  cpSync(path.join(template, 'pglite'), path.join(dataDir, 'pglite'), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  });
  for (const segment of await logSegments(dataDir)) await truncate(segment, segmentBytes);
}

/** Size of every segment of the write-ahead log, in bytes. */
const segmentBytes = 16 * 1024 * 1024;
/** Bytes that are kept of a segment: more than a shutdown writes. */
const usedBytes = 64 * 1024;

async function logSegments(dataDir: string): Promise<string[]> {
  const directory = path.join(dataDir, 'pglite', 'pg_wal');
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(directory, name));
}

async function createTemplate(template: string, { empty }: { empty: boolean }): Promise<void> {
  await mkdir(cache, { recursive: true });
  const dataDir = await mkdtemp(path.join(cache, 'making-'));
  const database = await openDatabase({ dataDir });
  if (!empty) await migrate(database);
  // Two thirds of the files belong to databases that are not used.
  await query(database, 'UPDATE pg_database SET datistemplate = false');
  await query(database, 'DROP DATABASE template0');
  await query(database, 'DROP DATABASE template1');
  // The existing log is not needed, and has two thirds of the bytes.
  await query(database, 'SET wal_recycle = off');
  await query(database, 'SELECT pg_switch_wal()::text');
  await query(database, 'CHECKPOINT');
  await database.close();
  for (const segment of await logSegments(dataDir)) await trim(segment);
  // Allocating memory that tests do not need takes half of the time to open a database.
  await appendFile(path.join(dataDir, 'pglite', 'postgresql.conf'), "shared_buffers = '16MB'\n");
  // Concurrent test processes may both create it. The first one stays; the others are equal.
  await rename(dataDir, template).catch(() => rm(dataDir, { recursive: true, force: true }));
}

/** Truncates the empty rest of a segment. A copy gets it back as a hole, which is not written. */
async function trim(segment: string): Promise<void> {
  const file = await open(segment, 'r+');
  try {
    const { buffer } = await file.read(Buffer.alloc(segmentBytes), 0, segmentBytes, 0);
    if (buffer.subarray(usedBytes).some((byte) => byte !== 0)) throw new Error(`${segment} is in use`);
    await file.truncate(usedBytes);
  } finally {
    await file.close();
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
