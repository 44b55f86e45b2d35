import { createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  DatabaseOpenError,
  isDatabaseUnavailable,
  isWriteConflict,
  violatedUniqueConstraint,
} from '../../../src/platform/database/database-errors.js';
import { Prisma } from '../../../src/platform/database/generated/client.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createStatementNames } from '../../../src/platform/database/postgresql/prepared-query.js';
import { allAccounts } from '../../../src/platform/database/scope.js';
import { createTestDatabase, openTestDatabase, testServer } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { query } from '../../support/database/query.js';
import { holdTimers } from '../../support/server/timers.js';
import t from '../../support/tap.js';
import { until } from '../../support/until.js';

const onPostgresql = { skip: testServer === undefined };

t.test('a violated constraint has the same name for every way to write a row', async (t) => {
  const database = await openTestDatabase(t);
  const { prisma } = database;
  const data = { id: 'acme', name: 'Acme', employeePrefix: 'acme0000' };
  await prisma.account.create({ data });
  const again = { ...data, id: 'other' };
  const sql = `INSERT INTO accounts (id, name, employee_prefix) VALUES ('other', 'Other', 'acme0000')`;

  for (const write of [
    () => prisma.account.create({ data: again }),
    () => prisma.$executeRawUnsafe(sql),
    () => prisma.$transaction((tx) => tx.account.create({ data: again })),
    () => prisma.$transaction([prisma.account.create({ data: again })]),
    () => query(database, sql),
  ]) {
    const error = await failureOf(write());
    t.equal(violatedUniqueConstraint(error), 'accounts_employee_prefix_key');
    t.equal(isDatabaseUnavailable(error), false);
  }
  t.equal(violatedUniqueConstraint(await failureOf(prisma.account.create({ data }))), 'accounts_pkey');
  const notUnique = await failureOf(prisma.user.create({ data: { ...user, accountId: 'nobody' } }));
  t.equal(violatedUniqueConstraint(notUnique), undefined);
  t.equal(isDatabaseUnavailable(notUnique), false);
});

t.test('timestamps, bytes, lists and documents are read as they were stored', async (t) => {
  const { prisma } = await openTestDatabase(t);
  await prisma.account.create({ data: { id: 'acme', name: 'Acme', employeePrefix: 'acme0000' } });
  const createdAt = new Date('2026-03-29T01:30:00.123Z');
  const report = {
    id: 'r',
    accountId: 'acme',
    title: 'T',
    columns: ['a,b', '{"c"}', ''],
    filters: [{ field: 'x', value: ['y', null, 1.5] }],
    createdAt,
  };
  await prisma.report.create({ data: report });
  t.match(await prisma.report.findFirst({ where: { id: 'r' } }), { ...report, sort: [], version: 1 });

  const kid = {
    idHash: new Uint8Array([0, 255, 39, 92]),
    accountId: 'acme',
    userId: 'u',
    expiresAt: createdAt,
  };
  await prisma.user.create({ data: { ...user, id: 'u', accountId: 'acme' } });
  await prisma.session.create({ data: kid });
  t.match(await prisma.session.findUnique({ where: { idHash: kid.idHash } }), kid);
  await t.rejects(prisma.user.create({ data: { ...user, email: 'Upper@acme.example', accountId: 'acme' } }));
  await t.rejects(prisma.user.create({ data: { ...user, role: 'king', accountId: 'acme' } }));
});

t.test('names a statement text at its third use, up to the maximum number of names', async (t) => {
  const nameOf = createStatementNames(2);
  const useThrice = (sql: string) => [1, 2, 3].map(() => nameOf({ sql }));
  const [, , first] = useThrice('SELECT 1');
  t.match(first, /^s_[\w-]{22}$/);
  t.equal(nameOf({ sql: 'SELECT 1' }), first);
  const [unnamed, alsoUnnamed, second] = useThrice('SELECT 2');
  t.same([unnamed, alsoUnnamed], ['', '']);
  t.match(second, /^s_[\w-]{22}$/);
  t.not(second, first);
  t.same(useThrice('SELECT 3'), ['', '', '']);
  t.equal(nameOf({ sql: 'SELECT 1' }), first);
});

