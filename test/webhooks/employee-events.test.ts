import { sendJson } from '../support/records/send-json.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';
import { answers, type Receiver, startReceiver } from '../support/webhooks/receiver.js';
import { deliveryScene } from '../support/webhooks/scene.js';

const api = await buildTestApp(t, { clock: createTestClock() });

const webhookScopes = ['webhooks:read', 'webhooks:write'];

/** An account whose application may read employees, and no reports. */
async function setUp(t: Test) {
  const scene = await deliveryScene(t, api);
  const { accountId, application } = scene;
  const setScopes = (...scopes: string[]) =>
    api.database.prisma.application.updateMany({
      where: { accountId, id: application.id },
      data: { scopes: [...scopes, ...webhookScopes] },
    });
  const other = await createApplication(api.database, accountId);
  const addReport = async () => {
    const token = await api.token(other);
    const created = await sendJson(api, { url: '/v1/reports', token, body: { title: 'Headcount' } });
    if (created.statusCode !== 201) throw new Error(created.body);
  };
  await setScopes('employees:read');
  return { ...scene, other, setScopes, addReport };
}

const typesOf = ({ received }: Pick<Receiver, 'received'>) =>
  received.flatMap(({ body }) => body.data.map(({ type }) => type));

t.test('an endpoint that is created with employees:read gets events of employees only', async (t) => {
  const { receiver, create, addReport, addEmployees, run, state } = await setUp(t);
  const { id } = await create({ url: receiver.url });
  await addEmployees(1);
  await addReport();
  await addEmployees(1);
  await addReport();
  await run();
  t.same(typesOf(receiver), ['employee.created', 'employee.created']);
  t.match(await state(id), { status: 'enabled', event_types: [] });
  t.match((await state(id)).last_event_id, /_00000004$/, 'the others are skipped');
});

t.test('without reports:read an endpoint for events of reports gets nothing, and skips them', async (t) => {
  const { receiver, create, setScopes, addReport, addEmployees, run, state } = await setUp(t);
  const { id } = await create({ url: receiver.url, event_types: ['report.created'] });
  await addReport();
  await addEmployees(1);
  await run();
  t.same(receiver.received, []);
  t.match((await state(id)).last_event_id, /_00000002$/);
  await setScopes('reports:read');
  await addReport();
  await run();
  t.same(typesOf(receiver), ['report.created'], 'from then on it gets them');
});

t.test(
  'an application that loses reports:read and has employees:read still gets events of employees',
  async (t) => {
    const { receiver, create, setScopes, addReport, addEmployees, run, state } = await setUp(t);
    await setScopes('reports:read', 'employees:read');
    const { id } = await create({ url: receiver.url });
    await addReport();
    await run();
    await setScopes('employees:read');
    await addReport();
    await addEmployees(1);
    await run();
    t.same(typesOf(receiver), ['report.created', 'employee.created']);
    t.match(await state(id), { status: 'enabled', pause_reason: null });
  },
);

t.test('endpoints at the same position get the events that their own application may read', async (t) => {
  const { receiver, create, other, addReport, addEmployees, run } = await setUp(t);
  const unlimited = await startReceiver(t);
  await create({ url: receiver.url });
  const token = await api.token(other);
  await sendJson(api, { url: '/v1/webhook_endpoints', token, body: { url: unlimited.url } });
  await addReport();
  await addEmployees(1);
  await run();
  t.same(typesOf(receiver), ['employee.created']);
  t.same(typesOf(unlimited), ['report.created', 'employee.created']);
});

t.test('a repeated delivery has no events of reports after the application lost reports:read', async (t) => {
  const { clock, receiver, create, setScopes, addReport, addEmployees, run } = await setUp(t);
  await setScopes('reports:read', 'employees:read');
  await create({ url: receiver.url });
  receiver.answer = answers.status(500);
  await addReport();
  await addEmployees(1);
  await run();
  await setScopes('employees:read');
  receiver.answer = answers.ok;
  clock.advanceSeconds(7);
  await run();
  t.same(
    receiver.received.map(({ body }) => body.data.map(({ type }) => type)),
    [['report.created', 'employee.created'], ['employee.created']],
  );
});
