import { callTool, mcpToken } from '../support/mcp/call-tool.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { addressOf, employeeLists, ids, type Query } from '../support/records/employee-list.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;
const { read, refuses } = employeeLists(api);
const staff = makeEmployees(6);
const tenant = await createTenant(api.database, { employees: staff });
const { accountId, employeeIds } = tenant;
const other = await createTenant(api.database, { employees: makeEmployees(1) });
await defineAttributes(api.database, other.accountId, [{ key: 'of_another_account' }]);
await defineAttributes(api.database, accountId, [
  { key: 'cost_center' },
  { key: 'notes', type: 'long_text' },
  { key: 'size', type: 'number' },
  { key: 'start', type: 'date' },
  { key: 'remote', type: 'boolean' },
  { key: 'team', type: 'choice', choices: ['Red', 'Blue, Berlin'] },
  { key: 'languages', type: 'choices', choices: ['English', 'German', 'French'] },
  { key: 'hidden' },
  { key: 'old' },
]);

/** The last employee has no values. */
const values: readonly object[] = [
  { cost_center: 'C1', size: 5, start: '2020-01-01', remote: true, team: 'Red', languages: ['English'] },
  { cost_center: 'c1', size: -2.5, start: '2021-06-30', remote: false, team: 'Blue, Berlin' },
  { cost_center: 'A, "b" %', size: 10, start: '0001-01-01', languages: ['English', 'German'] },
  { cost_center: '5', size: 99999999999.9999, start: '9999-12-31', languages: ['French'], hidden: 'secret' },
  { notes: 'C1', size: 0.0001, remote: true, team: 'Red', old: 'kept' },
];
for (const [index, custom] of values.entries())
  await setCustomValues(api.database, accountId, employeeIds[index] ?? '', custom);
await prisma.customAttribute.updateMany({
  where: { accountId, key: 'old' },
  data: { archivedAt: new Date() },
});

const readable = ['cost_center', 'notes', 'size', 'start', 'remote', 'team', 'languages'];
const reader = await createApplication(api.database, accountId);
const allow = (id: string, keys: readonly string[]) =>
  prisma.application.updateMany({
    where: { id },
    data: { readableAttributes: ['job_title', 'location', ...keys.map((key) => `custom.${key}`)] },
  });
await allow(reader.id, [...readable, 'old', 'of_another_account']);
const token = await api.token(reader);

const f = (key: string, bound?: string) => `filter[custom.${key}]${bound === undefined ? '' : `[${bound}]`}`;

/** The numbers of the employees that match. */
async function found(query: Query): Promise<number[]> {
  const page = await read(addressOf(query), token);
  const numbers = ids(page).map((id) => employeeIds.indexOf(id));
  t.equal(page.meta.record_count, numbers.length, JSON.stringify(query));
  return numbers;
}

t.test('a filter of every type returns exactly the employees with one of the values', async (t) => {
  const cases: readonly [Query, number[]][] = [
    [{ [f('cost_center')]: 'C1' }, [0]],
    [{ [f('cost_center')]: ['C1', 'A, "b" %', 'C1'] }, [0, 2]],
    [{ [f('cost_center')]: 'C1,c1' }, []],
    [{ [f('cost_center')]: ' C1' }, []],
    [{ [f('cost_center')]: '' }, [4, 5]],
    [{ [f('cost_center')]: ['', 'c1'] }, [1, 4, 5]],
    [{ [f('team')]: 'Blue, Berlin' }, [1]],
    [{ [f('team')]: 'Removed' }, []],
    [{ [f('remote')]: 'true' }, [0, 4]],
    [{ [f('remote')]: ['true', 'false'] }, [0, 1, 4]],
    [{ [f('remote')]: '' }, [2, 3, 5]],
    [{ [f('languages')]: 'English' }, [0, 2]],
    [{ [f('languages')]: ['German', 'French'] }, [2, 3]],
    [{ [f('languages')]: '' }, [1, 4, 5]],
    [{ [f('languages')]: 'Eng' }, []],
    [{ [f('size')]: '5' }, [0]],
    [{ [f('size')]: ['005.0', '-2.5', '0.0001'] }, [0, 1, 4]],
    [{ [f('size')]: ['', '99999999999.9999'] }, [3, 5]],
    [{ [f('start')]: '2020-01-01' }, [0]],
    [{ [f('start')]: ['0001-01-01', ''] }, [2, 4, 5]],
  ];
  for (const [query, expected] of cases) t.same(await found(query), expected, JSON.stringify(query));
});

