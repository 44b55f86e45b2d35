import {
  employeeById,
  employeePage,
  type PageKey,
} from '../../src/features/employees/employee-statements.js';
import { toAccountId } from '../../src/platform/accounts/account-id.js';
import { openTestDatabase, testServer } from '../support/database/database.js';
import { query } from '../support/database/query.js';
import { attributesOf } from '../support/records/employee-attributes.js';
import { pageById } from '../support/records/employee-page.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const find = employeeById(database);
const readPage = employeePage(database);
const hostile = ['"', '\\', '\n\t\u0001', '</script>', "'); --", 'Zoë 🏳️‍🌈', '%s $1 {}', '\u2028', ''];
const tenants = await Promise.all(
  [0, 1, 9, 10, 11, 60].map((count) =>
    createTenant(database, {
      employees: makeEmployees(count).map((employee, index) => ({
        ...employee,
        lastName: `${hostile[index % hostile.length]}${index}`,
        updatedAt: new Date(Date.UTC(2026, 0, 1 + index, 23, 59, 59, index % 1000)),
      })),
    }),
  ),
);

/** Reads the page with the models. */
async function expectedPage({ accountId, size, from }: PageKey) {
  const { employees, recordCount, next } = await pageById(database, accountId, { size, from });
  return {
    resources: employees.map((employee) => ({
      id: employee.id,
      type: 'employees',
      attributes: attributesOf(employee),
    })),
    count: employees.length,
    recordCount,
    next,
  };
}

t.test('pages that share a statement equal those that the models read', async (t) => {
  const requests = tenants.flatMap(({ accountId }) =>
    [1, 7, 10, 50, 500].flatMap((size) => [
      ...[0, 1, 9, 10, 11, 59, 60, 1000].map((skip) => ({ accountId, size, from: { skip } })),
      ...[0, 5, 9, 10, 58, 59, 1000].map((position) => ({ accountId, size, from: { position } })),
    ]),
  );
  const pages = await Promise.all(requests.map((request) => readPage(request)));
  for (const [index, request] of requests.entries()) {
    const page = pages[index];
    const found = page && { ...page, resources: JSON.parse(`[${page.resources}]`) };
    t.same(found, await expectedPage(request), JSON.stringify(request));
  }
});

t.test('employees that share a statement are found in their own account only', async (t) => {
  const keys = tenants.flatMap(({ accountId }) =>
    [...tenants.flatMap(({ employeeIds }) => employeeIds), 'unknown', "' OR 1=1 --", '{}', 'NULL'].map(
      (id) => ({
        accountId,
        id,
      }),
    ),
  );
  const responses = await Promise.all(keys.map((key) => find(key)));
  for (const [index, { accountId, id }] of keys.entries()) {
    const own = tenants.find((tenant) => tenant.accountId === accountId)?.employeeIds.includes(id);
    const response = responses[index] ?? null;
    if (own) t.equal(JSON.parse(response ?? '{}').id, id);
    else t.equal(response, null, `${id} is not of ${accountId}`);
  }
});

t.test('an unknown account has no employees, and does not change the result of others', async (t) => {
  const [, , { accountId }] = tenants as never as [unknown, unknown, (typeof tenants)[0]];
  const [nobody, somebody] = await Promise.all([
    readPage({ accountId: toAccountId('nobody'), size: 10, from: { skip: 0 } }),
    readPage({ accountId, size: 10, from: { skip: 0 } }),
  ]);
  t.same(nobody, { resources: '', count: 0, recordCount: 0, next: null });
  t.equal(somebody?.recordCount, 9);
});

t.test(
  'statements are planned once for each connection, not for each call',
  {
    skip: testServer === undefined,
  },
  async (t) => {
    const single = await openTestDatabase(t, { poolSize: 1, direct: true });
    const { accountId, employeeIds } = await createTenant(single, { employees: makeEmployees(60) });
    const [findAlone, readAlone] = [employeeById(single), employeePage(single)];
    // PostgreSQL makes custom plans for the first five executions, and then compares them with a generic plan.
    for (let count = 0; count < 10; count += 1) {
      await readAlone({ accountId, size: 10, from: { skip: count } });
      await findAlone({ accountId, id: employeeIds[count] ?? '' });
    }
    const statements = await query<{ generic: number }>(
      single,
      `SELECT generic_plans::int AS generic FROM pg_prepared_statements WHERE name LIKE 'employee\\_%'`,
    );
    // On a distributed database, a separate statement reads the total.
    t.equal(statements.length, single.isDistributed() ? 3 : 2);
    t.ok(statements.every(({ generic }) => generic === 5));
  },
);
