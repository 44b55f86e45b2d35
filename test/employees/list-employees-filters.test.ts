import { awkwardEmployees, employeeLists, ids, naive, wireValue } from '../support/records/employee-list.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { setUp, refuses } = employeeLists(api);

t.test('returns exactly the matching employees for every filter, alone and combined', async (t) => {
  const { records, list } = await setUp(awkwardEmployees());
  const names = ['status', 'department', 'employee_number', 'email', 'updated_since'] as const;
  for (const sample of [records[17]]) {
    if (sample === undefined) throw new Error('Too few records');
    for (let chosen = 1; chosen < 2 ** names.length; chosen++) {
      const query: Record<string, string> = { 'page[size]': '500' };
      names.forEach((name, index) => {
        if ((chosen & (1 << index)) === 0) return;
        query[`filter[${name}]`] = wireValue(sample, name === 'updated_since' ? 'updated_at' : name) ?? '';
      });
      const page = await list(query);
      const expected = naive(records, query).map(({ id }) => id);
      t.same(ids(page), expected, JSON.stringify(query));
      t.equal(page.meta.record_count, expected.length);
      t.ok(expected.includes(sample.id));
    }
  }
});

t.test('a filter matches whole values only', async (t) => {
  const { list, records } = await setUp(awkwardEmployees());
  const other = records[1];
  const values = ['ACTIVE', 'activ', ' active', '%', '_', "' OR true --", 'null'];
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

t.test('filter[email] ignores case', async (t) => {
  const emails = ['Ada.Lovelace@Acme.example', 'ada.lovelace@acme.example', 'ada-lovelace@acme.example'];
  const { list } = await setUp(emails.flatMap((email) => makeEmployees(1, { email })));
  for (const email of ['ada.lovelace@acme.example', 'ADA.LOVELACE@ACME.EXAMPLE', 'Ada.Lovelace@Acme.example'])
    t.equal((await list({ 'filter[email]': email })).meta.record_count, 2, email);
});

t.test('filter[updated_since] includes the timestamp itself, in every time zone', async (t) => {
  const times = ['2026-01-10T11:59:59.999Z', '2026-01-10T12:00:00.000Z', '2026-01-10T12:00:00.001Z'];
  const { list, records } = await setUp(
    times.flatMap((time) => makeEmployees(1, { updatedAt: new Date(time) })),
  );
  for (const since of [
    '2026-01-10T12:00:00Z',
    '2026-01-10T12:00:00.000Z',
    '2026-01-10T14:00:00+02:00',
    '2026-01-10T00:30:00-11:30',
    '2026-01-10t12:00:00z',
  ]) {
    const page = await list({ 'filter[updated_since]': since });
    t.same(ids(page), [records[1]?.id, records[2]?.id], since);
    t.equal(page.meta.record_count, 2);
  }
  t.equal((await list({ 'filter[updated_since]': '1900-01-01T00:00:00Z' })).meta.record_count, 3);
  t.equal((await list({ 'filter[updated_since]': '9999-12-31T23:59:59Z' })).meta.record_count, 0);
});

t.test('rejects malformed filters', async (t) => {
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
    if (name !== 'department')
      await refuses(t, `/v1/employees?${parameter}=a&${parameter}=b`, token, parameter, /repeated/);
    t.equal((await api.get(`/v1/employees?${parameter}=${'x'.repeat(longest)}`, token)).statusCode, 200);
  }
  const times =
    'yesterday now infinity 2026 1767225600 2026-01-01 2026-01-01T00:00:00 2026-13-01T00:00:00Z 2026-02-30T00:00:00Z ' +
    '2026-01-01T25:00:00Z 0000-01-01T00:00:00Z 2016-12-31T23:59:60Z 10000-01-01T00:00:00Z -000001-01-01T00:00:00Z ' +
    '2026-01-01T00:00:00%2B99:00 2026-01-01T00:00:00%2B02:00x 2026-01-01T00:00:00+02:00 2026-01-01T00:00:00Z%20OR%201=1';
  for (const time of ['', ...times.split(' ')]) {
    await refuses(t, `/v1/employees?filter[updated_since]=${time}`, token, 'filter[updated_since]');
  }
});
