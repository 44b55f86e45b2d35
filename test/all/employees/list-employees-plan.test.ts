import type { EmployeeMember } from '../../../src/features/employees/employee.js';
import { type EmployeeFilter, filterConditions } from '../../../src/features/employees/employee-filter.js';
import { EmployeeQuery, type EmployeeSort } from '../../../src/features/employees/employee-query.js';
import { Prisma } from '../../../src/platform/database/client.js';
import { type PageStart, pageQuery } from '../../../src/platform/database/page-query.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const sortKeys: EmployeeMember[] = [
  'employeeNumber',
  'firstName',
  'lastName',
  'email',
  'status',
  'department',
  'updatedAt',
];

interface Request {
  readonly filter: EmployeeFilter;
  readonly sort: readonly EmployeeSort[];
  readonly start: PageStart;
}

t.test('reads a page from an index, never by sorting the account', async (t) => {
  const database = await openTestDatabase(t);
  const { accountId } = await createTenant(database, { employees: makeEmployees(5000) });
  const middle = await database.prisma.employee.findFirstOrThrow({ where: { accountId, position: 2500 } });
  await asOwner(database, 'ANALYZE employees');

  const first: Request = { filter: {}, sort: [], start: { skip: 0 } };
  const requests: Record<string, Request> = {
    'the first page': first,
    'a page in the middle': { ...first, start: { skip: 2500 } },
    'a page after a cursor': { ...first, start: { anchor: ['2500'] } },
    'a page by status': { ...first, filter: { status: ['active'] } },
    'a page by e-mail address': { ...first, filter: { email: [middle.email.toUpperCase()] } },
    'a page by department': { ...first, filter: { department: ['Sales'] } },
  };
  for (const key of sortKeys) {
    for (const descending of [false, true]) {
      const order = `${key}${descending ? ' descending' : ''}`;
      const sort: EmployeeSort[] = [{ key, descending }];
      const value = key === 'updatedAt' ? middle.updatedAt.toISOString() : String(middle[key]);
      const start = { anchor: [value, '2500'] };
      requests[`a page ordered by ${order}`] = { ...first, sort };
      requests[`a page after a cursor, ordered by ${order}`] = { filter: {}, sort, start };
      // Few employees of a status follow the cursor, so sorting them is cheap.
      if (key === 'status' || key === 'department') continue;
      // No index has the id in this direction.
      const otherWay: EmployeeSort = { key: 'id', descending: !descending };
      requests[`a page after a cursor, ordered by ${order}, then by id in the opposite direction`] = {
        filter: {},
        sort: [...sort, otherWay],
        start,
      };
    }
  }
  for (const [name, { filter, sort, start }] of Object.entries(requests)) {
    const rows = new EmployeeQuery(accountId, filterConditions(accountId, filter)).inOrder(sort);
    const query = pageQuery(rows, Prisma.sql`id`, { size: 50, start });
    const lines = await database.prisma.$queryRaw<{ 'QUERY PLAN': string }[]>(Prisma.sql`EXPLAIN ${query}`);
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    t.match(plan, /Index Scan/, name);
    t.notMatch(plan, /Seq Scan on employees/, name);
    // An address has few employees.
    if (filter.email !== undefined) continue;
    // An incremental sort is acceptable: it sorts only records with the same first key.
    t.notMatch(plan, /^\s*(->)?\s*Sort {2}\(/m, name);
  }
});
