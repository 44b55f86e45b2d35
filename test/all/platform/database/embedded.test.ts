import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Database } from '../../../../src/platform/database/client.js';
import {
  DatabaseOpenError,
  isDatabaseUnavailable,
  violatedUniqueConstraint,
} from '../../../../src/platform/database/database-errors.js';
import { lockDataDir } from '../../../../src/platform/database/embedded/data-dir-lock.js';
import { openDatabase } from '../../../../src/platform/database/open-database.js';
import { packageRoot } from '../../../../src/platform/package-root.js';
import { createTestDatabase } from '../../../support/database/database.js';
import { query } from '../../../support/database/query.js';
import { quick } from '../../../support/processes/cli.js';
import { withoutTap } from '../../../support/processes/plain-process.js';
import t, { type Test } from '../../../support/tap.js';
import { until } from '../../../support/until.js';

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
  await t.rejects(openDatabase({ dataDir }), { name: 'DatabaseOpenError', message: inUse });
  t.same(await query(database, 'SELECT 1 AS alive'), [{ alive: 1 }], 'the connection can be used');

  await database.close();
  t.same(await lockFiles(dataDir), [], 'the lock is released when the database is closed');
});

t.test('a killed process loses no stored row and releases the lock', async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  for (let round = 1; round <= 3; round += 1) {
    const child = startWorker(t, dataDir);
    const acknowledged = await written(child, round * 25);
    await t.rejects(openDatabase({ dataDir }), { message: inUse });
    child.kill('SIGKILL');
    await once(child, 'exit');

    const database = await openDatabase({ dataDir });
    const stored = await database.prisma.failureCount.count();
    t.ok(stored >= acknowledged, `${stored} stored rows include the ${acknowledged} acknowledged ones`);
    await database.prisma.failureCount.deleteMany();
    await database.close();
  }
});

// Both processes have the id 1, and abstract sockets would be invisible to the other one.
const container = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--net'];
const hasContainers = spawnSync('unshare', [...container.slice(1), 'true']).status === 0;

t.test(
  'a process of another container that shares the directory is rejected, and no row is lost',
  { skip: !hasContainers && 'this user cannot create namespaces' },
  async (t) => {
    const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
    const first = startWorker(t, dataDir, container);
    await written(first, 5);
    const second = startWorker(t, dataDir, container);
    const [errors] = await Promise.all([text(second.stderr as Readable), once(second, 'exit')]);
    t.match(errors, /DATA_DIR: .* is in use by another process;/);
    t.not(second.exitCode, 0);
    const acknowledged = await written(first, 30);
    const exited = once(first, 'exit');
    first.kill('SIGKILL');
    await exited;

    let database: Database | undefined;
    await until(async () => {
      database = await openDatabase({ dataDir }).catch(() => undefined);
      return database !== undefined;
    });
    const stored = await database?.prisma.failureCount.count();
    t.ok(
      Number(stored) >= acknowledged,
      `${stored} stored rows include the ${acknowledged} acknowledged ones`,
    );
    await database?.close();
  },
);

t.test('of processes that start at the same time, one gets the lock', async (t) => {
  const dataDir = t.testdir();
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)));
  const [locked, ...more] = outcomes.filter(({ status }) => status === 'fulfilled');
  t.equal(more.length, 0);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') t.match(outcome.reason.message, inUse);
  }
  if (locked?.status !== 'fulfilled') return t.fail('there is one');
  t.equal((await lockFiles(dataDir)).length, 1);
  await locked.value();
  t.same(await lockFiles(dataDir), []);
});

t.test('locks a directory whose path is longer than the address of a socket', async (t) => {
  const parent = path.join(t.testdir(), 'd'.repeat(120));
  // A truncated address would be the same for both.
  const [one, two] = [path.join(parent, 'one'), path.join(parent, 'two')];
  const release = await lockDataDir(one);
  const releaseOther = await lockDataDir(two);
  await t.rejects(lockDataDir(one), { message: inUse });
  t.equal((await lockFiles(one)).length, 1);
  await release();
  await releaseOther();
  t.same(await lockFiles(one), []);
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
  t.same(await lockFiles(dataDir), [], 'releases the lock');
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

const inUse = /^DATA_DIR: .* is in use by another process;[^\n]*$/;

async function lockFiles(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => name.includes('pglite.'));
}

function startWorker(t: Test, dataDir: string, prefix: readonly string[] = []): ChildProcess {
  const [program, args] = withoutTap(process.execPath, [...quick, worker, dataDir]);
  const [first = program, ...rest] = [...prefix, program, ...args];
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
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
