import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { insertEmployees } from '../database/employee-rows.mjs';

/** Employees that one change adds, and as many that it removes. */
const atOnce = 10;
const pauseMs = 5;

/**
 * Adds employees at the end of an account's list and removes others from all over it, until it is stopped.
 *
 * @param {{ url: string }} database
 * @param {import('../database/tenants.mjs').Tenant} owner the first tenant
 */
export async function startChanges({ url }, { accountId }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let stopping = false;
  let changed = 0;

  const change = async () => {
    const positions = Array.from({ length: atOnce }, () => Math.floor(Math.random() * 900_000));
    const removed = await client.query(
      'DELETE FROM employees WHERE account_id = $1 AND position = ANY ($2)',
      [accountId, positions],
    );
    await client.query('BEGIN');
    const { rows } = await client.query(
      'UPDATE accounts SET employee_sequence = employee_sequence + $2 WHERE id = $1 RETURNING employee_sequence AS next',
      [accountId, removed.rowCount],
    );
    const next = Number(rows[0].next);
    await client.query(insertEmployees, [1, 1, next - removed.rowCount, next - 1]);
    await client.query('COMMIT');
    changed += 2 * removed.rowCount;
  };

  const running = (async () => {
    while (!stopping) {
      await change();
      await wait(pauseMs);
    }
  })();
  // Whoever stops it hears of a failure; until then nobody listens.
  running.catch(() => {});
  return {
    count: () => changed,
    async stop() {
      stopping = true;
      await running.finally(() => client.end());
    },
  };
}
