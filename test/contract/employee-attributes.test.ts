import { computedGroupKeys } from '../../src/features/reports/computed-keys.js';
import { type JsonSchema, type Parameter, resolve } from '../../src/platform/contract/contract.js';
import { contractAttributes } from '../../src/platform/contract/employee-attributes.js';
import { contract } from '../support/server/app.js';
import t from '../support/tap.js';

const { document } = contract;
const schemaOf = (name: string) => document.components.schemas[name] ?? {};
const propertiesOf = (name: string) => Object.keys(schemaOf(name).properties ?? {});
const listOf = (name: string, keyword: string) => (schemaOf(name)[keyword] ?? []) as readonly string[];

// `custom` has the values of the attributes of an account.
const attributes = propertiesOf('EmployeeAttributes').filter((name) => name !== 'custom');
const columns = ['id', ...attributes];
const groupKeys = [...columns, ...computedGroupKeys];
const sortKeysOf = (names: readonly string[]) => names.flatMap((name) => [name, `-${name}`]);
const sortNamesOf = (names: readonly string[]) => names.flatMap((name) => [name, `${name}_descending`]);

/** Every list in the contract that has an entry for each attribute. */
const lists: readonly [place: string, names: readonly string[], expected: readonly string[]][] = [
  [
    'EmployeeAttributes.required with RestrictedAttribute',
    [...listOf('EmployeeAttributes', 'required'), ...listOf('RestrictedAttribute', 'x-extensible-enum')],
    attributes,
  ],
  [
    'ReportRowAttributes.properties',
    propertiesOf('ReportRowAttributes').filter((name) => name !== 'custom' && name !== 'measures'),
    [...groupKeys, 'count'],
  ],
  ['ReportColumnKey.x-extensible-enum', listOf('ReportColumnKey', 'x-extensible-enum'), columns],
  ['ReportColumnInput.enum', listOf('ReportColumnInput', 'enum'), columns],
  ['ReportGroupKeyInput.enum', listOf('ReportGroupKeyInput', 'enum'), groupKeys],
  ['ReportGroupKey.x-extensible-enum', listOf('ReportGroupKey', 'x-extensible-enum'), groupKeys],
  [
    'ReportDateColumnInput.enum',
    listOf('ReportDateColumnInput', 'enum'),
    contractAttributes.filter(({ type }) => type !== 'text').map(({ name }) => name),
  ],
  ['ListReportSortKey.enum', listOf('ListReportSortKey', 'enum'), sortKeysOf(columns)],
  ['ListReportSortKey.x-enum-varnames', listOf('ListReportSortKey', 'x-enum-varnames'), sortNamesOf(columns)],
  ['ReportSortKey.enum', listOf('ReportSortKey', 'enum'), sortKeysOf([...groupKeys, 'count'])],
  [
    'ReportSortKey.x-enum-varnames',
    listOf('ReportSortKey', 'x-enum-varnames'),
    sortNamesOf([...groupKeys, 'count']),
  ],
];

t.test('the contract has every attribute of an employee in every list of attributes', async (t) => {
  for (const [place, names, expected] of lists) {
    const missing = expected.filter((name) => !names.includes(name));
    const unknown = names.filter((name) => !expected.includes(name));
    t.same(missing, [], `openapi/v1.yaml: ${place} lacks ${missing}`);
    t.same(unknown, [], `openapi/v1.yaml: ${place} has ${unknown}, which EmployeeAttributes lacks`);
  }
});

t.test('listEmployees accepts every attribute in sort, and all of them together', async (t) => {
  const { description, schema } = resolve<Parameter & { description: string }>(document, {
    $ref: '#/components/parameters/EmployeeSort',
  });
  const pattern = new RegExp(String(schema.pattern));
  for (const name of attributes) {
    t.match(`-${name}`, pattern, `openapi/v1.yaml: the pattern of EmployeeSort lacks ${name}`);
    t.match(description, `\`${name}\``, `openapi/v1.yaml: the description of EmployeeSort lacks ${name}`);
  }
  const all = attributes.map((name) => `-${name}`).join();
  t.match(
    all,
    pattern,
    `openapi/v1.yaml: the pattern of EmployeeSort repeats less than ${attributes.length} times`,
  );
  t.ok(
    all.length <= Number(schema.maxLength),
    `openapi/v1.yaml: maxLength of EmployeeSort is below ${all.length}`,
  );
});

t.test('every filter of listEmployees that has the name of an attribute accepts its values', async (t) => {
  const parameters = contract.operations.get('listEmployees')?.queryParameters ?? new Map();
  for (const { name, type, nullable } of contractAttributes) {
    const schema: JsonSchema | undefined = parameters.get(`filter[${name}]`)?.schema;
    if (schema === undefined) continue;
    const [single = schema] = (schema.oneOf ?? []) as readonly JsonSchema[];
    t.equal(
      single.format,
      type === 'date' ? 'date' : undefined,
      `openapi/v1.yaml: filter[${name}] is of ${type}`,
    );
    t.equal(
      single.type,
      'string',
      `openapi/v1.yaml: filter[${name}]${nullable ? ', which is never null' : ''}`,
    );
  }
});

t.test('a report can have all columns, and its limits allow for them', async (t) => {
  const limits = [
    ['ReportColumnInputs', schemaOf('ReportColumnInputs'), columns.length],
    ['ReportRowListMeta.columns', schemaOf('ReportRowListMeta').properties?.columns ?? {}, columns.length],
  ] as const;
  for (const [place, { maxItems }, least] of limits)
    t.ok(Number(maxItems) >= least, `openapi/v1.yaml: maxItems of ${place} is below ${least}`);
  const types = listOf('ReportColumnType', 'x-extensible-enum');
  if (contractAttributes.some(({ type }) => type === 'date'))
    t.ok(types.includes('date'), 'openapi/v1.yaml: ReportColumnType lacks date');
});

t.test('an attribute has the same schema in rows of reports, where it can also be null', async (t) => {
  for (const name of attributes) {
    const { type, format, maxLength } = schemaOf('EmployeeAttributes').properties?.[name] ?? {};
    const row = schemaOf('ReportRowAttributes').properties?.[name] ?? {};
    const expected = { type: [...new Set([type, 'null'].flat())], format, maxLength };
    const found = { type: row.type, format: row.format, maxLength: row.maxLength };
    t.same(found, expected, `openapi/v1.yaml: ReportRowAttributes.${name}`);
  }
});

t.test('the generated constants have the attributes of the contract', async (t) => {
  t.same(
    contractAttributes.map(({ name }) => name),
    attributes,
    'src/platform/contract/generated-values.ts: npm run generate',
  );
});
