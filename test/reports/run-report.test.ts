import {
  type AttributeType,
  employeeAttributes,
  givenAttributes,
} from '../../src/features/employees/employee-attributes.js';
import { nameTextRule } from '../../src/platform/accounts/name-rules.js';
import { createRandom, type Random } from '../support/input/random.js';
import {
  asShown,
  columnKeys,
  evaluate,
  type NaiveDefinition,
  type NaiveEmployee,
} from '../support/records/naive-report.js';
import { createReportClient, parseCsv, type ReportClient, refused } from '../support/records/reports.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

async function setUp(employees: readonly TestEmployee[]) {
  const client = await createReportClient(api, { employees });
  const shown = employees.map((employee, index) => asShown(employee, client.tenant.employeeIds[index] ?? ''));
  return { ...client, shown };
}

async function page(client: ReportClient, id: string, query = '') {
  const response = await client.send('GET', `/v1/reports/${id}/results${query}`);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

t.test('listReportColumns returns every column with its label and type', async (t) => {
  const { send } = await createReportClient(api);
  const response = await send('GET', '/v1/report_columns');
  t.equal(response.statusCode, 200);
  const { data, meta } = response.json();
  t.same(
    data.map(({ id }: { id: string }) => id),
    columnKeys,
  );
  t.equal(meta.record_count, columnKeys.length);
  for (const { id, type, attributes } of data) {
    t.equal(type, 'report_columns');
    t.equal(attributes.key, id);
    t.equal(attributes.type, { text: 'string', date: 'date', timestamptz: 'date_time' }[typeOf(id)]);
  }
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
  const people = [
    'Ängström',
    'ängstrom',
    'ÑANDÚ',
    '100%',
    '100 percent',
    'a_b',
    'aXb',
    'back\\slash',
    'ΩMEGA',
    '.*',
  ];
  const employees = makeEmployees(people.length).map((employee, index) => ({
    ...employee,
    lastName: people[index] ?? '',
  }));
  const client = await setUp(employees);
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

t.test('responds 200 or 400 to a forged cursor', async (t) => {
  const client = await setUp(makeEmployees(12));
  for (const definition of [
    { columns: ['id'], sort: ['updated_at', '-last_name'] },
    { group_by: ['updated_at', 'status'], sort: ['-count'] },
  ]) {
    const id = await client.saved({ title: 'x', ...definition });
    const { links } = await page(client, id, '?page[size]=3');
    const next = new URL(links.next);
    const [number, size, print, anchor] = JSON.parse(
      Buffer.from(next.searchParams.get('page[after]') ?? '', 'base64url').toString(),
    );
    const strange = [
      ...['', 'x', "' OR true --", '-1', '9'.repeat(15), '9'.repeat(20), 'a\u0000', '\ud800', 'infinity'],
      ...['2026-02-30T00:00:00.000Z', '2026-02-28 00:00:00+00', '+010000-01-01T00:00:00.000Z'],
    ];
    const values: unknown[] = strange.flatMap((text) =>
      anchor.values.map((_: string, index: number) => anchor.values.with(index, text)),
    );
    values.push([], null, 1, [1], [...anchor.values, 'x'], [{}], anchor.values.slice(1));
    for (const forged of values) {
      const marker = JSON.stringify([number, size, print, { ...anchor, values: forged }]);
      next.searchParams.set('page[after]', Buffer.from(marker).toString('base64url'));
      const response = await client.send('GET', `${next.pathname}${next.search}`);
      t.ok([200, 400].includes(response.statusCode), `${marker}: ${response.statusCode}`);
      if (response.statusCode === 400) t.equal(response.json().errors[0].parameter, 'page[after]');
    }
  }
});

const hostile = [
  ...[
    "'",
    "' OR '1'='1",
    "'; DROP TABLE employees; --",
    '" OR 1=1 --',
    '$1',
    '$$',
    '\\',
    "\\'",
    '/*',
    '*/',
    '--',
  ],
  ...['%', '_', '{}', '#{1}', '?', ':x', 'NULL', 'pg_sleep(5)', '\u2028', '\u202e', "E'\\x27'", ');', '``'],
];

t.test(
  'treats hostile text in every member as data: it changes nothing and finds no record of others',
  async (t) => {
    const ours = await setUp(makeEmployees(4));
    const theirs = await setUp(makeEmployees(3, { department: 'Theirs' }));
    const own = new Set(ours.tenant.employeeIds);
    const before = await api.database.prisma.employee.count();
    for (const text of hostile) {
      // The test runner would interpret some of the text.
      const label = encodeURIComponent(text);
      // Titles have no invisible characters.
      const title = nameTextRule(text) === undefined ? text : 'x';
      for (const operator of ['eq', 'not_eq', 'in', 'not_in', 'contains', 'starts_with']) {
        const value = operator.endsWith('in') ? [text, 'x'] : text;
        const filters = [{ field: 'department', operator, value }];
        const response = await ours.create({ title, description: text, columns: ['id'], filters });
        t.equal(response.statusCode, 201, label);
        const rows = await ours.allRows(response.json().data.id);
        t.equal(rows.length, operator.startsWith('not') ? 4 : 0, `${operator} ${label}`);
        t.ok(rows.every(({ id }) => own.has(id)));
      }
      for (const body of [
        { columns: [text] },
        { sort: [text] },
        { sort: [`-${text}`] },
        { group_by: [text] },
        { filters: [{ field: text, operator: 'eq', value: 'x' }] },
        { filters: [{ field: 'id', operator: text, value: 'x' }] },
        { filters: [{ field: 'updated_at', operator: 'eq', value: text }] },
      ]) {
        refused(t, await ours.create({ title: 'x', ...body }), 'invalid_request', undefined, label);
      }
    }
    t.equal(await api.database.prisma.employee.count(), before);
    const id = await ours.saved({
      title: 'x',
      filters: [{ field: 'id', operator: 'in', value: [...theirs.tenant.employeeIds] }],
    });
    t.same(await ours.allRows(id), []);
    for (const definition of [{ group_by: ['department'] }, { group_by: ['id'] }, { columns: ['id'] }]) {
      const report = await ours.saved({ title: 'x', ...definition });
      const shown = JSON.stringify([await ours.allRows(report), await ours.csv(report)]);
      t.notMatch(shown, 'Theirs');
      for (const stranger of theirs.tenant.employeeIds) t.notMatch(shown, stranger);
    }
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

t.test('a list report cannot be ordered by year of hire', async (t) => {
  const { create, saved, send } = await createReportClient(api);
  for (const sort of ['hire_year', '-hire_year']) {
    refused(t, await create({ title: 'x', columns: ['id'], sort: [sort] }), 'invalid_request', ['/sort/0']);
    const other = await create({ title: 'x', group_by: ['location'], sort: [sort] });
    refused(t, other, 'invalid_request', ['/sort/0']);
  }
  const id = await saved({ title: 'x', group_by: ['hire_year'], sort: ['-hire_year'] });
  const change = await send('PATCH', `/v1/reports/${id}`, { columns: ['hire_date'] });
  refused(t, change, 'invalid_request', ['/sort/0']);
  t.match(change.json().errors[0].detail, /must not be hire_year in a report without group_by/);
});

t.test('before and after compare dates strictly, and null matches neither', async (t) => {
  const dates = ['0001-01-01', '2023-12-31', '2024-02-28', '2024-02-29', '2024-03-01', '9999-12-31', null];
  const [last, ...earlier] = dates.toReversed();
  const client = await setUp(
    makeEmployees(dates.length).map((employee, index) => ({
      ...employee,
      hireDate: dates[index] ?? null,
      updatedAt: new Date(Date.UTC(2026, 0, 1, index)),
    })),
  );
  const found = async (field: string, operator: string, value: string) => {
    const filters = [{ field, operator, value }];
    const id = await client.saved({ title: 'x', columns: [field], filters, sort: [field] });
    const rows = await client.allRows(id);
    const lines = parseCsv(await client.csv(id)).slice(1);
    t.same(
      lines.map(([cell]) => cell),
      rows.map(({ attributes }) => attributes[field]),
    );
    return lines.map(([cell]) => cell);
  };
  t.equal(last, null);
  for (const value of earlier) {
    const ordered = dates.filter((date) => date !== null);
    t.same(
      await found('hire_date', 'before', value ?? ''),
      ordered.filter((date) => date < String(value)),
    );
    t.same(
      await found('hire_date', 'after', value ?? ''),
      ordered.filter((date) => date > String(value)),
    );
  }
  const times = await found('updated_at', 'after', '2026-01-01T06:00:00+02:00');
  t.same(times, ['2026-01-01T05:00:00.000Z', '2026-01-01T06:00:00.000Z']);
  t.same(await found('updated_at', 'before', '2026-01-01T02:00:00+02:00'), []);
});

const pieces = [
  ...'aAbBzZäÄéÉñÑ019 ,"\'\n\r%_\\=+-@;|😀\t',
  '\r\n',
  'Smith',
  'ß',
  '\ufffd',
  '\u{10ffff}',
  '\uffff',
];

function randomText(random: Random, longest: number): string {
  return Array.from({ length: random.upTo(longest + 1) }, () => random.pick(pieces)).join('');
}

function randomEmployees(random: Random, count: number): TestEmployee[] {
  const names = Array.from({ length: 6 }, () => randomText(random, 5));
  const departments = Array.from({ length: 4 }, () => randomText(random, 3));
  return makeEmployees(count).map((employee) => ({
    ...employee,
    employeeNumber: random.chance(0.5)
      ? employee.employeeNumber
      : `${randomText(random, 3)}${employee.employeeNumber}`,
    firstName: random.pick(names),
    lastName: random.chance(0.5) ? random.pick(names) : randomText(random, 8),
    status: random.pick(['active', 'on_leave', '', 'x,y']),
    department: random.pick(departments),
    updatedAt: new Date(Date.UTC(2026, 0, 1) + random.upTo(4) * 3_600_000 + random.pick([0, 1, 120, 999])),
    ...randomNullables(random),
  }));
}

/** Values of the attributes that can be `null`. */
function randomNullables(random: Random): Partial<TestEmployee> {
  const given = givenAttributes.filter(({ nullable }) => nullable && random.chance(0.7));
  const value = (type: AttributeType) =>
    type === 'date' ? random.pick(['2024-02-29', '1999-12-31', '0001-01-01']) : randomText(random, 3);
  return Object.fromEntries(given.map(({ member, type }) => [member, value(type)]));
}

function typeOf(field: string): AttributeType {
  return employeeAttributes.find(({ name }) => name === field)?.type ?? 'text';
}

function randomDefinition(random: Random, employees: readonly NaiveEmployee[]): NaiveDefinition {
  const grouped = random.chance(0.4);
  const groupBy = grouped ? random.some(columnKeys, 1 + random.upTo(2)) : [];
  const sortable = grouped ? [...groupBy, 'count'] : columnKeys;
  const filters = Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, () => {
    const field = random.pick(columnKeys);
    const operators = [
      'eq',
      'not_eq',
      'in',
      'not_in',
      ...(typeOf(field) === 'text' ? ['contains', 'starts_with'] : ['before', 'after']),
    ];
    const operator = random.pick(operators);
    const value = () => {
      const text = random.pick(employees)[field] ?? '';
      if (typeOf(field) === 'date') return text || '2026-02-28';
      if (field === 'updated_at') return random.chance(0.5) ? text : text.replace(/T00(.*)Z/, 'T02$1+02:00');
      if (operator === 'contains') {
        const characters = [...text];
        return characters
          .slice(random.upTo(characters.length + 1))
          .join('')
          .toUpperCase()
          .replaceAll('SS', 'ß');
      }
      if (operator === 'starts_with') return [...text].slice(0, random.upTo(4)).join('').toLowerCase();
      return random.chance(0.8) ? text : randomText(random, 4);
    };
    const list = operator.endsWith('in');
    return { field, operator, value: list ? Array.from({ length: 1 + random.upTo(6) }, value) : value() };
  });
  return {
    ...(grouped
      ? { group_by: groupBy }
      : random.chance(0.8)
        ? { columns: random.some(columnKeys, 1 + random.upTo(8)) }
        : {}),
    filters,
    sort: random.some(sortable, random.upTo(4)).map((key) => (random.chance(0.5) ? `-${key}` : key)),
  };
}

t.test('random reports over random employees match a naive evaluation', async (t) => {
  const random = createRandom(20260301);
  // So that a query without the account fails the test.
  await setUp(randomEmployees(random, 20));
  for (const count of [1, 60]) {
    const client = await setUp(randomEmployees(random, count));
    for (let round = 0; round < (count === 1 ? 5 : 40); round += 1) {
      const definition = randomDefinition(random, client.shown);
      const label = JSON.stringify(definition);
      const expected = evaluate(client.shown, definition);
      const id = await client.saved({ title: 'random', ...definition });
      const size = 1 + random.upTo(30) + (count === 1 ? 0 : 4);
      const rows = await client.allRows(id, size);
      const found = rows.map(({ attributes }) => Object.entries(attributes));
      if (!t.strictSame(found, expected, `${label} by ${size}`)) return;
      const number = 1 + random.upTo(Math.ceil(expected.length / size) + 1);
      const { data, meta } = await page(client, id, `?page[size]=${size}&page[number]=${number}`);
      t.equal(meta.record_count, expected.length, label);
      t.same(data, rows.slice((number - 1) * size, number * size), `${label} page ${number}`);
      const names = rows.map((row) => row.id);
      t.equal(new Set(names).size, names.length, 'row names are unique');
      const [header = [], ...lines] = parseCsv(await client.csv(id));
      t.same(
        header,
        meta.columns.map(({ key }: { key: string }) => key),
      );
      const asLines = expected.map((row) => row.map(([, value]) => String(value ?? '')));
      if (!t.strictSame(lines, asLines, `${label} as CSV`)) return;
    }
  }
});
