import t, { type Test } from 'tap';
import { insertEmployees } from '../../support/records/insert-employees.js';
import {
  createApplication,
  createTenant,
  makeEmployees,
  type Tenant,
  type TestEmployee,
} from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';

interface Listed {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Page {
  readonly data: readonly Listed[];
  readonly meta: { readonly record_count: number; readonly next_cursor: string | null };
  readonly links: Readonly<Record<'first' | 'prev' | 'next' | 'last', string | null>>;
}

type Stored = TestEmployee & { readonly id: string };
type Query = Readonly<Record<string, string>>;

const members = {
  employee_number: 'employeeNumber',
  first_name: 'firstName',
  last_name: 'lastName',
  email: 'email',
  status: 'status',
  department: 'department',
  updated_at: 'updatedAt',
} as const satisfies Record<string, keyof TestEmployee>;

type AttributeName = keyof typeof members;

const attributeNames = Object.keys(members) as AttributeName[];

const api = await buildTestApp(t);

/** An account of the test's own with these employees. */
async function setUp(employees: readonly TestEmployee[]) {
  const tenant = await createTenant(api.database, { employees });
  const token = await api.token(tenant.application);
  const records: Stored[] = employees.map((employee, index) => ({
    ...employee,
    id: tenant.employeeIds[index] ?? '',
  }));
  return { tenant, token, records, list: (query: Query = {}) => read(addressOf(query), token) };
}

function addressOf(query: Query): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return `/v1/employees?${pairs.join('&')}`;
}

