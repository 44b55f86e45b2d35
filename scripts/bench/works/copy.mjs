import { spawn } from 'node:child_process';
import { once } from 'node:events';

const cells = 'id, employee_number, first_name, last_name, email, status, department';

/** What the list shows of an employee. */
const stored = `${cells}, updated_at`;

/** What a report with all columns shows, with times as the API writes them. */
export const shown = `${cells},
  to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at`;

/**
 * Has psql copy an account's employees, in the order of the list, to where nobody reads them.
 *
 * @param {{ url: string }} database
 * @param {{ accountId: string }} owner
 * @param {{ columns?: string, format?: string }} [what] columns to select, and options of COPY
 */
export async function copyEmployees({ url }, { accountId }, { columns = stored, format = '' } = {}) {
  const query = `SELECT ${columns} FROM employees WHERE account_id = '${accountId}' ORDER BY employees.position`;
  const child = spawn(
    'psql',
    ['--no-psqlrc', '--quiet', '--command', `COPY (${query}) TO STDOUT ${format}`, url],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`psql ended with ${code}`);
}
