import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { insertEmployees } from '../../kit/database/employee-rows.js';
import type { Database } from '../../kit/database/postgresql.js';
import type { Tenant } from '../../kit/database/tenants.js';

/** Maximum number of employees that one change removes and adds. */
const atOnce = 10;
const pauseMs = 5;

/** Removes employees throughout the list of the first tenant, and adds as many at its end, until it is stopped. */
export async function startChanges({ url }: Database, { accountId }: Tenant) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let stopping = false;
  let changed = 0;

  const change = async () => {
    const positions = Array.from({ length: atOnce }, () => Math.floor(Math.random() * 900_000));
    const { rowCount } = await client.query(
      'DELETE FROM employees WHERE account_id = $1 AND position = ANY ($2)',
      [accountId, positions],
    );
    const removed = rowCount ?? 0;
    await client.query('BEGIN');
    const { rows } = await client.query(
      'UPDATE accounts SET employee_sequence = employee_sequence + $2 WHERE id = $1 RETURNING employee_sequence AS next',
      [accountId, removed],
    );
    const next = Number(rows[0].next);
    await client.query(insertEmployees, [1, 1, next - removed, next - 1]);
    await client.query('COMMIT');
    changed += 2 * removed;
  };

  const running = (async () => {
    while (!stopping) {
      await change();
      await wait(pauseMs);
    }
  })();
  // stop() throws the error; an unhandled rejection would end the process before that.
  running.catch(() => {});
  return {
    count: () => changed,
    async stop() {
      stopping = true;
      await running.finally(() => client.end());
    },
  };
}
