import { test } from 'tap';
import { Prisma } from '../../src/database/client.js';
import type { EmployeeSortKey } from '../../src/services/employees/employee.js';
import { type EmployeeListRequest, employeePageQuery } from '../../src/services/employees/list-employees.js';
import { openTestDatabase } from '../support/database.js';
import { asOwner } from '../support/owner.js';
import { createTenant, makeEmployees } from '../support/tenant.js';

const sortKeys: EmployeeSortKey[] = [
  'employeeNumber',
  'firstName',
  'lastName',
  'email',
  'status',
  'department',
  'updatedAt',
];

test('reads a page from an index, never by sorting the account', async (t) => {
  const database = await openTestDatabase(t);
  const { accountId } = await createTenant(database, { employees: makeEmployees(5000) });
  await asOwner(database, 'ANALYZE employees');

  const first: EmployeeListRequest = { filter: {}, sort: [], size: 50, from: { skip: 0 } };
  const requests: Record<string, EmployeeListRequest> = {
    'the first page': first,
    'a page in the middle': { ...first, from: { skip: 2500 } },
    'a page after a marker': { ...first, from: { anchor: { values: [], position: 2500 } } },
    'a page by status': { ...first, filter: { status: 'active' } },
    'a page by department': { ...first, filter: { department: 'Sales' } },
  };
  for (const key of sortKeys) {
    for (const descending of [false, true]) {
      requests[`a page ordered by ${key}${descending ? ' descending' : ''}`] = {
        ...first,
        sort: [{ key, descending }],
      };
    }
  }
  for (const [name, request] of Object.entries(requests)) {
    const rows = await database.prisma.$queryRaw<{ 'QUERY PLAN': string }[]>(
      Prisma.sql`EXPLAIN ${employeePageQuery(accountId, request)}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    t.match(plan, /Index Scan/, name);
    // An incremental sort is fine: it orders only records that are equal in the first key.
    t.notMatch(plan, /Seq Scan on employees|^\s*(->)?\s*Sort {2}\(/m, name);
  }
});
