import type { Test } from 'tap';
import type { Database, DatabaseOptions } from '../../src/database/client.js';
import { openDatabase } from '../../src/database/open-database.js';
import { asOwner } from './owner.js';

/** Another process, in the middle of a transaction. */
export interface OpenTransaction {
  readonly query: Database['query'];
  end(how: 'COMMIT' | 'ROLLBACK'): Promise<void>;
}

/** Begins a transaction on a connection of its own; it is rolled back when the test ends before it does. */
export async function openTransaction(t: Test, options: DatabaseOptions): Promise<OpenTransaction> {
  const other = await openDatabase({ ...options, poolSize: 1, statementTimeoutMs: 10_000 });
  await other.query('BEGIN');
  let open = true;
  const end: OpenTransaction['end'] = async (how) => {
    if (!open) return;
    open = false;
    await other.query(how);
    await other.close();
  };
  t.teardown(() => end('ROLLBACK'));
  return { query: other.query.bind(other), end };
}

/** Resolves as soon as so many statements of this database wait for a lock. */
export async function untilWaiting(database: Database, count: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    if ((await waitingStatements(database)) >= count) return;
  }
  throw new Error(`Not ${count} statements wait for a lock`);
}

/** How many statements of this database wait for a lock. */
export async function waitingStatements(database: Database): Promise<number> {
  const [row] = await asOwner<{ waiting: number }>(
    database,
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}
