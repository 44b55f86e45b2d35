import t, { type Test } from 'tap';
import type { Database } from '../../src/database/client.js';
import { openDatabase } from '../../src/database/open-database.js';
import { noAccount } from '../../src/database/scope.js';
import { createTestDatabase, openTestDatabase, testServer } from '../support/database.js';
import { asOwner } from '../support/owner.js';

const onPostgresql = { skip: testServer === undefined };

/** A database with four connections, two of which may be kept at hand. */
async function open(t: Test) {
  const { databaseUrl = '' } = await createTestDatabase(t);
  const warnings: unknown[] = [];
  const logger = { info() {}, warn: (_facts: object, message: string) => void warnings.push(message) };
  const database = await openDatabase({ databaseUrl, dataDir: '', poolSize: 4, logger });
  t.teardown(() => database.close());
  return { database, warnings };
}

async function sessionOf(database: Database): Promise<string | undefined> {
  const [row] = await database.queryText<[string]>('SELECT pg_backend_pid()::text', [], noAccount);
  return row?.[0];
}

const requests = (database: Database) => database.poolState().find(({ pool }) => pool === 'requests');

t.test('statements one after the other find the same connection at hand', onPostgresql, async (t) => {
  const { database } = await open(t);
  const session = await sessionOf(database);
  for (let time = 0; time < 3; time += 1) t.equal(await sessionOf(database), session);
  const { total, idle, waiting } = requests(database) ?? {};
  t.equal(idle, total, 'and it counts as idle');
  t.equal(waiting, 0);
});

t.test('whoever needs all connections gets those at hand, too', onPostgresql, async (t) => {
  const { database } = await open(t);
  await Promise.all(Array.from({ length: 8 }, () => sessionOf(database)));

  let inside = 0;
  let release = () => {};
  const allInside = new Promise<void>((resolve) => {
    release = resolve;
  });
  const transactions = Array.from({ length: 4 }, () =>
    database.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1`;
      inside += 1;
      if (inside === 4) release();
      await allInside;
    }),
  );
  // It waits for one of the four, which is then not put aside while others wait.
  const more = sessionOf(database);
  await Promise.all(transactions);
  t.match(await more, /^\d+$/);
  t.equal(inside, 4);
});

t.test('a connection that is lost while it is at hand is not used again', onPostgresql, async (t) => {
  const { database, warnings } = await open(t);
  const control = await openTestDatabase(t);
  const session = await sessionOf(database);
  const before = requests(database)?.total ?? 0;
  await asOwner(control, `SELECT pg_terminate_backend(${session})::text`);
  while (requests(database)?.total === before) await new Promise((resolve) => setImmediate(resolve));

  t.not(await sessionOf(database), session);
  t.same(warnings, ['a database connection was lost']);
});

t.test('a statement that fails takes its connection along, and no other', onPostgresql, async (t) => {
  const { database } = await open(t);
  const session = await sessionOf(database);
  await t.rejects(database.queryText('SELECT (1 / $1::int)::text', [0], noAccount), /division by zero/);
  t.not(await sessionOf(database), session);
});

t.test('connections at hand are renewed with the others', onPostgresql, async (t) => {
  const { database } = await open(t);
  const session = await sessionOf(database);
  await database.renew();
  t.not(await sessionOf(database), session);
});
