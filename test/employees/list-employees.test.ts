import { attributesOf } from '../support/records/employee-attributes.js';
import { bytewise, employeeLists, ids, type Page, type Query } from '../support/records/employee-list.js';
import { createApplication, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { setUp, read } = employeeLists(api);

/** The page number in a link. */
const numberIn = (link: string | null) =>
  link === null ? null : new URL(link).searchParams.get('page[number]');

t.test('returns the first fifty employees by id without parameters', async (t) => {
  const { token, records, tenant } = await setUp(makeEmployees(53));
  const response = await api.get('/v1/employees', token);

  const page: Page = response.json();
  t.equal(page.meta.record_count, 53);
  t.same(ids(page), tenant.employeeIds.slice(0, 50));
  t.same(ids(page), ids(page).toSorted(bytewise), 'ids sort as the list does');
  const [first] = records;
  t.same(page.data[0], { id: first?.id, type: 'employees', attributes: first && attributesOf(first) });
});

t.test('accepts every page size from 1 to 500', async (t) => {
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
  for (const [query, ...expected] of [
    [{}, '1', null, null, '1'],
    [{ 'page[size]': '5' }, '1', null, null, '1'],
    [{ 'page[size]': '2' }, '1', null, '2', '3'],
    [{ 'page[size]': '2', 'page[number]': '2' }, '1', '1', '3', '3'],
    [{ 'page[size]': '2', 'page[number]': '3' }, '1', '2', null, '3'],
  ] as [Query, ...(string | null)[]][]) {
    const { first, prev, next, last } = (await list(query)).links;
    t.same([first, prev, next, last].map(numberIn), expected, JSON.stringify(query));
  }
});

t.test('a page past the end is empty and links to the last page', async (t) => {
  const { list } = await setUp(makeEmployees(5));
  for (const extra of [{}, { sort: 'email' }, { 'filter[department]': 'Engineering' }] as Query[]) {
    for (const number of ['4', '1000000000']) {
      const page = await list({ ...extra, 'page[size]': '2', 'page[number]': number });
      const count = extra['filter[department]'] === undefined ? 5 : 2;
      t.same(page.data, []);
      t.equal(page.meta.record_count, count);
      t.equal(page.links.next, null);
      const last = String(Math.ceil(count / 2));
      t.equal(numberIn(page.links.prev), last);
      t.equal(numberIn(page.links.last), last);
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
    t.equal(numberIn(page.links.first), '1');
    t.equal(page.links.last, page.links.first);
    t.equal(page.links.prev, null);
    t.equal(page.links.next, null);
  }
  const { links } = await list({ 'page[number]': '7' });
  t.equal(links.prev, links.last);
  t.equal(links.next, null);
});

t.test('responds to HEAD as to GET, without the body', async (t) => {
  const { token, tenant } = await setUp(makeEmployees(3));
  for (const [url, bearer] of [
    ['/v1/employees?page[size]=2', token],
    ['/v1/employees?page[size]=0', token],
    ['/v1/employees', 'garbage'],
    [`/v1/employees/${tenant.employeeIds[0]}`, token],
    ['/v1/employees/unknown', token],
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

t.test(
  'returns and counts no employee of another account, with every filter and type of sort key',
  async (t) => {
    const ours = await setUp(makeEmployees(15, { department: 'Ours' }));
    const theirs = await setUp(makeEmployees(15, { department: 'Theirs', status: 'theirs-only' }));
    const own = new Set(ours.tenant.employeeIds);
    for (const { email, employeeNumber } of theirs.records.slice(0, 2)) {
      for (const query of [
        { 'filter[email]': email },
        { 'filter[employee_number]': employeeNumber },
        { 'filter[department]': 'Theirs' },
        { 'filter[status]': 'theirs-only' },
      ] as Query[]) {
        const page = await ours.list(query);
        t.same([page.data, page.meta.record_count], [[], 0]);
      }
    }
    for (const sort of [undefined, 'last_name', '-updated_at', 'hire_date', '-manager_id']) {
      const query = { 'page[size]': '6', ...(sort === undefined ? {} : { sort }) };
      for (const number of ['1', '3', '4']) {
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
          `${sort} with a cursor of another account`,
        );
        t.equal(withTheirs.meta.record_count, 15);
      }
    }
  },
);

t.test('all applications of an account see the same employees', async (t) => {
  const { tenant, list } = await setUp(makeEmployees(3));
  const second = await createApplication(api.database, tenant.accountId, { scopes: ['reports:read'] });
  const page = await read('/v1/employees', await api.token(second));
  t.same(page.data, (await list()).data);
});
