import { type DirectoryFilter, directoryQuery } from '../../../src/features/employees/directory.js';
import { employeeSelection } from '../../../src/features/employees/employee.js';
import { maximumMatches } from '../../../src/features/employees/employee-search.js';
import { pageQuery } from '../../../src/platform/database/page-query.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { planOf } from '../../support/database/query-plan.js';
import { createTenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const count = 40_000;
const size = 50;

const database = await openTestDatabase(t);
const { accountId } = await createTenant(database);

/** 20 departments, 10 locations and 10 statuses, whose names follow each other in the order of names. */
await asOwner(
  database,
  `INSERT INTO employees (id, account_id, position, employee_number, first_name, last_name, email, status, department, location)
  SELECT 'plan' || lpad(i::text, 8, '0'), $1, i, 'P' || i, 'First', 'Last' || lpad((i * 7919 % $2::int)::text, 8, '0'),
    'p' || i || '@plan.example', CASE WHEN i / 200 % 10 = 0 THEN 'on_leave' ELSE 'active' END,
    'Department ' || i % 20, 'Location ' || i / 20 % 10
  FROM generate_series(0, $2::int - 1) i`,
  accountId,
  count,
);
await asOwner(database, 'ANALYZE employees');

const department = 'Department 7';
const location = 'Location 3';
const status = 'on_leave';
const byName = ['lastName', 'firstName'].map((key) => ({ key: key as 'lastName', descending: false }));

const filters: Record<string, DirectoryFilter> = {
  'a department': { department },
  'a department and a status': { department, status },
  'a department and a location': { department, location },
  'a department, a status and a location': { department, status, location },
  'a location': { location },
};

const pageOf = (filter: DirectoryFilter, skip: number) =>
  pageQuery(directoryQuery(accountId, filter, null).inOrder(byName), employeeSelection, {
    size,
    start: { skip },
  });

for (const [name, filter] of Object.entries(filters)) {
  t.test(`the first page of ${name} by name does not read the other employees`, async (t) => {
    const { text, blocks } = await planOf(database, pageOf(filter, 0));
    t.notMatch(text, /Seq Scan/);
    t.ok(blocks > 0 && blocks < 800, `${blocks} blocks: ${text}`);
  });

  t.test(`counts the employees of ${name} from an index or from counts`, async (t) => {
    const query = directoryQuery(accountId, filter, null).countFound({ limit: maximumMatches });
    const { text, blocks } = await planOf(database, query);
    t.notMatch(text, /Seq Scan on employees/);
    t.ok(blocks > 0 && blocks < 300, `${blocks} blocks: ${text}`);
  });
}

t.test('page 30 of a department reads only employees of the department', async (t) => {
  const { blocks, text } = await planOf(database, pageOf({ department }, 29 * size));
  // Each employee is in a block of its own at most, besides those of the index.
  t.ok(blocks < 30 * size * 1.2 + 100, `${blocks} blocks: ${text}`);
});
