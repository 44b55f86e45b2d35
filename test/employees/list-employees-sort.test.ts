import {
  attributeNames,
  awkwardEmployees,
  employeeLists,
  ids,
  naive,
  type Query,
  wireValue,
} from '../support/records/employee-list.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { setUp, refuses } = employeeLists(api);

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

t.test('sorts by several attributes in mixed directions, on every page', async (t) => {
  const { records, list } = await setUp(awkwardEmployees());
  const queries: Query[] = [
    {},
    { sort: 'status,-department,employee_number' },
    { sort: '-status,department,-last_name,first_name,email' },
    { sort: '-updated_at,employee_number' },
    { sort: 'location,-hire_date,job_title' },
    { sort: '-termination_date,hire_date,manager_id', 'filter[department]': 'Sales' },
    { sort: 'department,-updated_at,-employee_number' },
    { sort: 'last_name,-first_name,email', 'filter[status]': 'active' },
    { sort: '-email', 'filter[department]': 'R&D + Co #1 100%' },
    { 'filter[updated_since]': '2026-01-02T00:00:00Z' },
    { 'filter[department]': 'sales', 'filter[status]': 'on_leave' },
  ];
  for (const query of queries) {
    const expected = naive(records, query).map(({ id }) => id);
    for (const size of [17]) {
      const pages = Math.ceil(expected.length / size) + 1;
      for (let number = 1; number <= pages; number++) {
        const page = await list({ ...query, 'page[size]': String(size), 'page[number]': String(number) });
        const label = `${JSON.stringify(query)} page ${number} of ${size}`;
        t.same(ids(page), expected.slice((number - 1) * size, number * size), label);
        t.equal(page.meta.record_count, expected.length);
      }
    }
  }
});

t.test('orders employees with equal sort keys by id, in the direction of the last key', async (t) => {
  const { list, tenant } = await setUp(makeEmployees(6, { status: 'active', department: 'Sales' }));
  for (const sort of ['status', 'status,department', '-department,status']) {
    t.same(ids(await list({ sort })), tenant.employeeIds, sort);
  }
  for (const sort of ['-status', 'status,-department', '-status,-department']) {
    t.same(ids(await list({ sort })), tenant.employeeIds.toReversed(), sort);
  }
});

t.test('rejects a sort order with an unknown attribute or of another form', async (t) => {
  const { token } = await setUp([]);
  const orders =
    'salary id position account_id , last_name, ,last_name last_name,,email --last_name %2Blast_name %20last_name ' +
    'LAST_NAME lastName last_name%20desc last_name; __proto__ constructor attributes.email';
  for (const order of ['', ...orders.split(' '), `${attributeNames.join(',')},email`])
    await refuses(t, `/v1/employees?sort=${order}`, token, 'sort');
  await refuses(t, '/v1/employees?sort=email&sort=status', token, 'sort');
});
