import type { Test } from 'tap';
import type { Database, DatabaseOptions, Prisma } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { until } from '../until.js';
import { asOwner } from './owner.js';

/** A transaction of another process. */
export interface OpenTransaction {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  end(how: 'COMMIT' | 'ROLLBACK'): Promise<void>;
}

/** Starts a transaction on a separate connection. It is rolled back if the test ends before it does. */
export async function openTransaction(t: Test, options: DatabaseOptions): Promise<OpenTransaction> {
  const other = await openDatabase({ ...options, poolSize: 1, statementTimeoutMs: 0 });
  const ending = deferred<'COMMIT' | 'ROLLBACK'>();
  const started = deferred<Prisma.TransactionClient>();
  const rolledBack = new Error('rolled back');
  const running = other.prisma.$transaction(
    async (tx) => {
      started.resolve(tx);
      if ((await ending.promise) === 'ROLLBACK') throw rolledBack;
    },
    { timeout: 600_000 },
  );
  running.catch(() => {});
  const tx = await started.promise;
  let isOpen = true;
  const end: OpenTransaction['end'] = async (how) => {
    if (!isOpen) return;
    isOpen = false;
    ending.resolve(how);
    await running.catch((error: unknown) => {
      if (error !== rolledBack) throw error;
    });
    await other.close();
  };
  t.teardown(() => end('ROLLBACK'));
  return { query: (text, values = []) => tx.$queryRawUnsafe(text, ...values), end };
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Resolves when this many statements of this database wait for a lock. */
export async function untilWaiting(database: Database, count: number): Promise<void> {
  await until(async () => (await waitingStatements(database)) >= count);
}

/** Number of statements of this database that wait for a lock. */
export async function waitingStatements(database: Database): Promise<number> {
  const [row] = await asOwner<{ waiting: number }>(
    database,
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}
