import t from 'tap';
import { toAccountId } from '../../src/services/account-id.js';
import { EmployeeResources } from '../../src/services/employees/employee-resources.js';
import { openTestDatabase, testServer } from '../support/database.js';
import { pageById } from '../support/employee-page.js';
import { query } from '../support/query.js';
import { createTenant, makeEmployees } from '../support/tenant.js';

const database = await openTestDatabase(t);
const resources = new EmployeeResources(database);
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

/** What the slow and obvious way says of a slice. */
async function expectedSlice({ accountId, size, from }: Parameters<EmployeeResources['slice']>[0]) {
  const { employees, recordCount, next } = await pageById(database, accountId, { size, from });
  return {
    resources: employees.map((employee) => ({
      id: employee.id,
      type: 'employees',
      attributes: {
        employee_number: employee.employeeNumber,
        first_name: employee.firstName,
        last_name: employee.lastName,
        email: employee.email,
        status: employee.status,
        department: employee.department,
        updated_at: employee.updatedAt.toISOString(),
      },
    })),
    count: employees.length,
    recordCount,
    next,
  };
}

t.test('slices that are asked for together are those that the plain queries give', async (t) => {
  const requests = tenants.flatMap(({ accountId }) =>
    [10, 50, 500].flatMap((size) => [
      ...[0, 1, 9, 10, 11, 59, 60, 1000].map((skip) => ({ accountId, size, from: { skip } })),
      ...[0, 5, 9, 10, 58, 59, 1000].map((position) => ({ accountId, size, from: { position } })),
    ]),
  );
  const slices = await Promise.all(requests.map((request) => resources.slice(request)));
  for (const [index, request] of requests.entries()) {
    const slice = slices[index];
    const found = slice && { ...slice, resources: JSON.parse(`[${slice.resources}]`) };
    t.same(found, await expectedSlice(request), JSON.stringify(request));
  }
});

t.test('a size that no statement was prepared for is left to the plain queries', async (t) => {
  const [{ accountId }] = tenants as [(typeof tenants)[0]];
  t.equal(resources.slice({ accountId, size: 7, from: { skip: 0 } }), undefined);
});

t.test('records that are asked for together are found in their own account only', async (t) => {
  const asked = tenants.flatMap(({ accountId }) =>
    [...tenants.flatMap(({ employeeIds }) => employeeIds), 'unknown', "' OR 1=1 --", '{}', 'NULL'].map(
      (id) => ({
        accountId,
        id,
      }),
    ),
  );
  const answers = await Promise.all(asked.map(({ accountId, id }) => resources.find(accountId, id)));
  for (const [index, { accountId, id }] of asked.entries()) {
    const own = tenants.find((tenant) => tenant.accountId === accountId)?.employeeIds.includes(id);
    const answer = answers[index] ?? null;
    if (own) t.equal(JSON.parse(answer ?? '{}').id, id);
    else t.equal(answer, null, `${id} is not of ${accountId}`);
  }
});

t.test('an account that does not exist has nothing, and takes nothing from the others', async (t) => {
  const [, , { accountId }] = tenants as never as [unknown, unknown, (typeof tenants)[0]];
  const [nobody, somebody] = await Promise.all([
    resources.slice({ accountId: toAccountId('nobody'), size: 10, from: { skip: 0 } }),
    resources.slice({ accountId, size: 10, from: { skip: 0 } }),
  ]);
  t.same(nobody, { resources: '', count: 0, recordCount: 0, next: null });
  t.equal(somebody?.recordCount, 9);
});

t.test(
  'its statements are planned once a connection, not once a call',
  {
    skip: testServer === undefined,
  },
  async (t) => {
    const single = await openTestDatabase(t, { poolSize: 1 });
    const { accountId, employeeIds } = await createTenant(single, { employees: makeEmployees(60) });
    const reader = new EmployeeResources(single);
    // Five times the database plans for the very values, and then compares.
    for (let count = 0; count < 10; count += 1) {
      await reader.slice({ accountId, size: 10, from: { skip: count } });
      await reader.find(accountId, employeeIds[count] ?? '');
    }
    const statements = await query<{ generic: number }>(
      single,
      `SELECT generic_plans::int AS generic FROM pg_prepared_statements WHERE statement LIKE '%AS request (%'`,
    );
    t.equal(statements.length, 2);
    for (const { generic } of statements) t.equal(generic, 5);
  },
);