t.test('statement texts that are used only twice are not named', async (t) => {
  const nameOf = createStatementNames(1);
  const names = new Set<string>();
  for (let number = 0; number < 5_000; number += 1) {
    const sql = `SELECT ${number}`;
    names.add(nameOf({ sql })).add(nameOf({ sql }));
  }
  t.same([...names], ['']);
  const sql = 'SELECT 5000';
  t.not([1, 2, 3].map(() => nameOf({ sql })).at(-1), '');
});

t.test('opening a server that is down, or never responds, fails within seconds', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  t.teardown(() => silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  for (const host of ['127.0.0.1:1', `127.0.0.1:${port}`, 'no-such-host.invalid']) {
    const databaseUrl = `postgres://user:very-secret@${host}/db`;
    const error = await failureOf(openDatabase({ databaseUrl, dataDir: '', connectionTimeoutMs: 500 }));
    t.ok(error instanceof DatabaseOpenError);
    t.match(error, { message: /^DATABASE_URL: .+$/ });
    t.notMatch(error, { message: /very-secret/ });
    t.equal(isDatabaseUnavailable(error), true);
  }
});

t.test(
  'transactions run without just-in-time compilation and bitmaps, sessions keep the options of the URL',
  onPostgresql,
  async (t) => {
    const options = await createTestDatabase(t, { direct: true });
    const url = `${options.databaseUrl}?options=${encodeURIComponent('-c work_mem=5MB')}`;
    const database = await openDatabase({ ...options, databaseUrl: url });
    t.teardown(() => database.close());
    const settings = `SELECT current_setting('jit') AS jit, current_setting('enable_bitmapscan') AS bitmaps,
    current_setting('work_mem') AS memory`;
    const expected = [{ jit: 'off', bitmaps: 'off', memory: '5MB' }];
    t.same(await query(database, settings), expected);
    t.same(await database.prisma.$transaction((tx) => tx.$queryRawUnsafe(settings)), expected);
  },
);

t.test(
  'the time zone and date format of the server do not change what is stored and read',
  onPostgresql,
  async (t) => {
    const options = await createTestDatabase(t, { direct: true, empty: true });
    const defaults = encodeURIComponent('-c TimeZone=Asia/Kolkata -c DateStyle=SQL,DMY');
    const database = await openDatabase({
      ...options,
      databaseUrl: `${options.databaseUrl}?options=${defaults}`,
    });
    t.teardown(() => database.close());
    await migrate(database);
    const { prisma } = database;
    const at = new Date('2026-03-04T22:45:00.123Z');
    await prisma.account.create({
      data: { id: 'acme', name: 'Acme', employeePrefix: 'acme0000', createdAt: at },
    });
    const created = () => prisma.account.findUnique({ where: { id: 'acme' }, select: { createdAt: true } });
    t.same(await created(), { createdAt: at });
    t.same((await prisma.$transaction([created()]))[0], { createdAt: at });
    const migrations = await prisma.$queryRaw<
      { at: Date }[]
    >`SELECT max(finished_at) AS at FROM _prisma_migrations`;
    t.ok(
      Math.abs(Number(migrations[0]?.at) - Date.now()) < 3_600_000,
      'the time zone is that of the migrations too',
    );

    const text = `SELECT created_at::text || ' ' || current_setting('TimeZone') AS at FROM accounts`;
    const expected = '2026-03-04 22:45:00.123+00 UTC';
    const { signal } = new AbortController();
    t.same(await query(database, text), [{ at: expected }]);
    t.same(await database.runPrepared({ name: 'zone', text }, [], allAccounts), [{ at: expected }]);
    t.same(await database.queryReport(text, [], { signal, scope: allAccounts }), [{ at: expected }]);
    const csv = await buffer(database.streamCsv({ query: Prisma.raw(text), signal, scope: allAccounts }));
    t.equal(csv.toString(), `at\n${expected}\n`);
  },
);

