import pg from 'pg';
import { Prisma } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { beginCancellable } from '../../../src/platform/database/postgresql/cancellable-transaction.js';
import { TransactionSettings } from '../../../src/platform/database/postgresql/transaction-settings.js';
import { allAccounts } from '../../../src/platform/database/scope.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { openTransaction, untilWaiting } from '../../support/database/transaction.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database cannot be interrupted' };

/** A transaction on a pool of one connection, and the ids of the processes whose statements it cancelled. */
async function begin(t: Test) {
  const { databaseUrl } = await createTestDatabase(t);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  // The session of a closed connection may still exist when the database is dropped.
  pool.on('error', () => {});
  t.teardown(() => pool.end());
  const abort = new AbortController();
  const cancelled: number[] = [];
  const transaction = await beginCancellable(pool, {
    settings: new TransactionSettings({}),
    cancel: async (processId) => {
      cancelled.push(processId);
    },
    scope: allAccounts,
    signal: abort.signal,
    begin: 'BEGIN READ ONLY',
    closeOnAbort: false,
  });
  return { pool, abort, cancelled, transaction };
}

t.test(
  'an abort during the commit cancels nothing and keeps the connection open',
  onPostgresql,
  async (t) => {
    const { pool, abort, cancelled, transaction } = await begin(t);
    const committed = transaction.commit();
    abort.abort();
    await committed;
    transaction.close();
    t.same(cancelled, []);
    t.equal(pool.idleCount, 1);
  },
);

t.test('an abort before the commit cancels once and closes the connection', onPostgresql, async (t) => {
  const { pool, abort, cancelled, transaction } = await begin(t);
  abort.abort();
  await t.rejects(transaction.commit(), { name: 'AbortError' });
  transaction.close();
  transaction.close();
  t.equal(cancelled.length, 1);
  t.equal(pool.totalCount, 0);
});

t.test('an abort before the checkout of a connection keeps that connection open', onPostgresql, async (t) => {
  const options = await createTestDatabase(t);
  const database = await openDatabase({ ...options, streamPoolSize: 1, reportPoolSize: 1 });
  t.teardown(() => database.close());
  const lock = 'SELECT pg_advisory_xact_lock_shared(1)::text AS locked';
  const run = {
    reports: async (signal: AbortSignal) => {
      await database.queryReport(lock, [], { scope: allAccounts, signal });
    },
    streams: async (signal: AbortSignal) => {
      const query = Prisma.raw(lock);
      for await (const _chunk of database.streamCsv({ query, signal }));
    },
  };
  for (const [name, start] of Object.entries(run)) {
    const state = () => database.poolState().find(({ pool }) => pool === name);
    const other = await openTransaction(t, options);
    await other.query('SELECT pg_advisory_xact_lock(1)::text');
    const first = start(new AbortController().signal);
    await untilWaiting(database, 1);
    const abort = new AbortController();
    const second = start(abort.signal);
    await until(() => state()?.waiting === 1);
    abort.abort();
    second.catch(() => {});
    await other.end('COMMIT');
    await t.rejects(second, { name: 'AbortError' }, name);
    await first;
    t.match(state(), { total: 1, idle: 1, waiting: 0 }, name);
  }
});
