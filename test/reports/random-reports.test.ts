import {
  type AttributeType,
  employeeAttributes,
  givenAttributes,
} from '../../src/features/employees/employee-attributes.js';
import { computedGroupKeys } from '../../src/features/reports/computed-keys.js';
import { createRandom, type Random } from '../support/input/random.js';
import {
  asShown,
  columnKeys,
  evaluate,
  type NaiveDefinition,
  type NaiveEmployee,
} from '../support/records/naive-report.js';
import { createReportClient, parseCsv } from '../support/records/reports.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

const characters = [...'aAbBzZäÄéÉñÑ019 ,"\'\n\r%_\\=+-@;|😀\tß\ufffd\u{10ffff}\uffff'];
const pieces = [...characters, '\r\n', 'Smith'];

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

const today = api.clock().toISOString().slice(0, 10);

/** The date of a number of days before today. */
const before = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);

const dates = [
  '2024-02-29',
  '1999-12-31',
  '0001-01-01',
  today,
  before(-1),
  before(31),
  before(200),
  before(400),
];

/** Values of the attributes that can be `null`. */
function randomNullables(random: Random): Partial<TestEmployee> {
  const given = givenAttributes.filter(({ nullable }) => nullable && random.chance(0.7));
  const value = (type: AttributeType) => (type === 'date' ? random.pick(dates) : randomText(random, 3));
  return Object.fromEntries(given.map(({ member, type }) => [member, value(type)]));
}

const allMeasures = ['sum', 'average', 'minimum', 'maximum'].flatMap((name) =>
  (name.startsWith('m') ? ['tenure', 'hire_date', 'termination_date'] : ['tenure']).map((field) => ({
    function: name,
    field,
  })),
);

function typeOf(field: string): AttributeType {
  return employeeAttributes.find(({ name }) => name === field)?.type ?? 'text';
}

function randomDefinition(random: Random, employees: readonly NaiveEmployee[]): NaiveDefinition {
  const grouped = random.chance(0.4);
  const keys = random.chance(0.5) ? columnKeys : [...computedGroupKeys, 'department', 'status'];
  const groupBy = grouped ? random.some(keys, 1 + random.upTo(2)) : [];
  const measures = grouped ? random.some(allMeasures, random.upTo(4)) : [];
  const measureKeys = measures.map((measure) => `${measure.function}_${measure.field}`);
  const sortable = grouped ? [...groupBy, 'count', ...measureKeys] : columnKeys;
  const filters = Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, () => {
    const field = random.pick(columnKeys);
    const others =
      typeOf(field) === 'text'
        ? ['contains', 'starts_with']
        : ['before', 'after', 'on_or_before', 'on_or_after'];
    const operator = random.pick(['eq', 'not_eq', 'in', 'not_in', 'empty', 'not_empty', ...others]);
    if (operator.endsWith('empty')) return { field, operator };
    const value = () => {
      const text = random.pick(employees)[field] ?? '';
      if (typeOf(field) === 'date') return text || '2026-02-28';
      if (field === 'updated_at') return random.chance(0.5) ? text : text.replace(/T00(.*)Z/, 'T02$1+02:00');
      if (operator === 'contains') {
        const part = [...text].slice(random.upTo([...text].length + 1)).join('');
        return part.toUpperCase().replaceAll('SS', 'ß');
      }
      if (operator === 'starts_with') return [...text].slice(0, random.upTo(4)).join('').toLowerCase();
      return random.chance(0.8) ? text : randomText(random, 4);
    };
    const list = operator.endsWith('in');
    return { field, operator, value: list ? Array.from({ length: 1 + random.upTo(6) }, value) : value() };
  });
  return {
    ...(grouped
      ? { group_by: groupBy, measures }
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
  await createReportClient(api, { employees: randomEmployees(random, 20) });
  for (const count of [1, 60]) {
    const employees = randomEmployees(random, count);
    const client = await createReportClient(api, { employees });
    const shown = employees.map((employee, index) =>
      asShown(employee, client.tenant.employeeIds[index] ?? ''),
    );
    for (let round = 0; round < (count === 1 ? 3 : 24); round += 1) {
      const definition = randomDefinition(random, shown);
      const label = JSON.stringify(definition);
      const expected = evaluate(shown, definition, today);
      const id = await client.saved({ title: 'random', ...definition });
      const size = 1 + random.upTo(30) + (count === 1 ? 0 : 4);
      const rows = await client.allRows(id, size);
      const found = rows.map(({ attributes: { measures, ...others } }) => [
        ...Object.entries(others),
        ...Object.entries(Object(measures)),
      ]);
      if (!t.strictSame(found, expected, `${label} by ${size}`)) return;
      const number = 1 + random.upTo(Math.ceil(expected.length / size) + 1);
      const url = `/v1/reports/${id}/results?page[size]=${size}&page[number]=${number}`;
      const { data, meta } = (await client.send('GET', url)).json();
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
