import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '../../kit/database/postgresql.js';
import type { Random } from '../../kit/random.js';

/** Employees of the seed have lower positions. */
const firstPosition = 1_000;

interface Writing {
  readonly url: string;
  readonly accountIds: readonly string[];
  readonly writers: number;
  readonly changes: number;
  /** Minimum duration of the changes. */
  readonly milliseconds: number;
  readonly random: Random;
}

/** Employees that a writer added. */
type Added = { readonly accountId: string; readonly position: number }[];

/** Adds, changes and deletes employees of all accounts with several writers. Each change is a transaction and an event. */
export async function changeEmployees({ url, writers, changes, milliseconds, random, accountIds }: Writing) {
  const startedAt = Date.now();
  let made = 0;
  await Promise.all(
    Array.from({ length: writers }, () =>
      withClient(url, async (client) => {
        // PostgreSQL is not killed, so commits need not wait for the disk.
        await client.query('SET synchronous_commit = off');
        const added: Added = [];
        while (made < changes) {
          made += 1;
          const number = made;
          await wait(Math.max(0, startedAt + (milliseconds * number) / changes - Date.now()));
          await change(client, { added, accountId: random.pick(accountIds), number, random });
        }
      }),
    ),
  );
  return { changes: made, milliseconds: Date.now() - startedAt };
}

async function change(
  client: pg.Client,
  { added, accountId, number, random }: { added: Added; accountId: string; number: number; random: Random },
): Promise<void> {
  const kind = added.length === 0 ? 'add' : random.weighted({ add: 3, update: 5, remove: 2 });
  if (kind === 'add') {
    const position = firstPosition + number;
    await client.query(
      `INSERT INTO employees (id, account_id, position, employee_number, first_name, last_name, email, status, department)
       VALUES ($1 || 'w' || $2::text, $1, $2::int, 'W' || $2::text, 'Ada', 'Writer', $2::text || '@writers.example', 'active', 'Sales')`,
      [accountId, position],
    );
    added.push({ accountId, position });
    return;
  }
  const index = random.upTo(added.length);
  const employee = added[index];
  const values = [employee.accountId, employee.position];
  if (kind === 'update') {
    await client.query(
      `UPDATE employees SET department = 'Department ' || $3::text, updated_at = now()
       WHERE account_id = $1 AND position = $2`,
      [...values, number],
    );
    return;
  }
  await client.query('DELETE FROM employees WHERE account_id = $1 AND position = $2', values);
  added.splice(index, 1);
}
