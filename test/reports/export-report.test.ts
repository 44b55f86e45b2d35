import { openTestDatabase } from '../support/database/database.js';
import { createReportClient, parseCsv } from '../support/records/reports.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });

/** Employees with these first names, in this order. */
function clientWith(firstNames: readonly string[], more: object = {}) {
  const employees = makeEmployees(firstNames.length, more).map((employee, index) => ({
    ...employee,
    firstName: firstNames[index] ?? '',
  }));
  return createReportClient(api, { employees });
}

/** Values, and the bytes of a line with only this value on both databases. */
const values = [
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['"', '""""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['cr\ronly', '"cr\ronly"'],
  ['lf\nonly', '"lf\nonly"'],
  ['\n', '"\n"'],
  [' pad ', ' pad '],
  [' ', ' '],
  ['', '""'],
  ['\\.', '"\\."'],
  ['\\.x', '\\.x'],
  ['\\N', '\\N'],
  ['back\\slash', 'back\\slash'],
  ["it's; --", "it's; --"],
  ['=1+1', '=1+1'],
  ['@x', '@x'],
  ['tab\there', 'tab\there'],
  ['ü😀', 'ü😀'],
] as const;
const names = values.map(([name]) => name);
const client = await clientWith(names, { status: 'active' });

t.test('exports a table of one column byte for byte', async (t) => {
  const report = await client.saved({ title: 'x', columns: ['first_name'] });
  const text = await client.csv(report);
  t.equal(text, ['first_name', ...values.map(([, written]) => written), ''].join('\n'));
  t.same(parseCsv(text), [['first_name'], ...names.map((name) => [name])]);
});

t.test('exports a table of several columns byte for byte', async (t) => {
  const report = await client.saved({ title: 'x', columns: ['first_name', 'status'] });
  // Only a line with nothing else can be mistaken for the end of the data.
  const cells = values.map(([name, written]) => (name === '\\.' ? name : written));
  t.equal(
    await client.csv(report),
    ['first_name,status', ...cells.map((cell) => `${cell},active`), ''].join('\n'),
  );
});

t.test('exports a table without rows as its header line', async (t) => {
  const filters = [{ field: 'email', operator: 'eq', value: 'nobody@nowhere.example' }];
  const report = await client.saved({ title: 'x', columns: ['id', 'updated_at'], filters });
  t.equal(await client.csv(report), 'id,updated_at\n');
});

t.test('the values are those of the JSON rows, in the same order', async (t) => {
  const at = (milliseconds: number) => new Date(Date.UTC(2024, 1, 29, 23, 59, 59, milliseconds));
  const employees = makeEmployees(15).map((employee, index) => ({
    ...employee,
    updatedAt: at([0, 1, 10, 120, 999][index % 5] ?? 0),
  }));
  const other = await createReportClient(api, { employees });
  const definitions = [
    { title: 'Everybody' },
    { title: 'By time', sort: ['-updated_at'], columns: ['updated_at', 'email'] },
    { title: 'Departments', group_by: ['department', 'status'], sort: ['-count'] },
    { title: 'Times', group_by: ['updated_at'] },
  ];
  for (const definition of definitions) {
    const report = await other.saved(definition);
    const rows = await other.allRows(report, 7);
    const [header = [], ...lines] = parseCsv(await other.csv(report));
    t.same(header, Object.keys(rows[0]?.attributes ?? {}), definition.title);
    t.same(
      lines,
      rows.map(({ attributes }) => Object.values(attributes).map((value) => String(value ?? ''))),
      definition.title,
    );
  }
});

const hostile = [
  "'",
  '"',
  '$1',
  '$2::text',
  '\\',
  "\\'; DROP TABLE employees; --",
  "') TO STDOUT; SELECT set_config('app.accounts', '*', true); --",
  "current_setting('app.accounts')",
  '{a,b}',
  '{"a","b"}',
  'NULL',
  '',
  'ü😀\n',
];

t.test('passes a filter value as data', async (t) => {
  const other = await clientWith(hostile);
  const columns = ['first_name'];
  for (const value of hostile) {
    const filtered = (operator: string, list?: string[]) =>
      other.saved({
        title: 'x',
        columns,
        filters: [{ field: 'first_name', operator, value: list ?? value }],
      });
    const found = async (id: string) =>
      parseCsv(await other.csv(id))
        .slice(1)
        .flat();
    t.same(await found(await filtered('eq')), [value], `eq ${value}`);
    t.same(await found(await filtered('in', [value, 'x'])), [value], `in ${value} and another`);
    t.ok((await found(await filtered('contains'))).includes(value), `contains ${value}`);
  }
});

t.test('a report may have as many filter values as the contract allows', async (t) => {
  const many = await clientWith(['a', 'b', 'c']);
  const value = Array.from({ length: 99 }, (_, index) => `${'x'.repeat(20)}${index}`);
  const filters = [
    ...Array.from({ length: 18 }, () => ({ field: 'first_name', operator: 'in', value: [...value, 'b'] })),
    { field: 'updated_at', operator: 'not_in', value: ['2000-01-01T00:00:00Z', '2000-01-02T00:00:00+01:00'] },
    { field: 'updated_at', operator: 'in', value: ['2000-01-01T00:00:00Z'] },
  ];
  const withoutTimes = await many.saved({
    title: 'x',
    columns: ['first_name'],
    filters: filters.slice(0, 19),
  });
  t.equal(await many.csv(withoutTimes), 'first_name\nb\n');
  t.same((await many.allRows(withoutTimes)).length, 1);
  const withTimes = await many.saved({ title: 'x', columns: ['first_name'], filters });
  t.equal(await many.csv(withTimes), 'first_name\n');
});

t.test('the response has a file name and is downloaded', async (t) => {
  const report = await client.saved({ title: 'x' });
  const response = await client.send('GET', `/v1/reports/${report}/results.csv`);
  t.equal(response.headers['content-type'], 'text/csv; charset=utf-8');
  t.equal(response.headers['content-disposition'], `attachment; filename="report-${report}.csv"`);
});
