import { employeeAttributes } from '../../src/features/employees/employee-attributes.js';
import { columnKeys } from '../support/records/naive-report.js';
import { createReportClient, type ReportClient } from '../support/records/reports.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

const setUp = (employees: readonly TestEmployee[]) => createReportClient(api, { employees });

async function page(client: ReportClient, id: string, query = '') {
  const response = await client.send('GET', `/v1/reports/${id}/results${query}`);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

t.test('listReportColumns returns every column with its label and type', async (t) => {
  const { send } = await createReportClient(api);
  const response = await send('GET', '/v1/report_columns');
  const { data, meta } = response.json();
  const types = { text: 'string', date: 'date', timestamptz: 'date_time' };
  const columns = [{ name: 'id', label: 'ID', type: 'text' as const }, ...employeeAttributes];
  const described = columns.map(({ name, label, type }) => ({
    id: name,
    type: 'report_columns',
    attributes: { key: name, label, type: types[type] },
  }));
  t.same(data, described);
  t.equal(meta.record_count, columnKeys.length);
  t.equal((await send('GET', '/v1/report_columns?page[size]=1')).statusCode, 400);
});

t.test('a list report has rows in its sort order and attributes in the order of its columns', async (t) => {
  const client = await setUp(makeEmployees(5));
  const id = await client.saved({
    title: 'x',
    columns: ['updated_at', 'last_name', 'id'],
    sort: ['-last_name'],
  });
  const response = await client.send('GET', `/v1/reports/${id}/results`);
  const { data, meta, links } = response.json();
  t.same(meta, {
    record_count: 5,
    next_cursor: null,
    columns: [
      { key: 'updated_at', label: 'Updated at', type: 'date_time' },
      { key: 'last_name', label: 'Last name', type: 'string' },
      { key: 'id', label: 'ID', type: 'string' },
    ],
  });
  for (const row of data) {
    t.equal(row.type, 'report_rows');
    t.same(Object.keys(row.attributes), ['updated_at', 'last_name', 'id']);
    t.equal(row.id, row.attributes.id);
  }
  t.same([links.prev, links.next], [null, null]);
  t.equal(response.headers.vary, 'Accept');
});

t.test('a grouped report has one row for each combination, with its count', async (t) => {
  const client = await setUp(makeEmployees(12));
  const id = await client.saved({ title: 'x', group_by: ['department'], sort: ['-count'] });
  const { data, meta } = await page(client, id);
  t.same(
    meta.columns.map(({ key }: { key: string }) => key),
    ['department', 'count'],
  );
  t.same(
    data.map((row: { attributes: object }) => row.attributes),
    [
      { department: 'Engineering', count: 4 },
      { department: 'Payroll', count: 4 },
      { department: 'Sales', count: 4 },
    ],
  );
  t.equal(data[0].id, Buffer.from('["Engineering"]').toString('base64url'));
  t.equal(await client.csv(id), 'department,count\nEngineering,4\nPayroll,4\nSales,4\n');
});

t.test('an empty result is an empty page, and a table with a header only', async (t) => {
  const client = await setUp([]);
  for (const definition of [{ columns: ['id', 'email'] }, { group_by: ['status'] }]) {
    const id = await client.saved({ title: 'x', ...definition });
    const { data, meta, links } = await page(client, id);
    t.same([data, meta.record_count, links.next, links.prev], [[], 0, null, null]);
    t.match(await client.csv(id), /^[a-z,]+\n$/);
  }
});

t.test('letter case is ignored beyond ASCII, and wildcards are plain characters', async (t) => {
  const people = 'Ängström,ängstrom,ÑANDÚ,100%,100 percent,a_b,aXb,back\\slash,ΩMEGA,.*'.split(',');
  const client = await setUp(people.flatMap((lastName) => makeEmployees(1, { lastName })));
  const cases: [string, string, string[]][] = [
    ['contains', 'ÄNGSTR', ['Ängström', 'ängstrom']],
    ['starts_with', 'ñandú', ['ÑANDÚ']],
    ['contains', 'ωmega', ['ΩMEGA']],
    ['contains', '%', ['100%']],
    ['starts_with', '%', []],
    ['contains', 'A_B', ['a_b']],
    ['contains', '\\', ['back\\slash']],
    ['contains', '.*', ['.*']],
    ['starts_with', '', people],
    ['eq', 'ÄNGSTRÖM', []],
  ];
  for (const [operator, value, expected] of cases) {
    const filters = [{ field: 'last_name', operator, value }];
    const id = await client.saved({ title: 'x', columns: ['last_name'], filters });
    const rows = await client.allRows(id);
    t.same(
      rows.map(({ attributes }) => attributes.last_name),
      expected,
      `${operator} ${value}`,
    );
  }
});

t.test('a run has pages with limits, cursors and an end', async (t) => {
  const client = await setUp(makeEmployees(25));
  const id = await client.saved({ title: 'x', columns: ['id'], sort: ['department'] });
  for (const [query, parameter] of [
    ['page[size]=0', 'page[size]'],
    ['page[size]=501', 'page[size]'],
    ['page[number]=0', 'page[number]'],
    ['page[after]=AAAA', 'page[after]'],
    ['page[after]=!', 'page[after]'],
    ['sort=id', 'sort'],
  ] as const) {
    const response = await client.send('GET', `/v1/reports/${id}/results?${query}`);
    t.equal(response.statusCode, 400, query);
    t.equal(response.json().errors[0].parameter, parameter);
  }
  const past = await page(client, id, '?page[number]=4&page[size]=10');
  t.same([past.data, past.meta.record_count, past.links.next], [[], 25, null]);
  const far = await page(client, id, '?page[number]=1000000000&page[size]=500');
  t.same([far.data, far.meta.record_count], [[], 25]);
  const whole = await client.saved({ title: 'x', columns: ['id'] });
  t.same((await page(client, whole, '?page[number]=1000000000&page[size]=500')).data, []);
  t.same((await page(client, whole, '?page[number]=3&page[size]=10')).data.length, 5);
});

t.test(
  'following links misses no row under concurrent changes, and a cursor is valid for its report only',
  async (t) => {
    const employees = makeEmployees(9);
    const client = await setUp(employees);
    const id = await client.saved({ title: 'x', columns: ['id'], sort: ['-last_name'] });
    const all = (await client.allRows(id)).map((row) => row.id);
    const first = await page(client, id, '?page[size]=4');
    await api.database.prisma.employee.deleteMany({ where: { id: all[1] ?? '' } });
    const follow = async () => {
      const response = await client.send('GET', first.links.next.replace('http://api.test', ''));
      t.equal(response.statusCode, 200);
      return response.json().data.map((row: { id: string }) => row.id);
    };
    t.same(await follow(), all.slice(4, 8));
    await client.send('PATCH', `/v1/reports/${id}`, { sort: ['updated_at', 'email'] });
    const late = await client.send('GET', first.links.next.replace('http://api.test', ''));
    t.equal(late.statusCode, 400);
    t.equal(
      late.json().detail,
      'page[after] must be sent to the report as it was when the cursor was issued.',
    );
    const similar = await client.saved({ title: 'y', columns: ['id'], sort: ['-last_name'] });
    const cursor = new URL(first.links.next).searchParams.get('page[after]');
    const crossed = await client.send('GET', `/v1/reports/${similar}/results?page[after]=${cursor}`);
    t.equal(crossed.statusCode, 400);
    t.match(crossed.json().detail, /must be sent to the list/);
    const other = await createReportClient(api);
    const theirs = await other.send('GET', first.links.next.replace('http://api.test', ''));
    t.equal(theirs.statusCode, 404);
  },
);

t.test('groups by location and by the year of hire, with null as a group of its own', async (t) => {
  const hired = ['2024-02-29', '2024-12-31', '2025-01-01', '0001-01-01', '9999-12-31', null, null];
  const client = await setUp(
    makeEmployees(hired.length).map((employee, index) => ({
      ...employee,
      location: ['Berlin', 'Berlin', 'London', null, null, null, ''][index] ?? null,
      hireDate: hired[index] ?? null,
    })),
  );
  const grouped = async (definition: object) => {
    const id = await client.saved({ title: 'x', ...definition });
    const first = await page(client, id, '?page[size]=1');
    return {
      rows: (await client.allRows(id, 1)).map(({ attributes }) => Object.values(attributes)),
      csv: await client.csv(id),
      columns: first.meta.columns,
      count: first.meta.record_count,
    };
  };

  const years = await grouped({ group_by: ['hire_year'] });
  t.strictSame(years.rows, [
    [1, 1],
    [2024, 2],
    [2025, 1],
    [9999, 1],
    [null, 2],
  ]);
  t.equal(years.csv, 'hire_year,count\n1,1\n2024,2\n2025,1\n9999,1\n,2\n');
  t.equal(years.count, 5);
  t.strictSame(years.columns, [
    { key: 'hire_year', label: 'Hire year', type: 'integer' },
    { key: 'count', label: 'Count', type: 'integer' },
  ]);
  const latest = await grouped({ group_by: ['hire_year'], sort: ['-count', '-hire_year'] });
  t.strictSame(latest.rows, [
    [null, 2],
    [2024, 2],
    [9999, 1],
    [2025, 1],
    [1, 1],
  ]);
  const recent = await grouped({
    group_by: ['location', 'hire_year'],
    filters: [{ field: 'hire_date', operator: 'after', value: '2024-02-29' }],
    sort: ['-hire_year'],
  });
  t.strictSame(recent.rows, [
    [null, 9999, 1],
    ['London', 2025, 1],
    ['Berlin', 2024, 1],
  ]);
  const places = await grouped({ group_by: ['location'] });
  t.strictSame(places.rows, [
    ['', 1],
    ['Berlin', 2],
    ['London', 1],
    [null, 3],
  ]);
});
