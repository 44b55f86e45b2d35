import { directoryQuery } from '../../../src/features/employees/directory.js';
import { employeeSelection } from '../../../src/features/employees/employee.js';
import { maximumMatches } from '../../../src/features/employees/employee-search.js';
import { sharedEmail, withoutManager } from '../../../src/features/employees/index.js';
import { figuresQuery } from '../../../src/features/home/home-figures.js';
import { pageQuery } from '../../../src/platform/database/page-query.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { planOf } from '../../support/database/query-plan.js';
import { createTenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const count = 40_000;
const month = '2026-11';

const database = await openTestDatabase(t);
const { accountId } = await createTenant(database);

/** Each tenth employee has no manager, and each hundredth the address of another. */
await asOwner(
  database,
  `INSERT INTO employees (id, account_id, position, employee_number, first_name, last_name, email, status, department,
    hire_date, manager_id)
  SELECT 'plan' || lpad(i::text, 8, '0'), $1, i, 'P' || i, 'First', 'Last' || lpad((i * 7919 % $2::int)::text, 8, '0'),
    'p' || CASE WHEN i % 100 = 1 THEN i - 1 ELSE i END || '@plan.example', 'active', 'Department ' || i % 20,
    date '2020-01-01' + i % 2600, CASE WHEN i % 10 > 0 THEN 'plan00000000' END
  FROM generate_series(0, $2::int - 1) i`,
  accountId,
  count,
);
await asOwner(database, 'ANALYZE employees');
const [table] = await database.prisma.$queryRaw<[{ blocks: number }]>`
  SELECT pg_relation_size('employees')::int / 8192 AS blocks`;

t.test('Home reads the records of an account once, and its addresses once', async (t) => {
  const [figures] = await database.prisma.$queryRaw<Record<string, number>[]>(figuresQuery(accountId, month));
  t.match(figures, { total: count, withoutManager: count / 10, sharedAddresses: count / 100 });
  const { text, blocks } = await planOf(database, figuresQuery(accountId, month));
  t.ok(blocks < table.blocks * 2.5, `${blocks} blocks for a table of ${table.blocks}: ${text}`);
});

t.test('the directory reads the addresses once, and then the employees who share one', async (t) => {
  const rows = directoryQuery(accountId, { only: sharedEmail }, null).inOrder([
    { key: 'lastName', descending: false },
  ]);
  const page = pageQuery(rows, employeeSelection, { size: 25, start: { skip: 0 } });
  const { blocks, text } = await planOf(database, page);
  // Two employees for each shared address, with the blocks of an index.
  t.ok(
    blocks < table.blocks * 1.5 + (count / 100) * 2 * 4,
    `${blocks} blocks for a table of ${table.blocks}: ${text}`,
  );
});

t.test('nothing is read of an account with more than 100,000 employees', async (t) => {
  await asOwner(
    database,
    'UPDATE employee_counts SET count = 100001 WHERE account_id = $1 AND level = 4',
    accountId,
  );
  const queries = {
    Home: figuresQuery(accountId, month),
    'the directory': directoryQuery(accountId, { only: withoutManager }, null).countFound({
      limit: maximumMatches,
    }),
  };
  for (const [name, query] of Object.entries(queries)) {
    const { blocks, text } = await planOf(database, query);
    t.ok(blocks > 0 && blocks < 50, `${name}: ${blocks} blocks: ${text}`);
  }
});
