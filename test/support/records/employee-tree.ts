import type { Test } from 'tap';
import type { Database } from '../../../src/platform/database/client.js';
import { employeeId } from '../../../src/platform/database/ids.js';
import { query } from '../database/query.js';

/** Compares all maintained counts of employees with the counted rows. */
export async function checkTree(t: Test, database: Database): Promise<void> {
  const counted = `
    SELECT account_id, level, CASE level WHEN 4 THEN 0 ELSE position >> (6 * level + 6) END AS bucket,
      count(*)::int AS count
    FROM employees CROSS JOIN generate_series(0, 4) AS level GROUP BY 1, 2, 3`;
  const maintained = 'SELECT account_id, level::int, bucket, count FROM employee_counts';
  t.same(await difference(database, counted, maintained), []);
  t.same(
    await difference(
      database,
      'SELECT account_id, status, department, count(*)::int FROM employees GROUP BY 1, 2, 3',
      'SELECT account_id, status, department, count FROM employee_facets',
    ),
    [],
  );
  t.same(
    await difference(
      database,
      "SELECT account_id, coalesce(location, ''), count(*)::int FROM employees GROUP BY 1, 2",
      'SELECT account_id, location, count FROM employee_location_facets',
    ),
    [],
  );
  const employees = await database.prisma.employee.findMany({ include: { account: true } });
  t.ok(employees.every(({ id, position, account }) => id === employeeId(account.employeePrefix, position)));
}

function difference(database: Database, left: string, right: string): Promise<object[]> {
  return query(database, `((${left}) EXCEPT (${right})) UNION ALL ((${right}) EXCEPT (${left}))`);
}
