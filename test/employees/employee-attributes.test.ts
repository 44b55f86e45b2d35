import type { EmployeeRecord } from '../../src/features/employees/employee.js';
import { employeeAttributes, givenAttributes } from '../../src/features/employees/employee-attributes.js';
import { createEmployeeCheck } from '../../src/features/employees/employee-check.js';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { Prisma } from '../../src/platform/database/client.js';
import { asOwner } from '../support/database/owner.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { attributesOf } from '../support/records/employee-attributes.js';
import { importText } from '../support/records/import.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createReportClient, parseCsv } from '../support/records/reports.js';
import { createTenant, makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

/** Columns of an employee that are not attributes. */
const otherColumns = [
  ...['position', 'created_at', 'account_id', 'id', 'has_escapes', 'folded_email', 'attribute_times'],
  ...['custom', 'custom_times', 'custom_updated_at'],
  ...[1, 2, 3, 4, 5].map((number) => `search_key_${number}`),
];

interface StoredColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly collation: string | null;
}

t.test('every attribute has a column of its type, and every other column is known', async (t) => {
  const stored = await asOwner<StoredColumn>(
    database,
    `SELECT attname AS name, atttypid::regtype::text AS type, NOT attnotnull AS nullable, collname::text AS collation
     FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation
     WHERE attrelid = 'employees'::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  const types = { text: 'text', date: 'date', timestamptz: 'timestamp with time zone' };
  for (const { name, type, nullable } of employeeAttributes) {
    const column = stored.find((column) => column.name === name);
    const expected = { name, type: types[type], nullable, collation: type === 'text' ? 'C' : null };
    t.same(column, expected, `prisma/migrations: the column employees.${name}`);
  }
  const names: readonly string[] = employeeAttributes.map(({ name }) => name);
  const unknown = stored.filter(({ name }) => !names.includes(name) && !otherColumns.includes(name));
  t.same(unknown, [], 'openapi/v1.yaml: EmployeeAttributes has no attribute for the column');
});

t.test('every attribute is compared when the times of attributes are stored', async (t) => {
  const [definition] = await asOwner<{ text: string }>(
    database,
    `SELECT pg_get_functiondef('set_attribute_times'::regproc) AS text`,
  );
  const text = definition?.text ?? '';
  for (const { name } of givenAttributes) {
    t.match(text, new RegExp(`OLD\\.${name}\\b`), `prisma/migrations: set_attribute_times lacks OLD.${name}`);
    t.match(text, new RegExp(`NEW\\.${name}\\b`), `prisma/migrations: set_attribute_times lacks NEW.${name}`);
  }
  for (const name of restrictableAttributes)
    t.match(text, `'${name}', CASE`, `prisma/migrations: set_attribute_times stores no time of ${name}`);
});

t.test('every attribute is compared before a change counts as one of custom attributes alone', async (t) => {
  const [definition] = await asOwner<{ text: string }>(
    database,
    `SELECT pg_get_functiondef('set_custom_values'::regproc) AS text`,
  );
  const text = definition?.text ?? '';
  for (const { name } of givenAttributes)
    for (const row of ['OLD', 'NEW'])
      t.match(
        text,
        new RegExp(`${row}\\.${name}\\b`),
        `prisma/migrations: set_custom_values lacks ${row}.${name}`,
      );
});

t.test('every attribute is a field of the model', async (t) => {
  for (const { member } of employeeAttributes)
    t.ok(
      member in Prisma.EmployeeScalarFieldEnum,
      `prisma/schema.prisma: the model Employee lacks ${member}`,
    );
});

t.test('every attribute has an entry in the table of attributes', async (t) => {
  for (const { name, label } of employeeAttributes)
    t.ok(label, `src/features/employees/employee-attributes.ts: no entry for ${name}`);
});

const properties = contract.document.components.schemas.EmployeeAttributes?.properties ?? {};

function fits(name: string, value: string): boolean {
  return new RegExp(String(properties[name]?.pattern ?? '')).test(value);
}

const escaped = '"\\,@x';

t.test('has_escapes reads every attribute that can have escapes', async (t) => {
  const [{ expression = '' } = {}] = await asOwner<{ expression: string }>(
    database,
    `SELECT pg_get_expr(adbin, adrelid) AS expression FROM pg_attrdef JOIN pg_attribute
       ON attrelid = adrelid AND attnum = adnum
     WHERE adrelid = 'employees'::regclass AND attname = 'has_escapes'`,
  );
  for (const { name, type } of employeeAttributes) {
    if (type !== 'text' || !fits(name, escaped)) continue;
    t.match(
      expression,
      new RegExp(`\\b${name}\\b`),
      `prisma/migrations: employees.has_escapes does not read ${name}`,
    );
  }
});

/** Distinct values of the attributes. */
const samples = givenAttributes.map(({ name, type }, index) => {
  if (type === 'date') return `2026-01-${10 + index}`;
  return fits(name, `v${index}`) ? `v${index}` : `v${index}@x.example`;
});

/** Employees with every value, with no value that can be absent, and with escapes in one attribute each. */
function everyShape(): TestEmployee[] {
  const filled = Object.fromEntries(givenAttributes.map(({ member }, index) => [member, samples[index]]));
  const base = { ...(filled as unknown as EmployeeRecord), updatedAt: new Date(0) };
  const empty = Object.fromEntries(
    givenAttributes.filter(({ nullable }) => nullable).map(({ member }) => [member, null]),
  );
  const changes: Partial<TestEmployee>[] = [
    {},
    empty,
    ...givenAttributes
      .filter(({ name, type }) => type === 'text' && fits(name, escaped))
      .map(({ member }) => ({ [member]: escaped })),
  ];
  return changes.map((change, index) => ({ ...base, employeeNumber: `E${index}`, ...change }));
}

t.test('every attribute is in the list, the record, the report and its table', async (t) => {
  const employees = everyShape();
  const { tenant, token, saved, send, allRows, csv } = await createReportClient(api, { employees });
  const expected = employees.map((employee, index) => ({
    id: tenant.employeeIds[index],
    ...attributesOf(employee),
  }));
  const withId = ({ id, attributes }: { id: string; attributes: object }) => ({ id, ...attributes });

  const list = (await send('GET', '/v1/employees?page[size]=100')).json();
  t.same(list.data.map(withId), expected, 'src/features/employees/employee-statements.ts: the list');
  const record = (await send('GET', `/v1/employees/${tenant.employeeIds[0]}`)).json();
  t.same(withId(record.data), expected[0], 'src/features/employees/employee-statements.ts: the record');

  const id = await saved({ title: 'all' });
  const rows = await allRows(id);
  t.same(
    rows.map(({ attributes }) => attributes),
    expected,
    'src/features/reports: the rows of a report',
  );
  const [header = [], ...lines] = parseCsv(await csv(id));
  t.same(header, Object.keys(expected[0] ?? {}), 'src/features/reports: the header of a table');
  const cells = expected.map((employee) => Object.values(employee).map((value) => value ?? ''));
  t.same(lines, cells, 'src/features/reports: the cells of a table');

  for (const { name } of employeeAttributes) {
    const sorted = await api.get(`/v1/employees?page[size]=2&sort=-${name}`, token);
    t.equal(sorted.statusCode, 200, `openapi/v1.yaml: sort=${name}`);
    const next = await api.get(sorted.json().links.next, token);
    t.equal(next.statusCode, 200, `the page after the first with sort=${name}`);
    const grouped = await allRows(await saved({ title: name, group_by: [name], sort: [`-${name}`] }), 1);
    const values = new Set(expected.map((employee) => (employee as Record<string, unknown>)[name]));
    t.same(new Set(grouped.map(({ attributes }) => attributes[name])), values, `groups of ${name}`);
  }
});

t.test('every attribute that is given is imported, and one that is absent is not changed', async (t) => {
  const { accountId, employeeIds } = await createTenant(database, { employees: makeEmployees(1) });
  const check = createEmployeeCheck(contract);
  t.same(
    check.attributes.map(({ name }) => name),
    [
      ...Object.keys(properties).filter((name) => name !== 'updated_at' && name !== 'custom'),
      'manager_employee_number',
    ],
    'src/features/imports: the attributes of a record',
  );
  const given = Object.fromEntries(givenAttributes.map(({ name }, index) => [name, samples[index]]));
  const values: Record<string, unknown> = { ...given, manager_id: employeeIds[0] };
  const stored = async () => {
    const where = { accountId, employeeNumber: String(given.employee_number) };
    const employee = await database.prisma.employee.findFirst({ where });
    if (employee === null) throw new Error('The employee is not stored');
    const { updated_at: _, ...attributes } = attributesOf(employee);
    return attributes;
  };
  const csvOf = (record: object) => `${Object.keys(record).join()}\n${Object.values(record).join()}\n`;

  t.match(await importText(database, accountId, csvOf(values)), { refusals: [], counts: { created: 1 } });
  t.same(await stored(), values, 'the values of the file are stored');
  const nullable = givenAttributes
    .filter((attribute) => attribute.nullable)
    .map(({ name }) => name as string);
  const required = Object.entries(values).filter(([name]) => !nullable.includes(name));
  const renamed = { ...Object.fromEntries(required), first_name: 'Other' };
  t.match(await importText(database, accountId, csvOf(renamed)), { refusals: [], counts: { updated: 1 } });
  t.same(await stored(), { ...values, first_name: 'Other' }, 'absent columns change nothing');
  for (const name of nullable) {
    const removed = JSON.stringify({ ...renamed, [name]: null });
    t.match(await importText(database, accountId, removed), { refusals: [], counts: { updated: 1 } });
    t.equal((await stored())[name], null, `null removes ${name}`);
    const restored = csvOf({ ...renamed, [name]: values[name] });
    t.match(await importText(database, accountId, restored), { refusals: [], counts: { updated: 1 } });
    t.match(await importText(database, accountId, csvOf({ ...renamed, [name]: '' })), {
      counts: { updated: 1 },
    });
    t.equal((await stored())[name], null, `an empty field removes ${name}`);
  }
});

t.test('the directory shows the attributes with a column, under their labels', async (t) => {
  const scene = await createScene(database);
  const [employee] = everyShape();
  await insertEmployees(
    database.prisma,
    scene.accountId,
    [employee ?? makeEmployees(1)[0]].flatMap((one) => one ?? []),
  );
  const { body } = await (await signedInBrowser(api, scene.user)).open('/people');
  for (const [index, { label, name, inDirectory }] of givenAttributes.entries()) {
    if (inDirectory)
      t.match(body, `data-label="${label}"><div>${samples[index]}<`, `the directory shows ${name}`);
  }
  t.match(body, 'data-label="Department"');
});
