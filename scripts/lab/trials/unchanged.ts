import { withClient } from '../kit/database/postgresql.js';
import type { Verdict } from './verdict.js';

/** The rows that no request may change, by table. $1 is a user, $2 an account, $3 a prefix of report ids. */
const rows: Readonly<Record<string, string>> = {
  accounts: 'SELECT * FROM accounts',
  employees: 'SELECT * FROM employees',
  employee_counts: 'SELECT * FROM employee_counts',
  employee_facets: 'SELECT * FROM employee_facets',
  employee_location_facets: 'SELECT * FROM employee_location_facets',
  users: 'SELECT * FROM users WHERE id <> $1',
  applications: 'SELECT * FROM applications',
  application_secrets: 'SELECT id, application_id, secret_hash, created_at FROM application_secrets',
  reports: 'SELECT * FROM reports WHERE account_id <> $2 OR starts_with(id, $3)',
  signing_keys: 'SELECT * FROM signing_keys',
};

/** The user and the account whose reports may change; seededPrefix: prefix of the ids of reports that must not change. */
interface Exempt {
  readonly userId: string;
  readonly accountId: string;
  readonly seededPrefix: string;
}

/** Hashes the rows that no request may change, by table. */
export function hashUnchanged(url: string, exempt: Exempt): Promise<Map<string, string>> {
  const given = [exempt.userId, exempt.accountId, exempt.seededPrefix];
  return withClient(url, async (client) => {
    const hashes = new Map<string, string>();
    for (const [table, text] of Object.entries(rows)) {
      // Every parameter must have a type, even if a statement does not use it.
      const result = await client.query(
        `SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS hash, $1::text, $2::text, $3::text
         FROM (${text}) AS t`,
        given,
      );
      hashes.set(table, result.rows[0].hash);
    }
    return hashes;
  });
}

/** Checks that the hashes are unchanged. */
export async function checkUnchanged({
  url,
  exempt,
  before,
  verdict,
}: {
  url: string;
  exempt: Exempt;
  before: ReadonlyMap<string, string>;
  verdict: Verdict;
}): Promise<void> {
  const after = await hashUnchanged(url, exempt);
  const changed = [...before.keys()].filter((table) => before.get(table) !== after.get(table));
  verdict.check(
    `no row changed that no request may change: ${changed.join(', ') || 'none'}`,
    changed.length === 0,
  );
}