async function read(url: string, token: string): Promise<Page> {
  const response = await api.get(url.replace(/^http:\/\/api\.test/, ''), token);
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${response.body}`);
  return response.json();
}

const ids = (page: Page): string[] => page.data.map(({ id }) => id);

/** Expects 400 `invalid_request` that names the parameter, and nothing but it. */
async function refuses(t: Test, url: string, token: string, parameter: string, rule = /./): Promise<void> {
  const response = await api.get(url, token);
  const problem = response.json();
  t.equal(response.statusCode, 400, url.slice(0, 200));
  t.equal(problem.code, 'invalid_request');
  t.same(
    [...new Set(problem.errors?.map((error: { parameter: string }) => error.parameter))],
    [parameter],
    `${url.slice(0, 200)} is refused because of ${parameter}`,
  );
  t.match(problem.errors?.[0]?.detail, rule, url.slice(0, 200));
}

function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function wireValue(record: Stored, name: AttributeName): string {
  const value = record[members[name]];
  return value instanceof Date ? value.toISOString() : value;
}

function sortKeys(sort: string): { name: AttributeName; sign: number }[] {
  return sort.split(',').map((key) => ({
    name: key.replace(/^-/, '') as AttributeName,
    sign: key.startsWith('-') ? -1 : 1,
  }));
}

/** What the list is to be, worked out in memory. Equal records are in the order of their ids. */
function naive(records: readonly Stored[], query: Query): Stored[] {
  const since = query['filter[updated_since]'];
  const kept = records.filter(
    (record) =>
      (['status', 'department', 'employee_number', 'email'] as const).every((name) => {
        const wanted = query[`filter[${name}]`];
        return wanted === undefined || wireValue(record, name) === wanted;
      }) &&
      (since === undefined || record.updatedAt.getTime() >= Date.parse(since)),
  );
  const keys = query.sort === undefined ? [] : sortKeys(query.sort);
  return kept.sort((a, b) => {
    for (const { name, sign } of keys) {
      const order = bytewise(wireValue(a, name), wireValue(b, name));
      if (order !== 0) return order * sign;
    }
    return bytewise(a.id, b.id);
  });
}

/** Names whose order differs between UTF-8, UTF-16, a dictionary and letter case, and text that is hard to quote. */
function awkwardEmployees(): TestEmployee[] {
  const names = [
    ...[
      'Zoe',
      'zoe',
      'Émile',
      'Emile',
      'emile',
      'Ångström',
      '\u{1F600}',
      '\uFF61',
      '\uFFFD',
      '𝒜da',
      '李',
      'ß',
      'SS',
    ],
    ...[
      'O’Hara',
      "O'Hara",
      'a b',
      'a+b',
      'a&b',
      'a%20b',
      'a#b',
      'a,b',
      '"quoted"',
      '\\',
      '_',
      '-',
      '~',
      '0',
      '10',
      '9',
    ],
  ];
  return makeEmployees(names.length * 2).map((employee, index) => ({
    ...employee,
    firstName: names[(index * 5) % names.length] ?? '',
    lastName: names[(index * 3) % names.length] ?? '',
    department: ['R&D + Co #1 100%', 'Sales', 'sales', 'Ventas & Compañía', '"x"=y'][index % 5] ?? '',
  }));
}

t.test('answers with the first fifty employees by id when nothing is asked for', async (t) => {
  const { token, records, tenant } = await setUp(makeEmployees(53));
  const response = await api.get('/v1/employees', token);

  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  const page: Page = response.json();
  t.same(Object.keys(page).sort(), ['data', 'links', 'meta']);
  t.equal(page.meta.record_count, 53);
  t.same(ids(page), tenant.employeeIds.slice(0, 50));
  t.same(ids(page), ids(page).toSorted(bytewise), 'ids sort as the list does');
  t.same(page.data[0], {
    id: records[0]?.id,
    type: 'employees',
    attributes: {
      employee_number: records[0]?.employeeNumber,
      first_name: records[0]?.firstName,
      last_name: records[0]?.lastName,
      email: records[0]?.email,
      status: records[0]?.status,
      department: records[0]?.department,
      updated_at: records[0]?.updatedAt.toISOString(),
    },
  });
});

t.test('takes every page size from 1 to 500 and keeps to it', async (t) => {
  const { list } = await setUp(makeEmployees(501));
  for (const size of [1, 2, 499, 500]) {
    t.equal((await list({ 'page[size]': String(size) })).data.length, size);
  }
});

t.test('links are absolute, percent-encoded and keep every other parameter', async (t) => {
  const { list } = await setUp(makeEmployees(9, { status: 'on leave+more', department: 'R&D' }));
  const kept = {
    'filter[status]': 'on leave+more',
    'filter[department]': 'R&D',
    sort: '-last_name,first_name',
  };
  const { links } = await list({ ...kept, 'page[number]': '2', 'page[size]': '3' });
  const numbers = { first: '1', prev: '1', next: '3', last: '3' };
  for (const [name, number] of Object.entries(numbers)) {
    const link = links[name as keyof typeof numbers] ?? '';
    t.match(link, /^http:\/\/api\.test\/v1\/employees\?[A-Za-z0-9%=&._~*-]+$/, `${name} is percent-encoded`);
    const { 'page[after]': _, ...parameters } = Object.fromEntries(new URL(link).searchParams);
    t.same(parameters, { ...kept, 'page[number]': number, 'page[size]': '3' }, name);
  }
});

t.test('links are null where there is no such page', async (t) => {
  const { list } = await setUp(makeEmployees(5));
  const shape = ({ links }: Page) =>
    Object.fromEntries(
      Object.entries(links).map(([name, link]) => [
        name,
        link === null ? null : new URL(link).searchParams.get('page[number]'),
      ]),
    );
  t.same(shape(await list()), { first: '1', prev: null, next: null, last: '1' });
  t.same(shape(await list({ 'page[size]': '2' })), { first: '1', prev: null, next: '2', last: '3' });
  t.same(shape(await list({ 'page[size]': '2', 'page[number]': '2' })), {
    first: '1',
    prev: '1',
    next: '3',
    last: '3',
  });
  t.same(shape(await list({ 'page[size]': '2', 'page[number]': '3' })), {
    first: '1',
    prev: '2',
    next: null,
    last: '3',
  });
  t.same(shape(await list({ 'page[size]': '5' })), { first: '1', prev: null, next: null, last: '1' });
});

t.test('a page past the end is empty, and its links lead back to the last page that is not', async (t) => {
  const { list } = await setUp(makeEmployees(5));
  for (const extra of [{}, { sort: 'email' }, { 'filter[department]': 'Engineering' }] as Query[]) {
    for (const number of ['4', '100', '1000000000']) {
      const page = await list({ ...extra, 'page[size]': '2', 'page[number]': number });
      const count = extra['filter[department]'] === undefined ? 5 : 2;
      t.same(page.data, []);
      t.equal(page.meta.record_count, count);
      t.equal(page.links.next, null);
      const last = String(Math.ceil(count / 2));
      t.equal(new URL(page.links.prev ?? '').searchParams.get('page[number]'), last);
      t.equal(new URL(page.links.last ?? '').searchParams.get('page[number]'), last);
    }
  }
  t.same((await list({ 'page[size]': '500', 'page[number]': '1000000000' })).data, []);
});

t.test('an empty list has one page, which is the first and the last', async (t) => {
  const { list } = await setUp([]);
  for (const query of [{}, { 'filter[status]': 'nobody' }, { sort: 'email' }] as Query[]) {
    const page = await list(query);
    t.same(page.data, []);
    t.equal(page.meta.record_count, 0);
    t.equal(new URL(page.links.first ?? '').searchParams.get('page[number]'), '1');
    t.equal(page.links.last, page.links.first);
    t.equal(page.links.prev, null);
    t.equal(page.links.next, null);
  }
  const { links } = await list({ 'page[number]': '7' });
  t.equal(links.prev, links.last);
  t.equal(links.next, null);
});

t.test('takes brackets raw and percent-encoded alike', async (t) => {
  const { token } = await setUp(makeEmployees(5));
  const spellings = [
    'page[size]=2&page[number]=2',
    'page%5Bsize%5D=2&page%5Bnumber%5D=2',
    'page%5bsize]=2&page[number%5d=2',
  ];
  const bodies = await Promise.all(
    spellings.map(async (query) => (await api.get(`/v1/employees?${query}`, token)).json()),
  );
  t.equal(bodies[0].data.length, 2);
  for (const body of bodies) t.same(body, bodies[0]);
});

t.test('refuses a page number or size out of bounds and names the bound', async (t) => {
  const { token } = await setUp([]);
  const cases = [
    ['page[number]', '0', /1/],
    ['page[number]', '-1', /1/],
    ['page[number]', '1000000001', /1000000000/],
    ['page[number]', '99999999999999999999999', /1000000000/],
    ['page[size]', '0', /1/],
    ['page[size]', '-1', /1/],
    ['page[size]', '501', /500/],
    ['page[size]', '1000000000', /500/],
  ] as const;
  for (const [parameter, value, bound] of cases) {
    await refuses(t, `/v1/employees?${parameter}=${value}`, token, parameter, bound);
    await refuses(t, `/v1/employees?${encodeURIComponent(parameter)}=${value}`, token, parameter, bound);
  }
});

t.test('refuses whatever is not a decimal number as page number or size', async (t) => {
  const { token } = await setUp([]);
  const values = [
    ...[
      '',
      '%20',
      '%205',
      '5%20',
      '+5',
      '%2B5',
      '1e1',
      '0x10',
      '9'.repeat(400),
      '0b1',
      '010',
      '1.0',
      '1.5',
      '1,5',
      '5;',
      'abc',
      'null',
    ],
    ...['true', 'NaN', 'Infinity', '%00', '5%00', '٣', '５', '%E2%81%A05', '[1]', '{}', '1_0', '1n'],
  ];
  for (const parameter of ['page[number]', 'page[size]']) {
    for (const value of values) {
      await refuses(
        t,
        `/v1/employees?${parameter}=${encodeURI(value).replaceAll('%25', '%')}`,
        token,
        parameter,
      );
    }
    await refuses(t, `/v1/employees?${parameter}`, token, parameter);
    await refuses(t, `/v1/employees?${parameter}=1&${parameter}=2`, token, parameter);
    await refuses(t, `/v1/employees?${parameter}=1&${parameter}=1`, token, parameter);
    await refuses(t, `/v1/employees?${parameter}=1&${encodeURIComponent(parameter)}=1`, token, parameter);
  }
});

t.test('names the bounds also for a page number or size that is no number', async (t) => {
  const { token } = await setUp([]);
  for (const value of ['abc', '', '1e1', '1.5', '9'.repeat(400)]) {
    await refuses(t, `/v1/employees?page[number]=${value}`, token, 'page[number]', /\b1\b/);
    await refuses(t, `/v1/employees?page[size]=${value}`, token, 'page[size]', /\b1\b.*\b500\b/);
  }
});

t.test('names every parameter that is wrong', async (t) => {
  const { token } = await setUp([]);
  const response = await api.get('/v1/employees?page[number]=0&page[size]=501&sort=salary', token);
  t.equal(response.statusCode, 400);
  t.same(
    response
      .json()
      .errors.map(({ parameter }: { parameter: string }) => parameter)
      .sort(),
    ['page[number]', 'page[size]', 'sort'],
  );
});

t.test('refuses query parameters that it does not know and names each', async (t) => {
  const { token } = await setUp([]);
  const unknown = [
    ...[
      'page',
      'page[sizes]',
      'page[Size]',
      'Page[size]',
      'page[size][]',
      'page[size',
      'limit',
      'filter',
      'filter[]',
    ],
    ...[
      'filter[id]',
      'filter[first_name]',
      'filter[account_id]',
      'filter[status][]',
      'fields',
      'fields[users]',
      'Sort',
    ],
    ...['access_token', '__proto__', 'constructor', 'hasOwnProperty', 'toString', 'a b', 'ä', '%'],
  ];
  for (const name of unknown) {
    await refuses(t, `/v1/employees?${encodeURIComponent(name)}=active`, token, name);
  }
  const response = await api.get('/v1/employees?page[size]=1&x=1&y=2', token);
  t.equal(response.statusCode, 400);
  t.same(
    response.json().errors.map(({ parameter }: { parameter: string }) => parameter),
    ['x', 'y'],
  );
});

t.test(
  'refuses a long unknown parameter, or many, with an answer within the bounds of the contract',
  async (t) => {
    const { token } = await setUp([]);
    const long = await api.get(`/v1/employees?${'x'.repeat(3000)}=1`, token);
    t.equal(long.statusCode, 400);
    const many = await api.get(
      `/v1/employees?${Array.from({ length: 1000 }, (_, index) => `p${index}=1`).join('&')}`,
      token,
    );
    t.equal(many.statusCode, 400);
  },
);

t.test('refuses a query string that is not percent-encoded UTF-8', async (t) => {
  const { token } = await setUp([]);
  for (const value of ['%', '%4', '%zz', '%ff', '%C3%28', '%ED%A0%80', '%F8%A1%A1%A1%A1', '%E2%82']) {
    const response = await api.get(`/v1/employees?filter[status]=${value}`, token);
    t.equal(response.statusCode, 400, value);
    t.equal(response.json().code, 'invalid_request');
  }
  await refuses(t, '/v1/employees?filter[status]=a%00b', token, 'filter[status]');
  await refuses(t, '/v1/employees?filter[email]=%00', token, 'filter[email]');
});

t.test('shows with every filter, alone and combined, exactly the employees that match', async (t) => {
  const { records, list } = await setUp(awkwardEmployees());
  const names = ['status', 'department', 'employee_number', 'email', 'updated_since'] as const;
  for (const sample of [records[4], records[17], records[40]]) {
    if (sample === undefined) throw new Error('Too few records');
    for (let chosen = 1; chosen < 2 ** names.length; chosen++) {
      const query: Record<string, string> = { 'page[size]': '500' };
      names.forEach((name, index) => {
        if ((chosen & (1 << index)) === 0) return;
        query[`filter[${name}]`] = wireValue(sample, name === 'updated_since' ? 'updated_at' : name);
      });
      const page = await list(query);
      const expected = naive(records, query).map(({ id }) => id);
      t.same(ids(page), expected, JSON.stringify(query));
      t.equal(page.meta.record_count, expected.length);
      t.ok(expected.includes(sample.id));
    }
  }
});

t.test('a filter matches whole values only, and a value that nobody has matches nobody', async (t) => {
  const { list, records } = await setUp(awkwardEmployees());
  const other = records[1];
  const values = [
    'ACTIVE',
    'activ',
    'active ',
    ' active',
    '%',
    '_',
    "' OR true --",
    '*',
    'null',
    'undefined',
  ];
  for (const name of ['status', 'department', 'employee_number', 'email']) {
    for (const value of values) {
      const page = await list({ [`filter[${name}]`]: value });
      t.same(page.data, [], `${name}=${value}`);
      t.equal(page.meta.record_count, 0);
    }
  }
  const both = {
    'filter[email]': records[0]?.email ?? '',
    'filter[employee_number]': other?.employeeNumber ?? '',
  };
  t.equal((await list(both)).meta.record_count, 0, 'filters are combined with and');
});

t.test(
  'filter[updated_since] includes the moment itself, in whichever time zone it is written',
  async (t) => {
    const moments = ['2026-01-10T11:59:59.999Z', '2026-01-10T12:00:00.000Z', '2026-01-10T12:00:00.001Z'];
    const employees = makeEmployees(3).map((employee, index) => ({
      ...employee,
      updatedAt: new Date(moments[index] ?? ''),
    }));
    const { list, records } = await setUp(employees);
    const spellings = [
      ...[
        '2026-01-10T12:00:00Z',
        '2026-01-10T12:00:00.000Z',
        '2026-01-10T14:00:00+02:00',
        '2026-01-10T00:30:00-11:30',
      ],
      ...['2026-01-10t12:00:00z'],
    ];
    for (const since of spellings) {
      const page = await list({ 'filter[updated_since]': since });
      t.same(ids(page), [records[1]?.id, records[2]?.id], since);
      t.equal(page.meta.record_count, 2);
    }
    t.equal((await list({ 'filter[updated_since]': '1900-01-01T00:00:00Z' })).meta.record_count, 3);
    t.equal((await list({ 'filter[updated_since]': '9999-12-31T23:59:59Z' })).meta.record_count, 0);
  },
);

t.test('refuses malformed filters', async (t) => {
  const { token } = await setUp([]);
  for (const [name, longest] of [
    ['status', 64],
    ['department', 255],
    ['employee_number', 64],
    ['email', 320],
  ] as const) {
    const parameter = `filter[${name}]`;
    await refuses(t, `/v1/employees?${parameter}=`, token, parameter);
    await refuses(
      t,
      `/v1/employees?${parameter}=${'x'.repeat(longest + 1)}`,
      token,
      parameter,
      new RegExp(`${longest}`),
    );
    await refuses(t, `/v1/employees?${parameter}=a&${parameter}=b`, token, parameter);
    t.equal((await api.get(`/v1/employees?${parameter}=${'x'.repeat(longest)}`, token)).statusCode, 200);
  }
  const moments = [
    ...[
      '',
      'yesterday',
      'now',
      'infinity',
      '2026',
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-13-01T00:00:00Z',
    ],
    ...[
      '2026-02-30T00:00:00Z',
      '2026-01-01T25:00:00Z',
      '0000-01-01T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '1767225600',
    ],
    ...[
      '10000-01-01T00:00:00Z',
      '-000001-01-01T00:00:00Z',
      '2026-01-01T00:00:00 02:00',
      '2026-01-01T00:00:00%2B99:00',
    ],
    ...['2026-01-01T00:00:00%2B02:00x', '2026-01-01T00:00:00+02:00', '2026-01-01T00:00:00Z%20OR%201=1'],
  ];
  for (const moment of moments) {
    await refuses(t, `/v1/employees?filter[updated_since]=${moment}`, token, 'filter[updated_since]');
  }
});

t.test('sorts by every attribute, in both directions, by the bytes of UTF-8', async (t) => {
  const { records, list } = await setUp(awkwardEmployees());
  for (const name of attributeNames) {
    for (const sort of [name, `-${name}`]) {
      const page = await list({ sort, 'page[size]': '500' });
      t.same(
        page.data.map(({ attributes }) => attributes[name]),
        naive(records, { sort }).map((record) => wireValue(record, name)),
        sort,
      );
      t.equal(new Set(ids(page)).size, records.length);
    }
  }
});

t.test(
  'sorts by several attributes in mixed directions, and every page is the slice of the whole',
  async (t) => {
    const { records, list } = await setUp(awkwardEmployees());
    const queries: Query[] = [
      {},
      { sort: 'status,-department,employee_number' },
      { sort: '-status,department,-last_name,first_name,email' },
      { sort: '-updated_at,employee_number' },
      { sort: 'department,-updated_at,-employee_number' },
      { sort: 'last_name,-first_name,email', 'filter[status]': 'active' },
      { sort: '-email', 'filter[department]': 'R&D + Co #1 100%' },
      { 'filter[updated_since]': '2026-01-02T00:00:00Z' },
      { 'filter[department]': 'sales', 'filter[status]': 'on_leave' },
    ];
    for (const query of queries) {
      const expected = naive(records, query).map(({ id }) => id);
      for (const size of [7, 50]) {
        const pages = Math.ceil(expected.length / size) + 1;
        for (let number = 1; number <= pages; number++) {
          const page = await list({ ...query, 'page[size]': String(size), 'page[number]': String(number) });
          const label = `${JSON.stringify(query)} page ${number} of ${size}`;
          t.same(ids(page), expected.slice((number - 1) * size, number * size), label);
          t.equal(page.meta.record_count, expected.length);
        }
      }
    }
  },
);

t.test(
  'employees that are equal in every sort key are ordered by id, in the direction of the last key',
  async (t) => {
    const { list, tenant } = await setUp(makeEmployees(6, { status: 'active', department: 'Sales' }));
    for (const sort of ['status', 'status,department', '-department,status']) {
      t.same(ids(await list({ sort })), tenant.employeeIds, sort);
    }
    for (const sort of ['-status', 'status,-department', '-status,-department']) {
      t.same(ids(await list({ sort })), tenant.employeeIds.toReversed(), sort);
    }
  },
);

t.test('rejects a sort order with an unknown attribute or of another form', async (t) => {
  const { token } = await setUp([]);
  const orders = [
    ...['salary', 'id', 'position', 'account_id'],
    ...[
      '',
      ',',
      'last_name,',
      ',last_name',
      'last_name,,email',
      '--last_name',
      '%2Blast_name',
      ' last_name',
      'LAST_NAME',
    ],
    ...[
      'lastName',
      'last_name%20DESC',
      'last_name;',
      'last_name desc',
      '__proto__',
      'constructor',
      'attributes.email',
    ],
    `${attributeNames.join(',')},email`,
  ];
  for (const order of orders) {
    await refuses(t, `/v1/employees?sort=${order.replaceAll(' ', '%20')}`, token, 'sort');
  }
  await refuses(t, '/v1/employees?sort=email&sort=status', token, 'sort');
});

/** Follows `links.next` to the end. */
async function follow(
  start: string,
  token: string,
  between: (page: Page) => Promise<unknown> = async () => {},
) {
  const seen: string[] = [];
  let next: string | null = start;
  for (let steps = 0; next !== null; steps++) {
    if (steps > 200) throw new Error('The links do not end');
    const page: Page = await read(next, token);
    seen.push(...ids(page));
    await between(page);
    next = page.links.next;
  }
  return seen;
}

t.test('following links.next visits every employee exactly once, in order', async (t) => {
  const { token, records } = await setUp(awkwardEmployees());
  for (const query of [
    {},
    { sort: 'department,last_name,employee_number' },
    { sort: '-updated_at,status,email' },
    { 'filter[status]': 'inactive' },
    { 'filter[status]': 'inactive', sort: '-first_name,employee_number' },
  ] as Query[]) {
    t.same(
      await follow(addressOf({ ...query, 'page[size]': '4' }), token),
      naive(records, query).map(({ id }) => id),
      JSON.stringify(query),
    );
  }
});

t.test('following links.next neither misses nor repeats anybody while others come and go', async (t) => {
  for (const query of [
    {},
    { sort: 'last_name,first_name' },
    { sort: '-updated_at' },
    { sort: '-department,updated_at,-email' },
    { 'filter[status]': 'active' },
    { 'filter[department]': 'Sales', sort: '-last_name' },
  ] as Query[]) {
    const { token, records, tenant } = await setUp(makeEmployees(60));
    const expected = naive(records, query).map(({ id }) => id);
    const deleted = new Set<string>();
    const visited = new Set<string>();
    const seen = await follow(addressOf({ ...query, 'page[size]': '6' }), token, async (page) => {
      for (const id of ids(page)) visited.add(id);
      // The very record that the next page is to begin after, the first of this page, and one that is to come.
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
      if (visited.size < 60) await insertEmployees(api.database.prisma, tenant.accountId, makeEmployees(2));
    });
    t.equal(new Set(seen).size, seen.length, `${JSON.stringify(query)}: nobody is seen twice`);
    const stayed = expected.filter((id) => !deleted.has(id));
    t.ok(stayed.length > 0);
    t.same(
      stayed.filter((id) => !seen.includes(id)),
      [],
      `${JSON.stringify(query)}: nobody who was there all along is missed`,
    );
  }
});

t.test('the marker that links.next carries is accepted however long the sort values are', async (t) => {
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
    for (const [query, rule] of [
      [{ ...base, 'page[number]': '2' }, 'is the cursor of page[number] 3'],
      [{ ...base, 'page[number]': '4' }, 'is the cursor of page[number] 3'],
      [{ ...base, 'page[size]': '2' }, 'is the cursor of a page with page[size] 3'],
      ...[
        { ...base, 'filter[status]': 'on_leave' },
        { ...base, 'filter[department]': 'Sales' },
        { ...base, sort: '-last_name' },
        { 'page[size]': '3' },
      ].map((query) => [
        query,
        'must be sent to the list, and with the filters and the order, that it was issued for',
      ]),
    ] as [Query, string][]) {
      const response = await api.get(addressOf({ ...query, 'page[after]': cursor }), token);
      t.equal(response.statusCode, 400, JSON.stringify(query));
      t.same(response.json().errors, [{ parameter: 'page[after]', detail: `page[after] ${rule}.` }]);
    }
    const foreign = await other.list({ ...base, 'page[number]': '3', 'page[after]': cursor });
    for (const id of ids(foreign)) t.ok(other.tenant.employeeIds.includes(id));
  },
);

t.test(
  'meta.next_cursor alone reads the next page, counts its number on and is null on the last page',
  async (t) => {
    const { list, records } = await setUp(makeEmployees(23));
    for (const query of [{}, { sort: '-last_name' }, { 'filter[status]': 'active' }] as Query[]) {
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
  },
);

const hostileValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 2 ** 63, 1e308, -0],
  ...[
    '',
    'x',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '2026',
    '1',
    'now',
    'today',
    'infinity',
    '-infinity',
    'epoch',
  ],
  ...[
    '2026-01-01',
    '2026-13-45T99:99:99Z',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
  ],
  ...[
    'Jan 1, 2026 (x)',
    '2026-01-01T00:00:00 foo',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    '2026-01-01T24:00:00Z',
    '12/31/2026',
  ],
  ...['2026-01-01T00:00:00+23:59', 'allballs', "'; DROP TABLE employees; --", '9'.repeat(300)],
  ...[[], {}, [null], [[]], { position: 1 }, { values: [], position: 1 }, { __proto__: null, values: 'x' }],
  JSON.parse('{"__proto__":{"values":["a"]},"constructor":1}'),
];

/** Every way to put a hostile value in the place of one part of a JSON value. */
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
    for (const variant of variantsOf(content)) {
      const marker = Buffer.from(JSON.stringify(variant) ?? '').toString('base64url');
      if (marker === '' || marker.length > 1024) continue;
      next.searchParams.set('page[after]', marker);
      const alone = await api.get(
        addressOf({ ...(sort === '' ? {} : { sort }), 'page[after]': marker }),
        token,
      );
      t.ok(alone.statusCode === 400 || alone.json().data.length <= 500, alone.body.slice(0, 200));
      const response = await api.get(`${next.pathname}${next.search}`, token);
      const label = `${sort}: ${JSON.stringify(variant)}`;
      if (response.statusCode === 400) {
        t.equal(response.json().errors?.[0]?.parameter, 'page[after]', label);
      } else {
        t.equal(response.statusCode, 200, label);
        if (response.statusCode !== 200) continue;
        const strangers = ids(response.json()).filter((id) => !tenant.employeeIds.includes(id));
        t.same(strangers, [], label);
      }
    }
  }
});

t.test('refuses a marker that is none', async (t) => {
  const { token } = await setUp([]);
  const texts = [
    '',
    '{',
    '"',
    'null',
    '[]',
    '{}',
    '1',
    '[1,2,3]',
    '[1,"x",null]',
    '\u0000',
    '[[[[',
    '\ufffd',
  ];
  const markers = [
    ...texts.slice(1).map((text) => Buffer.from(text).toString('base64url')),
    ...[
      '_',
      '-',
      'A',
      'AAAA',
      'x'.repeat(1024),
      Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80]).toString('base64url'),
    ],
    Buffer.from('['.repeat(700)).toString('base64url'),
  ];
  for (const marker of markers) await refuses(t, `/v1/employees?page[after]=${marker}`, token, 'page[after]');
  for (const malformed of ['', '!', 'a b', 'AA==', 'AA/+', '%00', '..', 'ä', "'"]) {
    await refuses(t, `/v1/employees?page[after]=${encodeURIComponent(malformed)}`, token, 'page[after]');
  }
  await refuses(t, `/v1/employees?page[after]=${'x'.repeat(20_000 / 2)}`, token, 'page[after]');
  await refuses(t, '/v1/employees?page[after]=AAAA&page[after]=AAAA', token, 'page[after]');
});

t.test('answers HEAD as GET, without the body', async (t) => {
  const { token } = await setUp(makeEmployees(3));
  for (const [url, bearer] of [
    ['/v1/employees?page[size]=2', token],
    ['/v1/employees?page[size]=0', token],
    ['/v1/employees', 'garbage'],
  ] as const) {
    const headers = { authorization: `Bearer ${bearer}`, 'x-request-id': 'same' };
    const [get, head] = [
      await api.app.inject({ method: 'GET', url, headers }),
      await api.app.inject({ method: 'HEAD', url, headers }),
    ];
    t.equal(head.statusCode, get.statusCode);
    t.equal(head.body, '');
    const { date: _, ...rest } = get.headers;
    t.match(head.headers, rest, url);
  }
});

t.test('demands the scope reports:read', async (t) => {
  const { tenant } = await setUp([]);
  const token = await api.token(tenant.application, 'reports:write user:read user:write');
  const response = await api.get('/v1/employees', token);
  t.equal(response.statusCode, 403);
  t.equal(response.json().code, 'insufficient_scope');
});

t.test('shows nobody of another account, whatever is filtered, sorted or counted', async (t) => {
  const ours = await setUp(makeEmployees(15, { department: 'Ours' }));
  const theirs = await setUp(makeEmployees(15, { department: 'Theirs', status: 'theirs-only' }));
  const own = new Set(ours.tenant.employeeIds);
  for (const { email, employeeNumber } of theirs.records) {
    for (const query of [
      { 'filter[email]': email },
      { 'filter[employee_number]': employeeNumber },
    ] as Query[]) {
      t.equal((await ours.list(query)).meta.record_count, 0);
    }
  }
  for (const query of [{ 'filter[department]': 'Theirs' }, { 'filter[status]': 'theirs-only' }] as Query[]) {
    const page = await ours.list(query);
    t.same(page.data, []);
    t.equal(page.meta.record_count, 0);
  }
  const orders = [undefined, ...attributeNames.flatMap((name) => [name, `-${name}`])];
  for (const sort of orders) {
    const query = { 'page[size]': '6', ...(sort === undefined ? {} : { sort }) };
    for (const number of ['1', '2', '3', '4']) {
      const page = await ours.list({ ...query, 'page[number]': number });
      t.equal(page.meta.record_count, 15);
      t.ok(
        ids(page).every((id) => own.has(id)),
        `${sort} page ${number}`,
      );
      const marker = (await theirs.list({ ...query, 'page[number]': number })).links.next;
      if (marker === null) continue;
      const withTheirs = await read(marker, ours.token);
      t.ok(
        ids(withTheirs).every((id) => own.has(id)),
        `${sort} with a marker of another account`,
      );
      t.equal(withTheirs.meta.record_count, 15);
    }
  }
});

t.test('all applications of an account see the same employees', async (t) => {
  const { tenant, list } = await setUp(makeEmployees(3));
  const second: Tenant['application'] = await createApplication(api.database, tenant.accountId, {
    scopes: ['reports:read'],
  });
  const page = await read('/v1/employees', await api.token(second));
  t.same(page.data, (await list()).data);
});
