import { withClient } from '../database/server.mjs';

const attributes = `jsonb_build_object(
  'employee_number', employee_number, 'first_name', first_name, 'last_name', last_name, 'email', email,
  'status', status, 'department', department,
  'updated_at', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

/**
 * What the database says about employees, as the API shows them.
 *
 * @param {{ url: string }} database
 * @param {string[]} accountIds
 * @param {number[]} positions
 * @returns {Promise<Map<string, { id: string, type: string, attributes: object }[]>>} by account, in order of position
 */
export function readEmployees({ url }, accountIds, positions) {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT account_id, jsonb_agg(jsonb_build_object('id', id, 'type', 'employees', 'attributes', ${attributes})
                ORDER BY position) AS employees
       FROM employees WHERE account_id = ANY ($1) AND position = ANY ($2) GROUP BY account_id`,
      [accountIds, positions],
    );
    return new Map(rows.map(({ account_id: accountId, employees }) => [accountId, employees]));
  });
}
