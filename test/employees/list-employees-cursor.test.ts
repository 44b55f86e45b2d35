import {
  addressOf,
  awkwardEmployees,
  employeeLists,
  ids,
  naive,
  type Page,
  type Query,
} from '../support/records/employee-list.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { setUp, read, refuses } = employeeLists(api);

/** Follows `links.next` to the end. */
async function follow(
  start: string,
  token: string,
  between: (page: Page) => Promise<unknown> = async () => {},
) {
  const seen: string[] = [];
  let next: string | null = start;
  for (let steps = 0; next !== null; steps++) {
    if (steps > 200) throw new Error('The pages do not end');
    const page: Page = await read(next, token);
    seen.push(...ids(page));
    await between(page);
    next = page.links.next;
  }
  return seen;
}

t.test('following links.next reads every employee exactly once, in order', async (t) => {
  const { token, records } = await setUp(awkwardEmployees());
  for (const query of [
    {},
    { sort: '-updated_at,status,email' },
    { 'filter[status]': 'inactive', sort: '-first_name,employee_number' },
  ] as Query[]) {
    t.same(
      await follow(addressOf({ ...query, 'page[size]': '7' }), token),
      naive(records, query).map(({ id }) => id),
      JSON.stringify(query),
    );
  }
});

t.test('following links.next neither misses nor repeats an employee under concurrent changes', async (t) => {
  for (const query of [
    {},
    { sort: '-department,updated_at,-email' },
    { 'filter[department]': 'Sales', sort: '-last_name' },
  ] as Query[]) {
    const { token, records, tenant } = await setUp(makeEmployees(40));
    const expected = naive(records, query).map(({ id }) => id);
    const deleted = new Set<string>();
    const visited = new Set<string>();
    const seen = await follow(addressOf({ ...query, 'page[size]': '6' }), token, async (page) => {
      for (const id of ids(page)) visited.add(id);
      // The record before the next page, the first record of this page, and a record of a later page.
      const gone = [
        page.data.at(-1)?.id,
        page.data[0]?.id,
        expected.find((id) => !visited.has(id) && !deleted.has(id)),
      ];
      for (const id of gone) {
        if (id === undefined) continue;
        deleted.add(id);
        await api.database.prisma.employee.deleteMany({ where: { id, accountId: tenant.accountId } });
      }
      if (visited.size < 40) await insertEmployees(api.database.prisma, tenant.accountId, makeEmployees(2));
    });
    t.equal(new Set(seen).size, seen.length, `${JSON.stringify(query)}: no employee is repeated`);
    const stayed = expected.filter((id) => !deleted.has(id));
    t.ok(stayed.length > 0);
    t.same(
      stayed.filter((id) => !seen.includes(id)),
      [],
      `${JSON.stringify(query)}: no employee that existed throughout is missing`,
    );
  }
});

t.test('accepts the cursor of links.next, however long the sort values are', async (t) => {
  const long = '漢'.repeat(255);
  const employees = makeEmployees(4).map((employee, index) => ({
    ...employee,
    firstName: `${long.slice(1)}${index % 2}`,
    lastName: `${long.slice(1)}${index % 3}`,
    department: long,
  }));
  const { token, records } = await setUp(employees);
  for (const sort of [
    'last_name',
    'first_name,last_name,department',
    '-department,-last_name,first_name,email',
  ]) {
    const response = await api.get(`/v1/employees?sort=${sort}&page[size]=1`, token);
    const { next } = response.json().links;
    const second = await api.get(String(next).replace('http://api.test', ''), token);
    t.equal(second.statusCode, 200, `${sort}: ${second.body.slice(0, 300)}`);
    if (second.statusCode !== 200) continue;
    t.equal((await follow(`/v1/employees?sort=${sort}&page[size]=1`, token)).length, records.length);
  }
});

t.test(
  'rejects a cursor that contradicts the page number, the page size, a filter or the order',
  async (t) => {
    const { token, list } = await setUp(makeEmployees(40));
    const other = await setUp(makeEmployees(40));
    const base: Query = { sort: 'last_name', 'page[size]': '3', 'filter[status]': 'active' };
    const { meta } = await list({ ...base, 'page[number]': '2' });
    const cursor = meta.next_cursor ?? '';
    for (const [query, rule, code] of [
      [{ ...base, 'page[number]': '2' }, 'is the cursor of page[number] 3', 'conflict'],
      [{ ...base, 'page[number]': '4' }, 'is the cursor of page[number] 3', 'conflict'],
      [{ ...base, 'page[size]': '2' }, 'is the cursor of a page with page[size] 3', 'conflict'],
      ...[
        { ...base, 'filter[status]': 'on_leave' },
        { ...base, 'filter[department]': 'Sales' },
        { ...base, sort: '-last_name' },
        { 'page[size]': '3' },
      ].map((query) => [
        query,
        'must be sent to the list, and with the filters and the order, that it was issued for',
        'not_allowed',
      ]),
    ] as [Query, string, string][]) {
      const response = await api.get(addressOf({ ...query, 'page[after]': cursor }), token);
      t.equal(response.statusCode, 400, JSON.stringify(query));
      t.same(response.json().errors, [{ parameter: 'page[after]', code, detail: `page[after] ${rule}.` }]);
    }
    const foreign = await other.list({ ...base, 'page[number]': '3', 'page[after]': cursor });
    for (const id of ids(foreign)) t.ok(other.tenant.employeeIds.includes(id));
  },
);

