import {
  attributeNames,
  bytewise,
  employeeLists,
  ids,
  type Page,
  type Query,
} from '../support/records/employee-list.js';
import { createApplication, makeEmployees, type Tenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { setUp, read } = employeeLists(api);

t.test('returns the first fifty employees by id without parameters', async (t) => {
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
      job_title: records[0]?.jobTitle,
      location: records[0]?.location,
      hire_date: '2020-02-29',
      termination_date: null,
      manager_id: null,
      updated_at: records[0]?.updatedAt.toISOString(),
    },
  });
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

t.test('a page past the end is empty and links to the last page', async (t) => {
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

t.test('responds to HEAD as to GET, without the body', async (t) => {
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

t.test('requires the scope reports:read', async (t) => {
  const { tenant } = await setUp([]);
  const token = await api.token(tenant.application, 'reports:write user:read user:write');
  const response = await api.get('/v1/employees', token);
  t.equal(response.statusCode, 403);
  t.equal(response.json().code, 'insufficient_scope');
});

t.test('returns and counts no employee of another account, with every filter and sort order', async (t) => {
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
        `${sort} with a cursor of another account`,
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
