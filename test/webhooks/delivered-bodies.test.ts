import { insertEmployees } from '../../src/features/employees/insert-employees.js';
import type { Actor } from '../../src/platform/audit/audit-log.js';
import { setActor } from '../../src/platform/changes/change.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';
import { deliveryScene } from '../support/webhooks/scene.js';

const hostile = [
  ...['"', '\\', '\n\t\u0001\u007f', '</script>', "'); --"],
  ...['Zoë 🏳️‍🌈', '%s $1 {}', '\u2028', '":"', 'null'],
];

const api = await buildTestApp(t, { clock: createTestClock() });

async function setUp(t: Test) {
  const scene = await deliveryScene(t, api);
  const feed = async (query: string) => (await scene.api.get(`/v1/events?${query}`, scene.token)).json();
  return { ...scene, feed };
}

t.test('a body has the events of the feed, of every type and actor, including erased ones', async (t) => {
  const { accountId, application, token, receiver, feed, create, run } = await setUp(t);
  await create({ url: receiver.url });
  const { prisma } = api.database;
  const as = (actor: Actor, employees: ReturnType<typeof makeEmployees>) =>
    prisma.$transaction(async (tx) => {
      await setActor(tx, actor);
      return insertEmployees(tx, accountId, employees);
    });
  const named = makeEmployees(hostile.length).map((employee, index) => ({
    ...employee,
    lastName: `${hostile[index]}`,
    jobTitle: hostile.at(-index - 1) ?? null,
  }));
  const ids = await as({}, named);
  await as({ userId: 'a "user"' }, makeEmployees(2));
  await as({ userId: 'user', applicationId: application.id }, makeEmployees(1));
  const deleted = await createApplication(api.database, accountId);
  await as({ applicationId: deleted.id }, makeEmployees(1));
  await prisma.application.deleteMany({ where: { accountId, id: deleted.id } });
  for (const [index, updatedAt] of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.120Z'].entries())
    await prisma.employee.updateMany({
      where: { accountId, id: ids[index + 2] ?? '' },
      data: {
        department: 'Research',
        location: null,
        hireDate: new Date('2020-02-29'),
        updatedAt: new Date(updatedAt),
      },
    });
  await prisma.employee.deleteMany({ where: { accountId, id: { in: ids.slice(0, 2) } } });
  // Like an attribute that was added after the event.
  await prisma.$executeRaw`
    UPDATE events SET attributes = (attributes::jsonb - 'job_title')::json
    WHERE account_id = ${accountId} AND resource_id = ${ids[4]}`;
  for (const title of ['Headcount', 'A "title"']) {
    const filters = [{ field: 'last_name', operator: 'eq', value: '": "' }];
    const report = {
      title,
      description: hostile.join(''),
      columns: ['status'],
      filters,
      sort: ['-hire_date'],
    };
    const created = await sendJson(api, { url: '/v1/reports', token, body: report });
    t.equal(created.statusCode, 201);
    const url = `/v1/reports/${created.json().data.id}`;
    await sendJson(api, { method: 'PATCH', url, token, body: { title: `${title} 2` } });
    if (title === 'Headcount') await sendJson(api, { method: 'DELETE', url, token });
  }
  await run();
  const expected = await feed(`page[size]=100&page[after]=evt_${accountId}_00000000`);
  const [delivery] = receiver.received;
  t.same(receiver.received.length, 1);
  t.same(delivery?.body.data, expected.data);
  t.same(delivery?.body.meta, expected.meta);
  t.equal(delivery?.body.links.next, expected.links.next.replace('&page%5Bsize%5D=100', ''));
  t.equal(
    JSON.stringify(delivery?.body.data),
    JSON.stringify(expected.data),
    'the members have the same order',
  );
  t.same(
    expected.data
      .slice(4, 10)
      .map((event: { resource: { attributes: object } }) => event.resource.attributes),
    (await Promise.all(ids.slice(4).map((id) => api.get(`/v1/employees/${id}`, token)))).map(
      (response, index) => {
        const { job_title: title, ...attributes } = response.json().data.attributes;
        return { ...attributes, job_title: index === 0 ? null : title };
      },
    ),
    'as the employees have them',
  );
  const kinds = ['employee', 'report'].flatMap((kind) =>
    ['created', 'updated', 'deleted'].map((change) => `${kind}.${change}`),
  );
  t.same([...new Set(expected.data.map(({ type }: { type: string }) => type))].sort(), kinds.sort());
  const actors = new Set(expected.data.map(({ actor }: { actor: object }) => JSON.stringify(actor)));
  t.equal(actors.size, 5);
});

t.test('the body for selected types has the page of the feed with this filter', async (t) => {
  const { accountId, receiver, feed, create, addEmployees, run } = await setUp(t);
  const types = ['employee.deleted', 'report.created'];
  await create({ url: receiver.url, event_types: types });
  const ids = await addEmployees(130);
  for (const id of ids.slice(0, 110))
    await api.database.prisma.employee.deleteMany({ where: { accountId, id } });
  await run();
  let after = `evt_${accountId}_00000000`;
  for (const { body } of receiver.received) {
    const page = await feed(`page[size]=100&filter[type]=${types.join()}&page[after]=${after}`);
    t.same(body.data, page.data);
    t.same(body.meta, page.meta);
    t.match(body.links.next, /filter%5Btype%5D=employee.deleted%2Creport.created$/);
    after = body.meta.next_cursor;
  }
  t.same(
    receiver.received.map(({ body }) => body.data.length),
    [100, 10],
  );
});
