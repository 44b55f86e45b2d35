import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Database } from '../../kit/database/postgresql.js';
import type { Tenant } from '../../kit/database/tenants.js';

const columns = 'id, employee_number, first_name, last_name, email, status, department';

/** The columns of a list. */
const stored = `${columns}, updated_at`;

/** The columns of a report, with timestamps as the API writes them. */
export const formatted = `${columns},
  to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at`;

/**
 * Copies the employees of an account with psql, in the order of the list, and discards the output.
 *
 * @param what columns, and options of COPY
 */
export async function copyEmployees(
  { url }: Database,
  { accountId }: Tenant,
  { columns = stored, format = '' } = {},
): Promise<void> {
  const query = `SELECT ${columns} FROM employees WHERE account_id = '${accountId}' ORDER BY employees.position`;
  const args = ['--no-psqlrc', '--quiet', '--command', `COPY (${query}) TO STDOUT ${format}`, url];
  const child = spawn('psql', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`psql exited with ${code}`);
}