t.test(
  'a range includes its first value and not the one after it, and orders numbers as numbers',
  async (t) => {
    const cases: readonly [Query, number[]][] = [
      [{ [f('size', 'gte')]: '5' }, [0, 2, 3]],
      [{ [f('size', 'lt')]: '5' }, [1, 4]],
      [{ [f('size', 'gte')]: '5', [f('size', 'lt')]: '10' }, [0]],
      [{ [f('size', 'lt')]: '5', [f('size', 'gte')]: '10' }, []],
      [{ [f('start', 'gte')]: '2020-01-01', [f('start', 'lt')]: '9999-12-31' }, [0, 1]],
      [{ [f('start', 'lt')]: '2020-01-01' }, [2]],
      [{ [f('start', 'gte')]: '2021-01-01', [f('start', 'lt')]: '2020-01-01' }, []],
    ];
    for (const [query, expected] of cases) t.same(await found(query), expected, JSON.stringify(query));
  },
);

t.test(
  'filters are combined with each other, with other filters, the search, sort and cursors',
  async (t) => {
    t.same(await found({ [f('remote')]: 'true', [f('team')]: 'Red', [f('size', 'lt')]: '1' }), [4]);
    const id = employeeIds.slice(0, 3).join();
    t.same(await found({ 'filter[id]': id, [f('languages')]: 'English', sort: '-employee_number' }), [2, 0]);
    const number = staff[0]?.employeeNumber ?? '';
    t.same(await found({ 'filter[search]': number, [f('cost_center')]: 'C1' }), [0]);
    t.same(await found({ 'filter[search]': number, [f('cost_center')]: 'c1' }), []);
    const visited: string[] = [];
    let url: string | null = addressOf({
      [f('size', 'gte')]: '-99',
      'page[size]': '2',
      sort: '-employee_number',
    });
    while (url !== null) {
      const page = await read(url, token);
      t.equal(page.meta.record_count, 5);
      visited.push(...ids(page));
      url = page.links.next;
    }
    t.same(visited, employeeIds.slice(0, 5).toReversed());
  },
);

t.test('a cursor belongs to the list with the same filter', async (t) => {
  const query = { [f('remote')]: ['true', 'false'], 'page[size]': '1' };
  const { meta } = await read(addressOf(query), token);
  const after = { 'page[size]': '1', 'page[after]': meta.next_cursor ?? '' };
  t.equal((await read(addressOf({ ...query, ...after }), token)).data.length, 1);
  for (const others of [{}, { [f('remote')]: 'true' }, { [f('size', 'gte')]: '1' }])
    await refuses(t, addressOf({ ...others, ...after }), token, 'page[after]');
});

t.test('a malformed value is rejected at its parameter with what is valid', async (t) => {
  const cases: readonly [name: string, value: string | string[], rule: RegExp][] = [
    ...['x', '1e3', '0x10', ' 5', '5 ', '123456789012', '1.23456', '1,5', 'NaN', 'Infinity'].map(
      (text): [string, string, RegExp] => [f('size'), text, /must be a number such as 1234\.5/],
    ),
    [f('size'), ['5', 'x'], /must be a number/],
    [f('size', 'gte'), 'x', /must be a number/],
    [f('size', 'lt'), '', /1 to 64 characters/],
    [f('size', 'gte'), ['1', '2'], /once|repeated/],
    [f('start'), '2020-02-30', /must be an existing date/],
    [f('start', 'gte'), '0000-01-01', /must be an existing date/],
    [f('remote'), 'yes', /must be one of true, false/],
    [f('remote'), 'TRUE', /must be one of true, false/],
    [f('cost_center', 'gte'), 'C1', /valid is filter\[custom\.cost_center\]/],
    [f('languages', 'lt'), 'English', /valid is filter\[custom\.languages\]/],
    [f('notes'), 'C1', /long texts cannot be filtered/],
    [f('notes'), '', /long texts cannot be filtered/],
    [f('notes', 'gte'), 'C1', /long texts cannot be filtered/],
    [f('cost_center'), 'x'.repeat(256), /at most 255 characters/],
    [f('cost_center'), Array.from({ length: 51 }, String), /50 items/],
    [f('cost_center'), 'a\0', /NUL/],
  ];
  for (const [name, value, rule] of cases) await refuses(t, addressOf({ [name]: value }), token, name, rule);
  const both = [
    { [f('size')]: '5', [f('size', 'gte')]: '1' },
    { [f('size', 'lt')]: '5', [f('size')]: '1' },
  ];
  for (const query of both) await refuses(t, addressOf(query), token, f('size'), /cannot be combined with/);
});

