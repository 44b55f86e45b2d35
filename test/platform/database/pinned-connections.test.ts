import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import type pg from 'pg';
import { createConflictRetry } from '../../../src/platform/database/postgresql/conflict-retry.js';
import { ScopedPool } from '../../../src/platform/database/postgresql/scoped-pool.js';
import { TransactionSettings } from '../../../src/platform/database/postgresql/transaction-settings.js';
import { allAccounts } from '../../../src/platform/database/scope.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { administrativeUrlOf } from '../../support/database/direct-url.js';
import { patienceMs } from '../../support/patience.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database has one session' };

async function openPool(t: Test, max: number) {
  const { databaseUrl } = await createTestDatabase(t);
  const pool = new ScopedPool({
    // A pooler shares server processes between connections.
    connectionString: administrativeUrlOf(String(databaseUrl)),
    max,
    settings: new TransactionSettings({}),
    defaultScope: allAccounts,
    retry: createConflictRetry(undefined),
    // A connection that is not returned fails the test instead of blocking it.
    connectionTimeoutMillis: patienceMs,
    // The driver then adds a callback of its own.
    query_timeout: patienceMs,
  });
  const errors: Error[] = [];
  pool.on('error', (error) => errors.push(error));
  t.teardown(() => (pool.ended ? undefined : pool.end()));
  return { pool, errors };
}

async function processOf(queryable: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await queryable.query<{ id: string }>('SELECT pg_backend_pid()::text AS id');
  return Number(rows[0]?.id);
}

t.test('statements leave half of the connections ready and use them again', onPostgresql, async (t) => {
  const { pool } = await openPool(t, 4);
  const used = new Set(await Promise.all(Array.from({ length: 4 }, () => processOf(pool))));
  t.equal(used.size, 4);
  t.equal(pool.idleCount, 2);
  t.equal(pool.availableCount, 4);
  t.ok(used.has(await processOf(pool)));
  t.equal(pool.totalCount, 4);
});

t.test('transactions check out the connections that statements left ready', onPostgresql, async (t) => {
  const { pool } = await openPool(t, 4);
  await Promise.all(Array.from({ length: 4 }, () => processOf(pool)));
  const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
  t.equal(pool.availableCount, 0);
  const waiting = processOf(pool);
  // A statement waits for a connection.
  await until(() => pool.waitingCount === 1);
  for (const client of clients) client.release();
  t.ok(await waiting);
});

t.test('a pool of one connection serves statements and transactions', onPostgresql, async (t) => {
  const { pool } = await openPool(t, 1);
  await processOf(pool);
  const client = await pool.connect();
  const statements = [processOf(pool), processOf(pool)];
  client.release();
  t.equal(new Set(await Promise.all(statements)).size, 1);
});

t.test('a ready connection that the server closes is reported and replaced', onPostgresql, async (t) => {
  const { pool, errors } = await openPool(t, 2);
  const lost = await processOf(pool);
  t.equal(pool.idleCount, 0, 'the connection is ready');
  const other = await pool.connect();
  await other.query('SELECT pg_terminate_backend($1::integer)', [lost]);
  other.release();
  await until(() => errors.length > 0);
  t.equal(errors.length, 1);
  t.equal(pool.totalCount, 1);
  t.not(await processOf(pool), lost);
});

t.test('a pool with ready connections closes', onPostgresql, async (t) => {
  const { pool } = await openPool(t, 4);
  await Promise.all(Array.from({ length: 3 }, () => processOf(pool)));
  await pool.end();
  t.equal(pool.totalCount, 0);
  await t.rejects(processOf(pool), /after calling end/);
});

t.test(
  'rows are collected with the young generation once their statement has ended',
  onPostgresql,
  async (t) => {
    const { pool } = await openPool(t, 1);
    v8.setFlagsFromString('--expose-gc');
    const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
    const statement = { name: 'long_text', text: `SELECT repeat('x', $1::integer) AS text` };
    const length = 100_000;
    const read = async () => {
      const [row] = await pool.runPrepared<{ text: string }>(statement, [String(length)], allAccounts);
      return row?.text.length;
    };
    const run = async () => {
      t.equal(await read(), length);
      // The second collection moves what is still referenced to the old generation.
      for (let time = 0; time < 2; time += 1) collect({ type: 'minor' });
    };
    for (let count = 0; count < 5; count += 1) await run();
    const before = oldBytes();
    for (let count = 0; count < 50; count += 1) await run();
    const grown = oldBytes() - before;
    t.ok(grown < 20 * length, `50 texts of ${length} bytes left ${grown} bytes`);
  },
);

/** Bytes that only a full garbage collection frees. */
function oldBytes(): number {
  return v8
    .getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'old_space' || name === 'large_object_space')
    .reduce((sum, space) => sum + space.space_used_size, 0);
}
