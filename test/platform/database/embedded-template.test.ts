import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import t, { type Test } from '../../support/tap.js';

const template = path.join(packageRoot, 'dist', 'embedded-template');

async function open(t: Test, dataDir: string) {
  const database = await openDatabase({ dataDir, embeddedTemplate: template });
  t.teardown(() => database.close());
  return database;
}

/** Every file of the template, with the time of its last change. */
async function filesOfTemplate() {
  const names = await readdir(template, { recursive: true });
  return Promise.all(names.map(async (name) => [name, (await stat(path.join(template, name))).mtimeMs]));
}

t.test(
  'a new database is a copy of the template of the build, which has no rows and is unchanged',
  async (t) => {
    const before = await filesOfTemplate();
    const dataDir = t.testdir();
    // A killed process left a copy unfinished.
    await mkdir(path.join(dataDir, 'pglite.new', 'base'), { recursive: true });
    await writeFile(path.join(dataDir, 'pglite.new', 'PG_VERSION'), '1\n');
    const database = await open(t, dataDir);
    t.notOk((await readdir(dataDir)).includes('pglite.new'));
    t.same(await migrate(database), [], 'it has every table');
    t.equal(await database.prisma.account.count(), 0);
    t.equal(await database.prisma.signingKey.count(), 0);
    await database.prisma.account.create({ data: { id: 'acme', name: 'Acme', employeePrefix: 'acme0000' } });
    await database.close();
    t.equal(await (await open(t, dataDir)).prisma.account.count(), 1, 'an existing database is not replaced');
    t.same(await filesOfTemplate(), before);
  },
);

t.test(
  'a template that cannot be copied is reported in one line, and leaves no database and no lock',
  async (t) => {
    // A directory cannot be copied into itself.
    const template = t.testdir({ PG_VERSION: '18' });
    const dataDir = path.join(template, 'data');
    await t.rejects(openDatabase({ dataDir, embeddedTemplate: template }), {
      name: 'DatabaseOpenError',
      message: /^DATA_DIR: no database can be created in [^\n]+$/,
    });
    t.same(await readdir(dataDir), []);
  },
);