t.test(
  'a hidden attribute, an archived one and that of another account are unknown parameters',
  async (t) => {
    const errorOf = async (key: string, suffix: string, value: string) => {
      const response = await api.get(addressOf({ [`filter[custom.${key}]${suffix}`]: value }), token);
      t.equal(response.statusCode, 400, response.body);
      const { request_id: _, ...problem } = response.json();
      return JSON.stringify(problem).replaceAll(`custom.${key}]`, 'custom.KEY]');
    };
    for (const suffix of ['', '[gte]'])
      for (const value of ['secret', 'kept', '', 'x'.repeat(60)]) {
        if (suffix !== '' && value === '') continue;
        const unknown = await errorOf('unknown', suffix, value);
        t.match(unknown, /is an unknown query parameter; valid parameters are/);
        for (const key of ['hidden', 'old', 'of_another_account', '__proto__', 'constructor'])
          t.equal(await errorOf(key, suffix, value), unknown, key);
      }
    const malformed = await errorOf('Malformed', '', 'x');
    t.equal(malformed, await errorOf('unknown', '', 'x'), 'as a key that no attribute can have');
    t.notMatch(malformed, /hidden|old\b|cost_center/);
    for (const name of [
      'filter',
      'filter[custom]',
      'filter[custom][size]',
      'filter[custom.size][eq]',
      'filter[size]',
    ])
      await refuses(t, addressOf({ [name]: '5' }), token, name, /unknown query parameter/);
  },
);

t.test('an application without custom attributes has no filter of them', async (t) => {
  const without = await createApplication(api.database, accountId);
  await allow(without.id, []);
  const its = await api.token(without);
  for (const key of [...readable, 'unknown'])
    await refuses(t, addressOf({ [f(key)]: 'x' }), its, f(key), /unknown query parameter/);
});

t.test('a key or a value that looks like SQL finds nothing and changes nothing', async (t) => {
  for (const text of ["' OR true --", "C1'; DROP TABLE employees; --", '{"a":1}', '?|', '$1'])
    t.same(await found({ [f('cost_center')]: text, [f('languages')]: text }), []);
  await refuses(t, addressOf({ [f("a' OR true --")]: 'x' }), token, f("a' OR true --"), /unknown/);
});

t.test('a tool call has the filters in one argument', async (t) => {
  const toolToken = await mcpToken(api, reader);
  const call = async (filter: unknown) =>
    (await callTool(api, toolToken, 'listEmployees', { filter })).json().result;
  for (const [filter, expected] of [
    [{ 'custom.cost_center': 'C1' }, [0]],
    [{ 'custom.languages': ['German', 'French'] }, [2, 3]],
    [{ 'custom.size': 5, 'custom.remote': true }, [0]],
    [{ 'custom.size': { gte: 5, lt: '11' } }, [0, 2]],
    [{}, [0, 1, 2, 3, 4, 5]],
  ] as const) {
    const { structuredContent } = await call(filter);
    t.same(
      structuredContent.data.map(({ id }: { id: string }) => employeeIds.indexOf(id)),
      expected,
      JSON.stringify(filter),
    );
  }
  for (const [filter, place] of [
    [{ 'custom.size': 'x' }, 'filter/custom.size:'],
    [{ 'custom.size': { gte: 'x' } }, 'filter/custom.size/gte:'],
    [{ 'custom.hidden': 'secret' }, 'filter/custom.hidden:'],
    [{ 'custom.cost_center': [] }, 'custom'],
    [{ unknown: 'x' }, 'unknown'],
    ['x', 'filter:'],
  ] as const) {
    const { isError, content } = await call(filter);
    t.equal(isError, true, JSON.stringify(filter));
    t.ok(content[0].text.includes(place), content[0].text);
  }
});
