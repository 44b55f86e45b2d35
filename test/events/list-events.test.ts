import { insertEmployees } from '../../src/features/employees/insert-employees.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

async function setUp(count: number) {
  const tenant = await createTenant(api.database, { employees: makeEmployees(count) });
  const token = await api.token(tenant.application);
  const list = async (query = '') => {
    const response = await api.get(`/v1/events${query}`, token);
    return { status: response.statusCode, ...response.json() };
  };
  return { ...tenant, token, list };
}

const path = (url: string) => url.slice(url.indexOf('/v1/'));

t.test('lists the events of an account in the order of its changes, with the changed records', async (t) => {
  const { accountId, employeeIds, token, list } = await setUp(3);
  const { data, meta, links } = await list();
  t.same(
    data.map((event: { type: string; resource: { id: string } }) => [event.type, event.resource.id]),
    employeeIds.map((id) => ['employee.created', id]),
  );
  const { attributes } = (await api.get(`/v1/employees/${employeeIds[1]}`, token)).json().data;
  t.match(data[1], {
    id: `evt_${accountId}_00000002`,
    actor: { type: 'operator', client_id: null, user_id: null },
    changed: [],
  });
  t.same(data[1].resource, { id: employeeIds[1], type: 'employees', attributes });
  t.same(meta, { has_more: false, next_cursor: data[2].id });
  t.same((await api.get(path(links.next), token)).json().data, [], 'the URL to poll');
});

t.test('follows links.next and meta.next_cursor through every event once', async (t) => {
  const { token, list } = await setUp(7);
  const seen: string[] = [];
  let next = '/v1/events?page[size]=3';
  let more = true;
  while (more) {
    const page = (await api.get(next, token)).json();
    seen.push(...page.data.map(({ id }: { id: string }) => id));
    t.equal(page.meta.next_cursor, page.data.at(-1).id);
    next = path(page.links.next);
    more = page.meta.has_more;
  }
  t.equal(seen.length, 7);
  t.same([...new Set(seen)].sort(), seen);
  t.same((await list(`?page[after]=${seen[4]}`)).data.length, 2, 'an id is a cursor');
});

t.test('an update event names the changed attributes, and an unchanged record has no event', async (t) => {
  const { accountId, employeeIds, token, list } = await setUp(2);
  const { prisma } = api.database;
  const change = (data: object) =>
    prisma.employee.updateMany({ where: { accountId, id: employeeIds[0] ?? '' }, data });
  await change({ department: 'Research', jobTitle: 'Chemist', managerId: employeeIds[1] });
  await change({ department: 'Research' });
  await change({ updatedAt: new Date() });
  const { data } = await list('?filter[type]=employee.updated');
  t.same(data.length, 1);
  t.same(data[0].changed, ['department', 'job_title', 'manager_id']);
  t.equal(data[0].resource.attributes.department, 'Research');
  const created = await sendJson(api, {
    url: '/v1/reports',
    token,
    body: { title: 'Headcount', group_by: ['status'] },
  });
  const { id } = created.json().data;
  for (const body of [
    {
      title: 'Staff',
      filters: [{ field: 'status', operator: 'eq', value: 'active' }],
      measures: [{ function: 'average', field: 'tenure' }],
    },
    {},
  ])
    await sendJson(api, { method: 'PATCH', url: `/v1/reports/${id}`, token, body });
  const reports = (await list('?filter[type]=report.created,report.updated')).data;
  t.same(
    reports.map((event: { changed: string[] }) => event.changed),
    [[], ['title', 'filters', 'measures']],
  );
  const report = (await api.get(`/v1/reports/${id}`, token)).json().data;
  t.same(reports[1].resource, report, 'the report after the change');
});

t.test('a deletion has the id and the employee number, and erases earlier events', async (t) => {
  const { accountId, employeeIds, token, list } = await setUp(2);
  const [employee] = (await list()).data;
  await api.database.prisma.employee.deleteMany({ where: { accountId, id: employeeIds[0] ?? '' } });
  const { data } = await list();
  const { employee_number } = employee.resource.attributes;
  t.same(data[0].resource, { id: employeeIds[0], type: 'employees', attributes: null });
  t.same(data[1].resource.attributes.first_name !== undefined, true, 'another employee keeps its values');
  t.match(data[2], { type: 'employee.deleted', changed: [] });
  t.same(data[2].resource, { id: employeeIds[0], type: 'employees', attributes: { employee_number } });

  const { id } = (await sendJson(api, { url: '/v1/reports', token, body: { title: 'Secret title' } })).json()
    .data;
  await sendJson(api, { method: 'DELETE', url: `/v1/reports/${id}`, token });
  const reports = (await list(`?page[after]=${data[2].id}`)).data;
  t.same(
    reports.map((event: { type: string; resource: object }) => [event.type, event.resource]),
    ['report.created', 'report.deleted'].map((type) => [type, { id, type: 'reports', attributes: null }]),
  );
  const stored = await api.database.prisma.event.findMany({ where: { accountId } });
  t.notMatch(JSON.stringify(stored.map(({ attributes }) => attributes)), /Secret title/);
});

t.test('the deletion of a manager is an update event of each direct report', async (t) => {
  const { accountId, employeeIds, list } = await setUp(3);
  const [manager = '', ...others] = employeeIds;
  const { prisma } = api.database;
  await prisma.employee.updateMany({
    where: { accountId, id: { in: others } },
    data: { managerId: manager },
  });
  const { meta } = await list();
  await prisma.employee.deleteMany({ where: { accountId, id: manager } });
  const { data } = await list(`?page[after]=${meta.next_cursor}&filter[type]=employee.updated`);
  t.same(
    data.map((event: { changed: string[]; resource: { id: string } }) => [event.resource.id, event.changed]),
    others.map((id) => [id, ['manager_id']]),
  );
});

t.test('names the application that made a change, also after it was deleted', async (t) => {
  const { accountId, application, token, list } = await setUp(0);
  await sendJson(api, { url: '/v1/reports', token, body: { title: 'Headcount' } });
  t.same((await list()).data[0].actor, {
    type: 'application',
    client_id: application.clientId,
    user_id: null,
  });
  const reader = await createApplication(api.database, accountId);
  await api.database.prisma.application.deleteMany({ where: { accountId, id: application.id } });
  const [event] = (await api.get('/v1/events', await api.token(reader))).json().data;
  t.same(event.actor, { type: 'application', client_id: null, user_id: null });
});

t.test('an import has one event for each row that it changes', async (t) => {
  const { accountId, list } = await setUp(0);
  await api.database.prisma.$transaction((tx) => insertEmployees(tx, accountId, makeEmployees(1200)), {
    timeout: 600_000,
  });
  const { data, meta } = await list('?page[size]=500');
  t.equal(data.length, 500);
  t.equal(meta.has_more, true);
  t.equal(
    (await list(`?page[size]=500&page[after]=evt_${accountId}_${(1100).toString(36).padStart(8, '0')}`)).data
      .length,
    100,
  );
});