t.test('queries are prepared', onPostgresql, async (t) => {
  const database = await openTestDatabase(t, { poolSize: 1, direct: true });
  for (let i = 0; i < 3; i += 1) await database.prisma.account.findUnique({ where: { id: 'x' } });
  const [row] = await query<{ count: number }>(
    database,
    `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE 's\\_%' AND statement LIKE $1`,
    ['%employee_prefix%accounts%'],
  );
  t.equal(row?.count, 1);
});

t.test('a lost connection is logged without the cancellation key of its session', onPostgresql, async (t) => {
  const logged: { details: object; message: string }[] = [];
  let hear: () => void = () => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const logger = {
    info() {},
    warn(details: object, message: string) {
      logged.push({ details, message });
      if (message === 'a database connection was lost') hear();
    },
  };
  const watched = await openTestDatabase(t, { logger, direct: true });
  const [own] = await query<{ pid: number }>(watched, 'SELECT pg_backend_pid() AS pid');
  const other = await openTestDatabase(t, { direct: true });
  await asOwner(other, `SELECT pg_terminate_backend(${own?.pid})::text`);
  await heard;
  t.match(logged.at(-1), { details: { reason: /terminat/ } });
  t.notMatch(JSON.stringify(logged), /secretKey|processID|connectionParameters/);
});

t.test('an overloaded or lost database counts as unavailable', onPostgresql, async (t) => {
  const options = await createTestDatabase(t);
  // No other time limit has one of these values.
  const [statementTimeoutMs, connectionTimeoutMs] = [420_000, 123_456];
  const limits = { poolSize: 1, statementTimeoutMs, connectionTimeoutMs };
  const database = await openDatabase({ ...options, ...limits });
  t.teardown(() => database.close());
  const { prisma } = database;

  t.same(await query(database, `SELECT current_setting('statement_timeout') AS timeout`), [
    { timeout: '7min' },
  ]);
  const tooLong = prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL statement_timeout = 10`;
    await tx.$queryRaw`SELECT pg_sleep(1000)::text`;
  });
  t.equal(isDatabaseUnavailable(await failureOf(tooLong)), true, 'statement timeout');

  const timers = holdTimers(t);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holds = false;
  const holding = prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1`;
    holds = true;
    await released;
  });
  await until(() => holds);
  const before = timers.started(connectionTimeoutMs);
  const count = failureOf(prisma.account.count());
  await until(() => timers.started(connectionTimeoutMs) > before);
  timers.advance(connectionTimeoutMs);
  t.equal(isDatabaseUnavailable(await count), true, 'no connection in time');
  timers.release();
  release();
  await holding;

  const killed = failureOf(asOwner(database, 'SELECT pg_terminate_backend(pg_backend_pid())::text'));
  t.equal(isDatabaseUnavailable(await killed), true, 'connection terminated');
  t.same(await query(database, 'SELECT 1 AS alive'), [{ alive: 1 }], 'the next query connects again');
});

t.test('a deadlock counts as a write conflict, and its victim is retried', onPostgresql, async (t) => {
  const database = await openTestDatabase(t);
  const { prisma } = database;
  for (const id of ['a', 'b']) {
    await prisma.account.create({ data: { id, name: id, employeePrefix: `prefix0${id}` } });
  }
  const lost: unknown[] = [];
  let locked = 0;
  const swap = (first: string, second: string): Promise<unknown> =>
    prisma.$transaction(async (tx) => {
      await tx.account.update({ where: { id: first }, data: { name: `first of ${first}` } });
      locked += 1;
      await until(() => locked >= 2);
      try {
        await tx.account.update({ where: { id: second }, data: { name: `second of ${first}` } });
      } catch (error) {
        lost.push(error);
        throw error;
      }
    });
  await Promise.all([swap('a', 'b'), swap('b', 'a')]);
  t.equal(lost.length, 1);
  t.equal(isWriteConflict(lost[0]), true);
  t.equal(isDatabaseUnavailable(lost[0]), false);
});

const user = {
  id: 'someone',
  email: 'someone@acme.example',
  passwordHash: '!',
  role: 'owner',
  givenName: 'Some',
  familyName: 'One',
};

function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
}