t.test('meta.next_cursor alone reads the next page, and is null on the last one', async (t) => {
  const { list, records } = await setUp(makeEmployees(23));
  for (const query of [{}, { sort: '-last_name', 'filter[status]': 'active' }] as Query[]) {
    const all = ids(await list({ ...query, 'page[size]': '500' }));
    let page = await list({ ...query, 'page[size]': '4' });
    const seen = ids(page);
    for (let number = 2; page.meta.next_cursor !== null; number += 1) {
      if (number > records.length) throw new Error('The cursors do not end');
      const after: Query = { ...query, 'page[after]': page.meta.next_cursor };
      t.ok(page.links.next?.endsWith(`page%5Bafter%5D=${page.meta.next_cursor}`));
      page = await list(after);
      const sent = { 'page[number]': String(number), 'page[size]': '4' };
      t.same(page, await list({ ...after, ...sent }), 'with number and size');
      t.equal(new URL(page.links.prev ?? '').searchParams.get('page[number]'), String(number - 1));
      t.ok(page.data.length <= 4);
      seen.push(...ids(page));
    }
    t.same(seen, all);
    t.equal(page.links.next, null);
  }
});

const timestamps =
  'now infinity 2026-01-01 2026-13-45T99:99:99Z 2026-01-01T24:00:00Z +010000-01-01T00:00:00Z 0000-01-01T00:00:00Z';
const hostileValues: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308],
  ...timestamps.split(' '),
  ...['', '1', '9'.repeat(300), 'a\u0000b', '\ud800', "'; DROP TABLE employees; --"],
  ...[[], {}, [null], { values: [], position: 1 }],
  JSON.parse('{"__proto__":{"values":["a"]},"constructor":1}'),
];

/** All variants of a JSON value in which one part is replaced by a hostile value. */
function* variantsOf(value: unknown): Iterable<unknown> {
  yield* hostileValues;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    for (const variant of variantsOf(member)) {
      yield Array.isArray(value) ? value.with(Number(key), variant) : { ...value, [key]: variant };
    }
    yield Array.isArray(value) ? value.toSpliced(Number(key), 1) : { ...value, [key]: undefined };
  }
  yield Array.isArray(value) ? [...value, 1] : { ...value, extra: 1 };
}

t.test('a forged cursor is rejected, or reads employees of the own account only', async (t) => {
  const { token, tenant } = await setUp(makeEmployees(12));
  await setUp(makeEmployees(12));
  for (const sort of ['last_name,-updated_at', '']) {
    const query: Query = { 'page[size]': '3', ...(sort === '' ? {} : { sort }) };
    const { links } = await read(addressOf(query), token);
    const next = new URL(links.next ?? '');
    const genuine = next.searchParams.get('page[after]') ?? '';
    const content = JSON.parse(Buffer.from(genuine, 'base64url').toString());
    for (const [index, variant] of [...variantsOf(content)].entries()) {
      const marker = Buffer.from(JSON.stringify(variant) ?? '').toString('base64url');
      if (marker === '' || marker.length > 1024) continue;
      next.searchParams.set('page[after]', marker);
      // With the number and the size of the page, or without them.
      const alone = addressOf({ ...(sort === '' ? {} : { sort }), 'page[after]': marker });
      const response = await api.get(index % 2 === 0 ? alone : `${next.pathname}${next.search}`, token);
      const label = `${sort}: ${JSON.stringify(variant)}`;
      if (response.statusCode === 400) {
        t.equal(response.json().errors?.[0]?.parameter, 'page[after]', label);
      } else {
        t.equal(response.statusCode, 200, label);
        if (response.statusCode !== 200) continue;
        t.ok(response.json().data.length <= 500, label);
        const strangers = ids(response.json()).filter((id) => !tenant.employeeIds.includes(id));
        t.same(strangers, [], label);
      }
    }
  }
});

t.test('rejects a malformed cursor', async (t) => {
  const { token } = await setUp([]);
  const contents = '{ " null [] {} 1 [1,2,3] [1,"x",null] \u0000 [[[[ \ufffd'.split(' ');
  const bytes = Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80]);
  const markers = [
    ...[...contents, '['.repeat(700), bytes].map((content) => Buffer.from(content).toString('base64url')),
    ...['_', '-', 'A', 'AAAA', 'x'.repeat(1024)],
  ];
  for (const marker of markers) await refuses(t, `/v1/employees?page[after]=${marker}`, token, 'page[after]');
  for (const malformed of ['', '!', 'a b', 'AA==', 'AA/+', '%00', '..', 'ä', "'"]) {
    await refuses(t, `/v1/employees?page[after]=${encodeURIComponent(malformed)}`, token, 'page[after]');
  }
  await refuses(t, `/v1/employees?page[after]=${'x'.repeat(20_000 / 2)}`, token, 'page[after]');
  await refuses(t, '/v1/employees?page[after]=AAAA&page[after]=AAAA', token, 'page[after]');
});
