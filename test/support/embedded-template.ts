import { constants, cpSync } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../src/database/client.js';
import { migrate } from '../../src/database/migrate.js';
import { packageRoot } from '../../src/package-root.js';
import { templateKey } from './template-key.js';

const cache = path.join(packageRoot, 'node_modules', '.cache', 'people-api');

/** Puts a copy of a migrated embedded database into a data directory. */
export async function copyEmbeddedTemplate(dataDir: string): Promise<void> {
  const template = path.join(cache, `template-${await templateKey()}`);
  if (!(await exists(template))) await makeTemplate(template);
  // The synchronous copy takes a third of the time of the other: there are hundreds of small files.
  cpSync(path.join(template, 'pglite'), path.join(dataDir, 'pglite'), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  });
}

async function makeTemplate(template: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const dataDir = await mkdtemp(path.join(cache, 'making-'));
  const database = await openDatabase({ dataDir });
  await migrate(database);
  // Two thirds of the files are databases that nothing connects to.
  await database.query('UPDATE pg_database SET datistemplate = false');
  await database.query('DROP DATABASE template0');
  await database.query('DROP DATABASE template1');
  await database.close();
  // Test files run side by side and may both get here: the first to finish wins, the other's is as good.
  await rename(dataDir, template).catch(() => rm(dataDir, { recursive: true, force: true }));
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
