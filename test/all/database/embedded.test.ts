import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '../../../src/database/client.js';
import {
  DatabaseOpenError,
  isDatabaseUnavailable,
  violatedUniqueConstraint,
} from '../../../src/database/database-errors.js';
import { openDatabase } from '../../../src/database/open-database.js';
import { packageRoot } from '../../../src/package-root.js';
import { createTestDatabase } from '../../support/database/database.js';
import { query } from '../../support/database/query.js';
import { quick } from '../../support/processes/cli.js';
import { withoutTap } from '../../support/processes/plain-process.js';
import t, { type Test } from '../../support/tap.js';

const worker = path.join(packageRoot, 'test', 'support', 'faults', 'embedded-worker.mjs');

t.test('rows persist when the database is closed and opened again', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  const first = await openDatabase({ dataDir });
  t.equal(first.kind, 'embedded');
  await first.prisma.account.create({ data: { id: 'acme', name: 'Acme', employeePrefix: 'acme0000' } });
  await Promise.all([first.close(), first.close()]);

  const second = await openAgain(t, dataDir);
  t.equal(await second.prisma.account.count(), 1);
});

t.test('creates missing directories', async (t) => {
  const database = await openAgain(t, path.join(t.testdir(), 'not', 'there', 'yet'));
  t.same(await query(database, 'SELECT 1 AS alive'), [{ alive: 1 }]);
});

t.test('rejects a second process with one line that names DATA_DIR', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  const database = await openAgain(t, dataDir);
  const message = new RegExp(`^DATA_DIR: .* is in use by process ${process.pid};.*$`);
  await t.rejects(openDatabase({ dataDir }), { name: 'DatabaseOpenError', message });
  t.same(await query(database, 'SELECT 1 AS alive'), [{ alive: 1 }], 'the connection can be used');

  await database.close();
  await t.rejects(
    access(path.join(dataDir, 'pglite.lock')),
    'the lock is released when the database is closed',
  );
});

t.test('a killed process loses no stored row and releases the lock', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  for (let round = 1; round <= 3; round += 1) {
    const child = startWorker(t, dataDir);
    const acknowledged = await written(child, round * 25);
    await t.rejects(openDatabase({ dataDir }), { message: new RegExp(`process ${child.pid}`) });
    child.kill('SIGKILL');
    await once(child, 'exit');

    const database = await openDatabase({ dataDir });
    const stored = await database.prisma.failureCount.count();
    t.ok(stored >= acknowledged, `${stored} stored rows include the ${acknowledged} acknowledged ones`);
    await database.prisma.failureCount.deleteMany();
    await database.close();
  }
});

t.test('takes over the lock of a process that does not exist, also when its id is reused', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  for (const stale of ['999999999', `${process.pid} 1 another-boot`, '', 'garbage']) {
    await writeFile(path.join(dataDir, 'pglite.lock'), stale);
    const database = await openDatabase({ dataDir });
    t.match(await readFile(path.join(dataDir, 'pglite.lock'), 'utf8'), new RegExp(`^${process.pid}\\b`));
    await database.close();
  }
});

t.test('rejects an unusable directory with one line', async (t) => {
  const dataDir = t.testdir({ file: '' });
  await t.rejects(openDatabase({ dataDir: path.join(dataDir, 'file') }), {
    name: 'DatabaseOpenError',
    message: /^DATA_DIR: [^\n]+$/,
  });

  await mkdir(path.join(dataDir, 'pglite'));
  await writeFile(path.join(dataDir, 'pglite', 'PG_VERSION'), '9\n');
  await t.rejects(openDatabase({ dataDir }), DatabaseOpenError);
  await t.rejects(access(path.join(dataDir, 'pglite.lock')), 'releases the lock');
});

t.test('reports a transaction that cannot be committed as failed', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  const database = await openAgain(t, dataDir);
  const { prisma } = database;
  await query(database, 'CREATE TABLE places (place int UNIQUE DEFERRABLE INITIALLY DEFERRED)');
  const insert = (place: number) =>
    prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe('INSERT INTO places VALUES ($1)', place);
    });
  await insert(1);
  const refused = await insert(1).then(
    () => undefined,
    (error) => violatedUniqueConstraint(error),
  );
  t.equal(refused, 'places_place_key');
  await insert(2);
  t.same(await query(database, 'SELECT place FROM places ORDER BY 1'), [{ place: 1 }, { place: 2 }]);
});

t.test('an unrecoverable error stops the database and does not damage stored rows', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  const first = await openDatabase({ dataDir });
  const account = { name: 'Acme', employeePrefix: 'acme0000' };
  await first.prisma.account.create({ data: { id: 'acme', ...account } });
  const unfinished = first.prisma.$transaction(async (tx) => {
    await tx.account.create({ data: { id: 'lost', name: 'Lost', employeePrefix: 'lost0000' } });
    // Deeper than the stack of the process.
    await tx.$queryRawUnsafe(`SELECT repeat('[', 1000000)::json`);
  });
  const failures = [
    await t.rejects(unfinished),
    await t.rejects(query(first, 'SELECT 1')),
    await t.rejects(first.prisma.account.count()),
    await t.rejects(first.prisma.$transaction(async (tx) => tx.account.count())),
  ];
  for (const failure of failures) t.ok(isDatabaseUnavailable(failure), 'the response is 503');
  t.match((await first.stopped).message, /^DATA_DIR: the embedded database has stopped: .*stack/);
  await first.close();

  const { prisma } = await openAgain(t, dataDir);
  t.same(
    (await prisma.account.findMany()).map(({ id }) => id),
    ['acme'],
  );
  await prisma.account.update({ where: { id: 'acme' }, data: { name: 'Acme & Co.' } });
});

t.test('its write-ahead log does not grow without limit', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  const database = await openAgain(t, dataDir);
  const log = path.join(dataDir, 'pglite', 'pg_wal');
  const segments = async () => (await readdir(log)).filter((name) => /^[0-9A-F]{24}$/.test(name)).length;
  const sizes: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (let piece = 0; piece < 40; piece += 1) {
      await query(database, `SELECT pg_logical_emit_message(false, '', repeat('x', ${2 ** 20}))::text`);
    }
    await database.maintain();
    sizes.push(await segments());
  }
  const most = 6;
  t.ok(Math.max(...sizes) <= most, `${sizes} files of 16 MiB, after 40 MiB each`);
});

async function openAgain(t: Test, dataDir: string): Promise<Database> {
  const database = await openDatabase({ dataDir });
  t.teardown(() => database.close());
  return database;
}

function startWorker(t: Test, dataDir: string): ChildProcess {
  const child = spawn(...withoutTap(process.execPath, [...quick, worker, dataDir]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Waits until the worker has reported a number of rows. Returns the number that it reported. */
async function written(child: ChildProcess, count: number): Promise<number> {
  let last = 0;
  for await (const chunk of child.stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
    last = Number.parseInt(String(chunk).trim().split('\n').at(-1) ?? '0', 10);
    if (last >= count) break;
  }
  return last;
}
