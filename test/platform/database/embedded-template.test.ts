import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import { createTestDatabase } from '../../support/database/database.js';
import t, { type Test } from '../../support/tap.js';

/** A closed database with every table. */
async function closedDatabase(t: Test): Promise<string> {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  return path.join(dataDir, 'pglite');
}

async function open(t: Test, dataDir: string, embeddedTemplate: string) {
  const database = await openDatabase({ dataDir, embeddedTemplate });
  t.teardown(() => database.close());
  return database;
}

const account = { id: 'acme', name: 'Acme', employeePrefix: 'acme0000' };

t.test('a new database is a copy of the template, and the template is unchanged', async (t) => {
  const template = await closedDatabase(t);
  const first = await open(t, path.join(t.testdir(), 'first'), template);
  t.same(await migrate(first), [], 'it has every table');
  await first.prisma.account.create({ data: account });
  const second = await open(t, path.join(t.testdirName, 'second'), template);
  t.equal(await second.prisma.account.count(), 0);
});

t.test('an existing database is opened, and not replaced by the template', async (t) => {
  const template = await closedDatabase(t);
  const dataDir = t.testdir();
  const first = await openDatabase({ dataDir, embeddedTemplate: template });
  await first.prisma.account.create({ data: account });
  await first.close();
  t.equal(await (await open(t, dataDir, template)).prisma.account.count(), 1);
});

t.test('a copy that a killed process left unfinished is replaced', async (t) => {
  const template = await closedDatabase(t);
  const dataDir = t.testdir();
  await mkdir(path.join(dataDir, 'pglite.new', 'base'), { recursive: true });
  await writeFile(path.join(dataDir, 'pglite.new', 'PG_VERSION'), '1\n');
  t.same(await migrate(await open(t, dataDir, template)), []);
  t.notOk((await readdir(dataDir)).includes('pglite.new'));
});

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

t.test('the build creates the template without rows', async (t) => {
  const template = path.join(packageRoot, 'dist', 'embedded-template');
  await access(path.join(template, 'PG_VERSION'));
  const database = await open(t, t.testdir(), template);
  t.same(await migrate(database), []);
  t.equal(await database.prisma.account.count(), 0);
  t.equal(await database.prisma.signingKey.count(), 0);
});
