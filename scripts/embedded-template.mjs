// Creates dist/embedded-template: an embedded database with all tables and no rows, which the first start of a server copies.
// Creating one takes 750 MB of memory and some seconds.
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { root } from './modified.mjs';

const { openDatabase } = await import('../dist/src/platform/database/open-database.js');
const { migrate } = await import('../dist/src/platform/database/migrate.js');

const dist = path.join(root, 'dist');
const template = path.join(dist, 'embedded-template');
await mkdir(dist, { recursive: true });
const dataDir = await mkdtemp(path.join(dist, 'template-'));
try {
  const database = await openDatabase({ dataDir });
  await migrate(database);
  await database.close();
  await rm(template, { recursive: true, force: true });
  await rename(path.join(dataDir, 'pglite'), template);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
