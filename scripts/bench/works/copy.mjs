import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What both the list and a report with all columns show of an employee. */
const columns = 'id, employee_number, first_name, last_name, email, status, department, updated_at';

/**
 * Has psql copy an account's employees, in the order of the list, to where nobody reads them.
 *
 * @param {{ url: string }} database
 * @param {{ accountId: string }} owner
 * @param {string} [format] options of COPY
 */
export async function copyEmployees({ url }, { accountId }, format = '') {
  const query = `SELECT ${columns} FROM employees WHERE account_id = '${accountId}' ORDER BY position`;
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
