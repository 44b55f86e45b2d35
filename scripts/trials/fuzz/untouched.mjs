import { withClient } from '../../bench/database/server.mjs';

/** Tables of which the fuzz may change some rows only: those that are not among them, as one text. */
const rows = {
  accounts: 'SELECT * FROM accounts',
  employees: 'SELECT * FROM employees',
  employee_counts: 'SELECT * FROM employee_counts',
  employee_facets: 'SELECT * FROM employee_facets',
  users: 'SELECT * FROM users WHERE id <> $1',
  applications: 'SELECT * FROM applications',
  application_secrets: 'SELECT id, application_id, secret_hash, created_at FROM application_secrets',
  reports: 'SELECT * FROM reports WHERE account_id <> $2 OR starts_with(id, $3)',
  signing_keys: 'SELECT * FROM signing_keys',
};

/**
 * A hash of everything that no request of the fuzz has a right to change, by table.
 *
 * @param {string} url
 * @param {{ userId: string, accountId: string, seeds: string }} fuzz whose user and reports may change; seeds: how the
 *   ids of reports begin that may not
 */
export function hashUntouched(url, { userId, accountId, seeds }) {
  const given = [userId, accountId, seeds];
  return withClient(url, async (client) => {
    const hashes = {};
    for (const [table, text] of Object.entries(rows)) {
      const values = given.map((value, index) => (text.includes(`$${index + 1}`) ? value : undefined));
      const numbered = values.filter((value) => value !== undefined);
      const query = renumber(text);
      const result = await client.query(
        `SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS hash FROM (${query}) AS t`,
        numbered,
      );
      hashes[table] = result.rows[0].hash;
    }
    return hashes;
  });
}

/** Placeholders count from 1 in each statement. */
function renumber(text) {
  const found = [...new Set(text.match(/\$\d/g))];
  return text.replaceAll(/\$\d/g, (name) => `$${found.indexOf(name) + 1}`);
}
