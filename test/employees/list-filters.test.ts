import { createRandom } from '../support/input/random.js';
import {
  addressOf,
  employeeLists,
  ids,
  naive,
  type Page,
  type Query,
  type Stored,
} from '../support/records/employee-list.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { setUp, read, refuses } = employeeLists(api);

const departments = ['Sales', 'Design, Berlin', 'R&D + Co #1 100%', 'sales', '"x"=y'];
const locations = ['London', 'Berlin, Mitte', null, 'Lisboa', 'New York'];
const titles = ['Engineer', 'Manager, Sales', null, 'engineer'];
const days = ['0001-01-01', '2020-02-29', '2021-12-31', null, '2022-01-01', '9999-12-31'];

/** Employees with every combination of values that differ in a way a filter could miss; some have a manager. */
async function setUpStaff() {
  const employees = makeEmployees(90).map(
    (employee, index): TestEmployee => ({
      ...employee,
      department: departments[index % 5] ?? '',
      location: locations[(index * 3) % 5] ?? null,
      jobTitle: titles[(index * 5) % 4] ?? null,
      hireDate: days[(index * 7) % 6] ?? null,
      terminationDate: days[(index >> 2) % 6] ?? null,
    }),
  );
  const { tenant, token, records, list } = await setUp(employees);
  const managers = [records[3]?.id ?? '', records[40]?.id ?? ''];
  const managed = records.map((record, index) => ({
    ...record,
    managerId: index % 4 === 1 ? (managers[index % 3 === 0 ? 1 : 0] ?? null) : null,
  }));
  for (const managerId of managers) {
    const people = managed.filter((record) => record.managerId === managerId);
    for (const { id, updatedAt } of people)
      await api.database.prisma.employee.updateMany({
        where: { accountId: tenant.accountId, id },
        data: { managerId, updatedAt },
      });
  }
  return { tenant, token, records: managed as readonly Stored[], managers, list };
}

const staff = await setUpStaff();

const everyPage = async (query: Query, token: string): Promise<string[]> => {
  const found: string[] = [];
  for (let url: string | null = addressOf({ ...query, 'page[size]': '7' }); url !== null; ) {
    const page: Page = await read(url, token);
    found.push(...ids(page));
    url = page.links.next;
  }
  return found;
};

t.test(
  'every filter alone, and random combinations, return exactly the matching employees on all pages',
  async (t) => {
    const { records, managers, token, list } = staff;
    const id = (index: number) => records[index]?.id ?? '';
    const choices: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
      'filter[id]': [id(3), [id(1), id(5), 'unknown', id(80), id(1)].join(), `x${id(2)}`],
      'filter[status]': ['active', 'active,on_leave', 'terminated,active,inactive,on_leave,other'],
      'filter[department]': [
        'Sales',
        ['Sales', 'Design, Berlin'],
        ['"x"=y', 'R&D + Co #1 100%', 'Sales', 'Sales'],
      ],
      'filter[location]': [
        'London',
        '',
        ['Berlin, Mitte', 'London'],
        ['', 'Lisboa'],
        ['New York', 'nowhere'],
      ],
      'filter[job_title]': ['Engineer', ['Manager, Sales', 'engineer'], 'Nothing'],
      'filter[manager_id]': [...managers, 'unknown', id(7)],
      'filter[hire_date][gte]': ['0001-01-01', '2020-02-29', '2021-12-31', '9999-12-31'],
      'filter[hire_date][lt]': ['0001-01-01', '2022-01-01', '2022-01-02', '9999-12-31'],
      'filter[termination_date][gte]': ['2020-03-01', '2022-01-01'],
      'filter[termination_date][lt]': ['2021-12-31', '9999-12-31'],
      'filter[updated_at][gte]': ['2026-01-02T00:00:00Z', '2026-01-03T05:30:00+05:30'],
      'filter[updated_at][lt]': ['2026-01-04T00:00:00Z', '2026-01-02T12:00:00.000Z'],
      'filter[updated_since]': ['2026-01-02T06:00:00Z', '1900-01-01T00:00:00Z'],
      sort: ['-last_name', 'hire_date,-job_title'],
    };
    const check = async (query: Query) => {
      const expected = naive(records, query).map((record) => record.id);
      t.same(await everyPage(query, token), expected, JSON.stringify(query));
      t.equal((await list(query)).meta.record_count, expected.length, JSON.stringify(query));
      return expected.length;
    };
    for (const [name, values] of Object.entries(choices))
      for (const value of values) await check({ [name]: value });
    const random = createRandom(20261128);
    let found = 0;
    for (let round = 0; round < 60; round += 1) {
      const names = Object.keys(choices).filter(() => random.chance(0.25));
      found += await check(Object.fromEntries(names.map((name) => [name, random.pick(choices[name] ?? [])])));
    }
    t.ok(found > 100, `${found} employees in combinations`);
  },
);

