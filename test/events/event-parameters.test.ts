import { testServer } from '../support/database/database.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';

/** The embedded database needs minutes for this number of rows. */
const manyRows = testServer === undefined ? { skip: 'too many rows for the embedded database' } : {};

const clock = createTestClock(new Date());
const api = await buildTestApp(t, { clock });

async function setUp(count: number) {
  const tenant = await createTenant(api.database, { employees: makeEmployees(count) });
  const token = await api.token(tenant.application);
  return { ...tenant, token, get: (query: string) => api.get(`/v1/events${query}`, token) };
}

t.test('filter[since] selects the first event, and the end of the feed for a later time', async (t) => {
  const { accountId, get } = await setUp(3);
  const { prisma } = api.database;
  for (const position of [1, 2, 3]) {
    const occurredAt = new Date(Date.now() - (24 - position) * 3_600_000);
    await prisma.event.updateMany({ where: { accountId, position }, data: { occurredAt } });
  }
  const { data } = (await get('')).json();
  const since = async (time: string) => (await get(`?filter[since]=${encodeURIComponent(time)}`)).json();
  t.equal((await since(data[1].occurred_at)).data.length, 2);
  const end = await since('2999-01-01T00:00:00+02:00');
  t.same(end.data, []);
  t.same(end.meta, { has_more: false, next_cursor: data[2].id });
  t.notMatch(end.links.next, 'since', 'a later page starts at its cursor');
  t.equal((await since('1950-01-01T00:00:00Z')).data.length, 3);
});

t.test('an empty feed has a cursor', async (t) => {
  const { accountId, get } = await setUp(0);
  const page = (await get('')).json();
  t.same(page.meta, { has_more: false, next_cursor: `evt_${accountId}_00000000` });
  t.same((await get(`?page[after]=${page.meta.next_cursor}`)).json().data, []);
});

t.test('a page of rare events may be empty while more follow', manyRows, async (t) => {
  const { get, token } = await setUp(10_050);
  await sendJson(api, { url: '/v1/reports', token, body: { title: 'Headcount' } });
  const first = (await get('?filter[type]=report.created')).json();
  t.same(first.data, []);
  t.equal(first.meta.has_more, true);
  const second = (await api.get(first.links.next.slice(first.links.next.indexOf('/v1/')), token)).json();
  t.same(
    second.data.map(({ type }: { type: string }) => type),
    ['report.created'],
  );
  t.equal(second.meta.has_more, false);
});

t.test('rejects an invalid cursor, type or time, and names the parameter', async (t) => {
  const { accountId, get } = await setUp(2);
  const other = await setUp(2);
  const cursors = ['x', `evt_${other.accountId}_00000001`, 'evt_%_00000001'];
  for (const end of ['00000003', 'zzzzzzzz', '0000000A', '000000001', '-0000001'])
    cursors.push(`evt_${accountId}_${end}`);
  const cases = [
    ...cursors.map((cursor) => ['page[after]', cursor] as const),
    ['page[size]', '501'],
    ['filter[type]', 'employee.created,'],
    ['filter[type]', Array.from({ length: 21 }, () => 'a.b').join()],
    ['filter[since]', '2026-01-01T00:00:00'],
    ['filter[since]', '1899-01-01T00:00:00Z'],
  ] as const;
  for (const [parameter, value] of cases) {
    const response = await get(`?${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`);
    const expected = { status: 400, code: 'invalid_request', errors: [{ parameter }] };
    t.match(response.json(), expected, `${parameter}=${value}`);
  }
  const both = await get(`?page[after]=evt_${accountId}_00000001&filter[since]=2026-01-01T00:00:00Z`);
  t.match(both.json(), { code: 'invalid_request', errors: [{ parameter: 'filter[since]' }] });
  t.same((await get('?filter[type]=no_such.type')).json().data, [], 'types may be added');
});

t.test('returns one event; an unknown id and one of another account get the same response', async (t) => {
  const { accountId, token } = await setUp(2);
  const other = await setUp(1);
  const event = await api.get(`/v1/events/evt_${accountId}_00000002`, token);
  t.equal(event.statusCode, 200);
  t.equal(event.json().data.id, `evt_${accountId}_00000002`);
  const ids = ['00000003', '00000000', 'zzzzzzzz'].map((text) => `evt_${accountId}_${text}`);
  const bodies = [];
  for (const id of [...ids, `evt_${other.accountId}_00000001`, 'x', 'evt__00000001']) {
    const response = await api.get(`/v1/events/${id}`, token);
    t.equal(response.statusCode, 404, id);
    bodies.push({ ...response.json(), instance: '', request_id: '' });
  }
  for (const body of bodies) t.same(body, bodies[0]);
  t.ok([400, 404].includes((await api.get('/v1/events/%00', token)).statusCode));
});

t.test('requires the scope reports:read', async (t) => {
  const { accountId } = await createTenant(api.database);
  const application = await createApplication(api.database, accountId, {
    scopes: ['user:read', 'reports:write'],
  });
  const token = await api.token(application);
  for (const path of ['/v1/events', `/v1/events/evt_${accountId}_00000001`]) {
    t.match((await api.get(path, token)).json(), { code: 'insufficient_scope' });
    t.equal((await api.app.inject(path)).statusCode, 401);
  }
});
