import pg from 'pg';
import { createConflictRetry } from '../../../src/platform/database/postgresql/conflict-retry.js';
import { ScopedPrismaPg } from '../../../src/platform/database/postgresql/prisma-adapters.js';
import { ScopedPool } from '../../../src/platform/database/postgresql/scoped-pool.js';

import { TransactionSettings } from '../../../src/platform/database/postgresql/transaction-settings.js';
import { accountScope } from '../../../src/platform/database/scope.js';
import { cancelEndless, endless } from '../../support/database/cancel.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import t, { type Test } from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database has one session' };

const scope = accountScope('acme');
const current = `SELECT pg_backend_pid()::text AS process, current_setting('app.accounts', true) AS scope,
  current_setting('role') AS role, current_setting('statement_timeout') AS timeout`;
const set = [scope, 'people_api_tenant', '123456ms'];

/** One connection with settings, and Prisma's adapter of it. */
async function connect(t: Test) {
  const { databaseUrl } = await createTestDatabase(t);
  const settings = new TransactionSettings({ statement_timeout: '123456' });
  settings.role = 'people_api_tenant';
  const retry = createConflictRetry(undefined);
  const pool = new ScopedPool({
    connectionString: databaseUrl,
    max: 1,
    settings,
    defaultScope: scope,
    retry,
  });
  // The session of a closed connection may still exist when the database is dropped.
  pool.on('error', () => {});
  t.teardown(() => pool.end());
  const adapter = await new ScopedPrismaPg(pool, settings, scope).connect();
  /** Starts a transaction through the adapter, and ends it as Prisma does. */
  const transaction = async (statement: string, end: 'COMMIT' | 'ROLLBACK') => {
    const started = await adapter.startTransaction();
    try {
      return (await started.queryRaw({ sql: statement, args: [], argTypes: [] })).rows[0];
    } finally {
      await started.executeRaw({ sql: end, args: [], argTypes: [] });
      await started.commit();
    }
  };
  return { settings, pool, adapter, transaction, databaseUrl };
}

/** The settings of a session between its transactions. */
async function settingsBetween(pool: pg.Pool): Promise<unknown[]> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query({ text: current, rowMode: 'array' });
    return rows[0] ?? [];
  } finally {
    client.release();
  }
}

t.test(
  'settings are reset at the end of their transaction, and the session stays open',
  onPostgresql,
  async (t) => {
    const { pool, settings, transaction } = await connect(t);
    const ways: Record<string, () => Promise<unknown>> = {
      statement: async () => Object.values((await pool.query(current)).rows[0]),
      'prepared statement': async () =>
        Object.values((await pool.runPrepared({ name: 'current', text: current }, [], scope))[0] ?? {}),
      transaction: () => transaction(current, 'COMMIT'),
      'transaction that is rolled back': () => transaction(current, 'ROLLBACK'),
      'transaction of a report': async () => {
        const client = await pool.connect();
        await settings.begin(client, scope, 'BEGIN READ ONLY');
        const { rows } = await client.query({ text: current, rowMode: 'array' });
        await client.query('COMMIT');
        client.release();
        return rows[0];
      },
    };
    for (const [name, way] of Object.entries(ways)) {
      const [process, ...inside] = (await way()) as string[];
      t.same(inside, set, name);
      const [sameProcess, ...after] = await settingsBetween(pool);
      t.same(sameProcess, process, `${name}: the same session`);
      t.same(after, ['', 'none', '0'], `after a ${name}`);
    }
  },
);

t.test('settings are reset when their transaction fails', onPostgresql, async (t) => {
  const { pool, transaction, databaseUrl } = await connect(t);
  const other = new pg.Client({ connectionString: databaseUrl });
  await other.connect();
  t.teardown(() => other.end());
  const failing = 'SELECT (1 / count(*))::text FROM accounts';
  const ways: Record<string, () => Promise<unknown>> = {
    statement: () => pool.query(failing),
    'prepared statement': () => pool.runPrepared({ name: 'failing', text: failing }, [], scope),
    'statement that does not parse': () => pool.query('SELECT FROM FROM'),
    transaction: () => transaction(failing, 'ROLLBACK'),
    'statement that takes too long': async () => {
      const statement = pool.query(`SELECT ${endless}`);
      statement.catch(() => {});
      await cancelEndless(async (text) => (await other.query(text)).rows);
      await statement;
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    await t.rejects(way(), name);
    const [, accounts, ...after] = await settingsBetween(pool);
    t.notOk(accounts, `${name}: scope`);
    t.same(after, ['none', '0'], name);
    t.equal(pool.totalCount, pool.idleCount, `${name}: the connection is released`);
  }
});

t.test(
  'a transaction whose settings are rejected is rolled back before its connection is released',
  onPostgresql,
  async (t) => {
    const { pool, settings, adapter } = await connect(t);
    const { role } = settings;
    settings.role = 'no_such_role';
    await t.rejects(adapter.startTransaction(), { name: 'DriverAdapterError' });
    settings.role = role;
    t.equal(pool.totalCount, pool.idleCount, 'the connection is released');
    t.match((await pool.query('SELECT 1 AS one')).rows, [{ one: 1 }], 'the new one is accepted');
  },
);

t.test('a value that cannot be serialized fails its statement only', onPostgresql, async (t) => {
  const { pool } = await connect(t);
  const values: unknown[] = [{ size: 1n }];
  await t.rejects(pool.query({ text: 'SELECT $1::text', values }), TypeError);
  t.match((await pool.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
  t.equal(pool.totalCount, pool.idleCount);
});
