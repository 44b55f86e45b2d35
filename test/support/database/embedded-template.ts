import { constants, cpSync } from 'node:fs';
import { access, appendFile, mkdir, mkdtemp, open, readdir, rename, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../../src/database/migrate.js';
import { openDatabase } from '../../../src/database/open-database.js';
import { packageRoot } from '../../../src/package-root.js';
import { query } from './query.js';
import { templateKey } from './template-key.js';

const cache = path.join(packageRoot, 'node_modules', '.cache', 'people-api');

/** Puts a copy of an embedded database into a data directory: with every table, or with none. */
export async function copyEmbeddedTemplate(dataDir: string, { empty }: { empty: boolean }): Promise<void> {
  const template = path.join(cache, `trimmed-${empty ? 'empty' : await templateKey()}`);
  if (!(await exists(template))) await makeTemplate(template, { empty });
  // The synchronous copy takes a third of the time of the other: there are hundreds of small files.
  cpSync(path.join(template, 'pglite'), path.join(dataDir, 'pglite'), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  });
  for (const segment of await logSegments(dataDir)) await truncate(segment, segmentBytes);
}

/** What every segment of the write-ahead log has, however little is in it. */
const segmentBytes = 16 * 1024 * 1024;
/** More than a shutdown writes. */
const usedBytes = 64 * 1024;

async function logSegments(dataDir: string): Promise<string[]> {
  const directory = path.join(dataDir, 'pglite', 'pg_wal');
  const entries = await readdir(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(directory, name));
}

async function makeTemplate(template: string, { empty }: { empty: boolean }): Promise<void> {
  await mkdir(cache, { recursive: true });
  const dataDir = await mkdtemp(path.join(cache, 'making-'));
  const database = await openDatabase({ dataDir });
  if (!empty) await migrate(database);
  // Two thirds of the files are databases that nothing connects to.
  await query(database, 'UPDATE pg_database SET datistemplate = false');
  await query(database, 'DROP DATABASE template0');
  await query(database, 'DROP DATABASE template1');
  // The log of what was done so far is of no use, and is two thirds of the bytes.
  await query(database, 'SET wal_recycle = off');
  await query(database, 'SELECT pg_switch_wal()::text');
  await query(database, 'CHECKPOINT');
  await database.close();
  for (const segment of await logSegments(dataDir)) await trim(segment);
  // Half of the time that opening takes is for memory that tests do not need.
  await appendFile(path.join(dataDir, 'pglite', 'postgresql.conf'), "shared_buffers = '16MB'\n");
  // Test files run side by side and may both get here: the first to finish wins, the other's is as good.
  await rename(dataDir, template).catch(() => rm(dataDir, { recursive: true, force: true }));
}

/** Cuts the empty rest off; a copy gets it back as a hole, which costs nothing to write. */
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