t.test('employees of other accounts match no filter', async (t) => {
  const { records, managers, token } = staff;
  const other = await setUpStaff();
  for (const query of [
    {
      'filter[id]': records
        .map(({ id }) => id)
        .slice(0, 50)
        .join(),
    },
    { 'filter[manager_id]': managers[0] ?? '' },
    { 'filter[search]': records[5]?.employeeNumber ?? '' },
  ]) {
    t.ok((await read(addressOf(query), token)).meta.record_count > 0);
    t.same((await read(addressOf(query), other.token)).data, [], JSON.stringify(query));
  }
});

t.test('a department with a comma is one value, and a status or id with a comma are two', async (t) => {
  const { records, list } = staff;
  const count = async (query: Query) => (await list(query)).meta.record_count;
  t.equal(await count({ 'filter[department]': 'Design, Berlin' }), 18);
  t.equal(await count({ 'filter[department]': 'Sales,Design, Berlin' }), 0);
  t.equal(await count({ 'filter[location]': 'London,Lisboa' }), 0);
  t.equal(await count({ 'filter[id]': `${records[0]?.id},${records[1]?.id}` }), 2);
});

t.test('links and cursors keep all filters, and belong to them', async (t) => {
  const { token } = staff;
  const query: Query = {
    'filter[department]': ['Sales', 'Design, Berlin'],
    'filter[status]': 'active,on_leave',
    'filter[hire_date][gte]': '0001-01-01',
    'filter[search]': 'first',
    'page[size]': '3',
  };
  const page = await read(addressOf(query), token);
  const next = new URL(String(page.links.next));
  t.same(next.searchParams.getAll('filter[department]'), ['Sales', 'Design, Berlin']);
  for (const name of ['filter[status]', 'filter[hire_date][gte]', 'filter[search]'])
    t.equal(next.searchParams.get(name), query[name]);
  const after = String(page.meta.next_cursor);
  for (const changed of [
    { 'filter[department]': ['Sales'] },
    { 'filter[status]': 'active' },
    { 'filter[hire_date][gte]': '0001-01-02' },
    { 'filter[search]': 'last' },
  ])
    await refuses(t, addressOf({ ...query, ...changed, 'page[after]': after }), token, 'page[after]');
});

