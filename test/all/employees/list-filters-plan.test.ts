import { type CustomFilter, customConditions } from '../../../src/features/employees/custom-filter.js';
import { columnsFor } from '../../../src/features/employees/employee.js';
import { type EmployeeFilter, filterConditions } from '../../../src/features/employees/employee-filter.js';
import { EmployeeQuery, type EmployeeSort } from '../../../src/features/employees/employee-query.js';
import { readSearch } from '../../../src/features/employees/employee-search.js';
import { contractAnd } from '../../../src/platform/contract/attribute-access.js';
import { Prisma } from '../../../src/platform/database/client.js';
import { pageQuery } from '../../../src/platform/database/page-query.js';
import { accountScope, withScope } from '../../../src/platform/database/scope.js';
import { openTestDatabase, testServer } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { createTenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

/** The embedded database would need several minutes for a million. */
const count = testServer === undefined ? 20_000 : 1_000_000;
const batch = 100_000;
const size = 50;

// A database of its own, because its indexes are created after the employees: that takes a third of the time.
const database = await openTestDatabase(t, { poolSize: 2, statementTimeoutMs: 600_000 });
const { accountId } = await createTenant(database);
await fill();

/**
 * 20 departments, 15 locations, 200 job titles and 1,000 managers, each with equal numbers of employees, in an order that depends
 * on none of the others; a tenth of the employees are on leave, and one in 20 has left. 20 years of hire dates. Two custom attributes, of
 * which one has changed of one in 5,000 employees.
 */
async function fill() {
  const indexes = await asOwner<{ name: string; definition: string }>(
    database,
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE indrelid = 'employees'::regclass AND NOT indisunique`,
  );
  for (const { name } of indexes) await asOwner(database, `DROP INDEX ${name}`);
  await asOwner(database, 'ALTER TABLE employees DISABLE TRIGGER USER');
  for (let first = 0; first < count; first += batch)
    await asOwner(
      database,
      `INSERT INTO employees (id, account_id, position, employee_number, first_name, last_name, email, status, department, location,
      job_title, hire_date, termination_date, manager_id, updated_at, search_key_1, search_key_2, custom, custom_times,
      custom_updated_at)
    SELECT 'plan0000' || lpad(i::text, 8, '0'), $1, i, 'P' || i, 'First' || r % 900, 'Last' || r % 50000, 'p' || i || '@plan.example',
      CASE WHEN r % 10 = 0 THEN 'on_leave' ELSE 'active' END, 'Department ' || r / 10 % 20, 'Location ' || r / 200 % 15,
      'Title ' || r / 3000 % 200, date '2006-01-01' + r / 7 % 7300, CASE WHEN r / 11 % 20 = 0 THEN date '2020-01-01' + r % 2000 END,
      'plan0000' || lpad((r / 13 % 1000)::text, 8, '0'), timestamptz '2026-01-01Z' + make_interval(secs => r / 17 % 15552000),
      'last' || r % 50000 || ' first' || r % 900, 'first' || r % 900 || ' last' || r % 50000,
      jsonb_build_object('team', 'Team ' || r / 19 % 50, 'size', r / 23 % 1000),
      CASE WHEN r % 5000 = 0 THEN jsonb_build_object('size', timestamptz '2026-09-01Z') END,
      CASE WHEN r % 5000 = 0 THEN timestamptz '2026-09-01Z' END
    FROM (SELECT i, (i::bigint * 7368787 % 1000000007)::int AS r FROM generate_series($2::int, $3::int - 1) i) AS numbered`,
      accountId,
      first,
      Math.min(first + batch, count),
    );
  for (const { definition } of indexes) await asOwner(database, definition);
  await asOwner(database, 'ALTER TABLE employees ENABLE TRIGGER USER');
  await asOwner(
    database,
    `INSERT INTO employee_facets (account_id, status, department, count)
     SELECT account_id, status, department, count(*) FROM employees GROUP BY 1, 2, 3`,
  );
  await asOwner(
    database,
    `INSERT INTO employee_location_facets (account_id, location, count)
     SELECT account_id, location, count(*) FROM employees GROUP BY 1, 2`,
  );
  await asOwner(database, 'ANALYZE employees, employee_facets, employee_location_facets');
}

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** The rows of tables that a query reads from the table or from an index. */
function rowsRead(plan: Plan): number {
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const read = plan['Relation Name'] === undefined ? 0 : own * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), read);
}

async function read(query: Prisma.Sql): Promise<{ rows: number; text: string }> {
  // In the scope of the account, as requests read.
  const [row] = await withScope(accountScope(accountId), () =>
    database.prisma.$queryRaw<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
      Prisma.sql`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${query}`,
    ),
  );
  const plan = row?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('There is no plan');
  return { rows: rowsRead(plan), text: JSON.stringify(plan) };
}

const one = (divisor: number) => count / divisor;
/** Most rows that the list is read for until a page is full, if one in `divisor` employees matches. */
const full = (divisor: number) => (size + 1) * divisor * 2;
const team: CustomFilter = { key: 'team', type: 'text', wanted: ['Team 7'] };
const ids = Array.from({ length: 50 }, (_, index) => `plan0000${String(index * 97).padStart(8, '0')}`);

/**
 * The filters of the list, and the most rows that a page and its count may read: for a page in the order of ids, those until it is
 * full, or all employees of one of its filters; for a count, all that match, or the few rows with maintained counts.
 */
const cases: Record<
  string,
  { filter: EmployeeFilter; custom?: readonly CustomFilter[]; page: number; counted: number }
> = {
  'fifty ids': { filter: { id: ids }, page: 50, counted: 50 },
  'an e-mail address': { filter: { email: ['P77@plan.example'] }, page: 4, counted: 4 },
  'an employee number': { filter: { employeeNumber: ['P77'] }, page: 1, counted: 1 },
  'two statuses': { filter: { status: ['active', 'on_leave'] }, page: 60, counted: 40 },
  'a status': { filter: { status: ['on_leave'] }, page: 60, counted: 40 },
  'a department': { filter: { department: ['Department 7'] }, page: 60, counted: 40 },
  'two departments and a status': {
    filter: { department: ['Department 7', 'Department 8'], status: ['on_leave'] },
    page: full(100),
    counted: 40,
  },
  'a location': { filter: { location: ['Location 3'] }, page: full(15), counted: 15 },
  'two locations': { filter: { location: ['Location 3', 'Location 9'] }, page: full(8), counted: 15 },
  'no location': { filter: { location: [null] }, page: count, counted: 15 },
  'a location and a status': {
    filter: { location: ['Location 3'], status: ['on_leave'] },
    page: full(150),
    counted: one(150) * 1.2,
  },
  'a location and a department': {
    filter: { location: ['Location 3'], department: ['Department 7'] },
    page: one(300) * 1.2,
    counted: one(300) * 1.2,
  },
  'a location, a department and a status': {
    filter: { location: ['Location 3'], department: ['Department 7'], status: ['on_leave'] },
    page: one(3000) * 1.5,
    counted: one(3000) * 1.5,
  },
  'a job title': { filter: { jobTitle: ['Title 20'] }, page: full(200), counted: one(200) * 1.2 },
  'two job titles': {
    filter: { jobTitle: ['Title 20', 'Title 21'] },
    page: full(100),
    counted: one(100) * 1.2,
  },
  'a job title and a location': {
    filter: { jobTitle: ['Title 20'], location: ['Location 3'] },
    page: one(200) * 1.2,
    counted: one(200) * 1.2,
  },
  'a manager': {
    filter: { managerId: ['plan000000000007'] },
    page: one(1000) * 1.2,
    counted: one(1000) * 1.2,
  },
  'a manager and a status': {
    filter: { managerId: ['plan000000000007'], status: ['active'] },
    page: one(1000) * 1.2,
    counted: one(1000) * 1.2,
  },
  'an unknown manager': { filter: { managerId: ['unknown'] }, page: 0, counted: 0 },
  'a month of hire dates': {
    filter: { hireDate: { from: '2020-03-01', before: '2020-04-01' } },
    page: full(240),
    counted: one(200),
  },
  'a month of hire dates and a department': {
    filter: { hireDate: { from: '2020-03-01', before: '2020-04-01' }, department: ['Department 7'] },
    page: one(200),
    counted: one(200),
  },
  'half of the hire dates': {
    filter: { hireDate: { from: '2016-01-01' } },
    page: full(2),
    counted: count + 20,
  },
  'a month of termination dates': {
    filter: { terminationDate: { from: '2021-03-01', before: '2021-04-01' } },
    page: one(900),
    counted: one(900),
  },
  'a range of hire dates that ends before it starts': {
    filter: { hireDate: { from: '2020-03-01', before: '2010-01-01' } },
    page: 0,
    counted: 0,
  },
  'an hour of changes': {
    filter: { updatedAt: { from: '2026-03-01T00:00:00.000Z', before: '2026-03-01T01:00:00.000Z' } },
    page: one(3000),
    counted: one(3000),
  },
  // Custom attributes have no index: their filters read what the others find.
  'a custom text': { filter: {}, custom: [team], page: count + 20, counted: count + 20 },
  'a custom text and an employee number': {
    filter: { employeeNumber: ['P77'] },
    custom: [team],
    page: 1,
    counted: 1,
  },
  'a custom text, a range of custom numbers and a job title': {
    filter: { jobTitle: ['Title 20'] },
    custom: [team, { key: 'size', type: 'number', wanted: { from: '100', before: '900' } }],
    page: one(200) * 1.2,
    counted: one(200) * 1.2,
  },
};

for (const [name, { filter, custom = [], page, counted }] of Object.entries(cases)) {
  t.test(`a page with ${name} of ${count} employees reads only what its filters bound`, async (t) => {
    const query = new EmployeeQuery(accountId, [
      ...filterConditions(accountId, filter),
      ...customConditions(custom),
    ]);
    const [total] = await database.prisma.$queryRaw<{ count: string }[]>(query.countFound());
    const matching = Number(total?.count);
    for (const sort of matching === 0 ? [] : ([[], [{ key: 'id', descending: true }]] as EmployeeSort[][])) {
      const few = matching <= 5_000;
      const found = await read(
        pageQuery(query.inOrder(sort, { few }), Prisma.sql`id`, { size, start: { skip: 0 } }),
      );
      const most = few ? Math.max(page, matching * 1.2) : page;
      t.ok(found.rows <= most, `page: ${found.rows} rows of at most ${most}: ${found.text}`);
    }
    const found = await read(query.countFound());
    t.ok(found.rows <= counted, `count: ${found.rows} rows of at most ${counted}: ${found.text}`);
  });
}

t.test(
  `a search among ${count} employees reads at most 1,001 of each range, also with filters`,
  async (t) => {
    const parts = await withScope(accountScope(accountId), () => readSearch(database.prisma, 'last1 first'));
    const query = new EmployeeQuery(
      accountId,
      filterConditions(accountId, { location: ['Location 3'], hireDate: { from: '2016-01-01' } }),
      { parts },
    );
    // Three phrases for each of five keys, and three spellings of an address and of a number.
    const most = (3 * 5 + 3 * 2) * 1001;
    for (const found of [
      await read(query.countFound()),
      await read(pageQuery(query.inOrder([]), Prisma.sql`id`, { size, start: { skip: 0 } })),
    ])
      t.ok(found.rows > 0 && found.rows <= most, `${found.rows} rows: ${found.text}`);
  },
);

t.test(`changes of custom attributes among ${count} employees are found by their time`, async (t) => {
  const columns = columnsFor(accountId, contractAnd(['size']));
  const filter = { updatedAt: { from: '2026-08-31T00:00:00.000Z' } };
  const query = new EmployeeQuery(accountId, filterConditions(accountId, filter, columns));
  const found = await read(query.countFound());
  const most = one(5000) * 3;
  t.ok(found.rows > 0 && found.rows <= most, `${found.rows} rows of at most ${most}: ${found.text}`);
});