t.test('an end before the start of a range, and an empty range, are an empty list', async (t) => {
  const { list } = staff;
  for (const [name, from, before] of [
    ['hire_date', '2022-01-01', '2020-01-01'],
    ['termination_date', '2020-02-29', '2020-02-29'],
    ['updated_at', '2026-02-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ] as const) {
    const page = await list({ [`filter[${name}][gte]`]: from, [`filter[${name}][lt]`]: before });
    t.same(page.data, [], name);
    t.match(page.meta, { record_count: 0, next_cursor: null });
  }
});

t.test(
  'of filter[updated_since] and filter[updated_at][gte] the later one counts, in either order',
  async (t) => {
    const { records, token } = staff;
    const [early, late] = ['2026-01-02T00:00:00Z', '2026-01-04T00:00:00Z'];
    const expected = records.filter(({ updatedAt }) => updatedAt.getTime() >= Date.parse(late)).length;
    t.ok(expected > 0 && expected < records.length);
    for (const [one, other] of [
      [early, late],
      [late, early],
    ] as const)
      for (const url of [
        `filter[updated_since]=${one}&filter[updated_at][gte]=${other}`,
        `filter[updated_at][gte]=${other}&filter[updated_since]=${one}`,
      ])
        t.equal((await read(`/v1/employees?${url}`, token)).meta.record_count, expected, url);
  },
);

t.test('a bound between two milliseconds is exact: stored times have milliseconds', async (t) => {
  const { records, token } = staff;
  const [stored] = records.map(({ updatedAt }) => updatedAt.toISOString()).toSorted();
  const count = async (bound: string, time: string) =>
    (await read(`/v1/employees?filter[updated_at][${bound}]=${time}`, token)).meta.record_count;
  const earliest = records.filter(({ updatedAt }) => updatedAt.toISOString() === stored).length;
  const after = String(stored).replace('Z', '0001Z');
  t.equal(await count('lt', String(stored)), 0);
  t.equal(await count('lt', after), earliest);
  t.equal(await count('gte', after), records.length - earliest);
  t.equal(await count('gte', String(stored).replace('Z', '000Z')), records.length);
});

t.test('rejects malformed values of each filter, and names the parameter and the valid values', async (t) => {
  const { token } = await setUp([]);
  const rejects = (name: string, value: string, rule: RegExp) =>
    refuses(t, `/v1/employees?filter${name}=${value}`, token, `filter${name}`, rule);
  for (const [name, length] of [
    ['[id]', 255],
    ['[status]', 64],
  ] as const) {
    const rule = new RegExp(`1 to 50 values of 1 to ${length} characters, separated by commas`);
    for (const value of [',', 'a,', ',a', 'a,,b', `a,${'x'.repeat(length + 1)}`])
      await rejects(name, value, rule);
    await rejects(name, Array.from({ length: 51 }, (_, index) => `v${index}`).join(), rule);
    await rejects(name, '', /1 to \d+ characters/);
    await rejects(name, `a&filter${name}=b`, /must not be repeated/);
    const most = Array.from({ length: 50 }, () => 'x'.repeat(5)).join();
    t.equal((await api.get(`/v1/employees?filter${name}=${most}`, token)).statusCode, 200);
  }
  for (const name of ['[department]', '[location]', '[job_title]']) {
    const long = 'x'.repeat(256);
    await rejects(name, long, /255 characters/);
    await rejects(name, `a&filter${name}=${long}&filter${name}=${long}`, /255 characters/);
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `v${index}`).join(`&filter${name}=`);
    await rejects(name, many(51), /1 to 50 items/);
    t.equal((await api.get(`/v1/employees?filter${name}=${many(50)}`, token)).statusCode, 200);
    await rejects(name, 'a%00b', /NUL/);
    await rejects(name, `a&filter${name}=a%00b`, /NUL/);
    if (name === '[location]') continue;
    await rejects(name, '', /1 to 255 characters/);
    await rejects(name, `a&filter${name}=`, /1 to 255 characters/);
  }
  await rejects('[manager_id]', '', /1 to 255 characters/);
  await rejects('[manager_id]', 'x'.repeat(256), /255 characters/);
  await rejects('[manager_id]', 'a&filter[manager_id]=b', /must not be repeated/);
  const dates =
    'today 2026 2026-1-1 2026-02-30 2025-02-29 0000-01-01 10000-01-01 -001-01-01 2026-01-01T00:00:00Z 2026-01-01%20';
  for (const name of ['hire_date', 'termination_date'])
    for (const bound of ['gte', 'lt']) {
      const parameter = `[${name}][${bound}]`;
      for (const value of ['', ...dates.split(' ')])
        await rejects(parameter, value, /must be an existing date/);
      await rejects(parameter, `2026-01-01&filter${parameter}=2026-01-01`, /must not be repeated/);
    }
  const times =
    'now 2026-01-01 2026-01-01T00:00:00 1899-12-31T23:59:59Z 2016-12-31T23:59:60Z 2026-01-01T00:00:00+02:00';
  for (const bound of ['gte', 'lt']) {
    const parameter = `[updated_at][${bound}]`;
    for (const value of ['', ...times.split(' ')])
      await rejects(parameter, value, /RFC 3339 date-time with a time zone/);
    await rejects(parameter, '2026-02-30T00:00:00Z', /existing date and time/);
    await rejects(
      parameter,
      `2026-01-01T00:00:00Z&filter${parameter}=2026-01-01T00:00:00Z`,
      /must not be repeated/,
    );
  }
  await rejects('[search]', '', /1 to 100 characters/);
  for (const value of ['%20', ',', '%20,%09,%E3%80%80'])
    await rejects('[search]', value, /other than white space and commas/);
  await rejects('[search]', 'x'.repeat(101), /100 characters/);
  await rejects('[search]', 'a&filter[search]=b', /must not be repeated/);
});

t.test('names each invalid filter once, also with several invalid values', async (t) => {
  const { token } = await setUp([]);
  const long = 'x'.repeat(256);
  const response = await api.get(
    `/v1/employees?filter[department]=${long}&filter[department]=&filter[location]=${long}&filter[status]=,&filter[hire_date][lt]=x`,
    token,
  );
  t.equal(response.statusCode, 400);
  const names = response.json().errors.map(({ parameter }: { parameter: string }) => parameter);
  t.same(names.sort(), ['filter[department]', 'filter[hire_date][lt]', 'filter[location]', 'filter[status]']);
});

t.test(
  'a search has the rules of the directory, and combines with filters, an order and pages',
  async (t) => {
    const names = ['Zoë Müller', 'Zoe Muller', 'Max Müllerschön', 'Ada Lovelace', 'Muller Zo'];
    const { list, token, records } = await setUp(
      makeEmployees(25).map((employee, index) => {
        const [firstName = '', lastName = ''] = (names[index % 5] ?? '').split(' ');
        return { ...employee, firstName, lastName, email: `p${index}@search.example` };
      }),
    );
    const named = (...indexes: number[]) =>
      records.filter((_, index) => indexes.includes(index % 5)).map(({ id }) => id);
    for (const [text, expected] of [
      ['mull', named(0, 1, 2, 4)],
      ['zo mul', named(0, 1, 4)],
      ['MÜLLER, zoë', named(0, 1)],
      ['lovelace', named(3)],
      ['p7@search', [records[7]?.id]],
      [records[9]?.employeeNumber ?? '', [records[9]?.id]],
      ['ull', []],
      ['zo nobody', []],
    ] as const) {
      const page = await list({ 'filter[search]': text });
      t.same(ids(page), expected, text);
      t.same(page.meta, { record_count: expected.length, next_cursor: null, search_truncated: false }, text);
      const sorted = await everyPage({ 'filter[search]': text, sort: '-updated_at' }, token);
      t.same(sorted.sort(), [...expected].sort(), text);
    }
    const both = await list({
      'filter[search]': 'mull',
      'filter[status]': 'active',
      'filter[location]': ['London', ''],
    });
    t.same(
      ids(both),
      records
        .filter(
          ({ id, status, location }) =>
            named(0, 1, 2, 4).includes(id) &&
            status === 'active' &&
            (location === 'London' || location === null),
        )
        .map(({ id }) => id),
    );
    t.notOk(
      'search_truncated' in (await list({ 'filter[status]': 'active' })).meta,
      'absent without a search',
    );
  },
);

t.test(
  'a search that stops at its limit says so, and its pages have the employees that it counts',
  async (t) => {
    const { tenant, list, token } = await setUp([]);
    await insertEmployees(
      api.database.prisma,
      tenant.accountId,
      makeEmployees(1001, { firstName: 'Common', lastName: 'Name' }),
    );
    t.match((await list({ 'filter[search]': 'common' })).meta, {
      record_count: 1001,
      search_truncated: true,
    });
    const url = addressOf({ 'filter[search]': 'common', 'page[size]': '500', 'page[number]': '3' });
    const last = await read(url, token);
    t.equal(last.data.length, 1);
    t.equal(last.links.next, null);
    const unique = await list({ 'filter[search]': 'tenant' });
    t.match(unique.meta, { record_count: 0, search_truncated: false });
  },
);
