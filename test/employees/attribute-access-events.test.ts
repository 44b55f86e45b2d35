import {
  bodyShownTo,
  type EmployeeBody,
  markedValues,
  markersIn,
  type Resource,
  type Restricted,
  restrict,
  shownTo,
  storedMarkedValues,
} from '../support/records/attribute-access.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';
import { answers, eventIds, type Receiver, startReceiver, verify } from '../support/webhooks/receiver.js';
import { deliveryScene } from '../support/webhooks/scene.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

const restricted: Restricted = ['location', 'hire_date', 'manager_id'];

/** An account with two applications, each with an endpoint: one may read all attributes, the other may not read some. */
async function setUp(t: Test, eventTypes: readonly string[] = []) {
  const scene = await deliveryScene(t, api);
  const { accountId, application, token, receiver } = scene;
  await restrict(api, application, []);
  const employees = makeEmployees(4).map((employee, index) => ({ ...employee, ...markedValues(index) }));
  const ids = await insertEmployees(prisma, accountId, employees);
  const other = await createApplication(api.database, accountId);
  await restrict(api, other, restricted);
  const otherToken = await api.token(other);
  const otherReceiver = await startReceiver(t);
  await scene.create({ url: receiver.url });
  const created = await sendJson(api, {
    url: '/v1/webhook_endpoints',
    token: otherToken,
    body: { url: otherReceiver.url, event_types: eventTypes },
  });
  if (created.statusCode !== 201) throw new Error(created.body);
  const { data, meta: secrets } = created.json();
  const endpoint: { id: string; secret: string } = { id: data.id, secret: secrets.secret };
  const { meta } = (await api.get('/v1/events', token)).json();
  return {
    ...scene,
    ids,
    endpoint,
    otherApplication: other,
    otherToken,
    otherReceiver,
    change: (index: number, data: object) =>
      prisma.employee.updateMany({ where: { accountId, id: ids[index] ?? '' }, data }),
    /** The events since the endpoints were created. */
    async feed(ofToken: string): Promise<EmployeeBody & { readonly data: readonly Resource[] }> {
      return (await api.get(`/v1/events?page[size]=100&page[after]=${meta.next_cursor}`, ofToken)).json();
    },
  };
}

/** The attributes of which deliveries have marked values. */
const delivered = ({ received }: Receiver) =>
  markersIn(received.map(({ text, headers }) => `${text}\n${JSON.stringify(headers)}`).join('\n'));

const eventsOf = ({ received }: Receiver) => received.flatMap(({ body }) => body.data);

t.test(
  'deliveries have the events of the feed of their application, without the attributes that it may not read',
  async (t) => {
    const scene = await setUp(t);
    const { accountId, receiver, otherReceiver, endpoint, change, run, ids } = scene;
    await change(0, { location: 'markedlocation5' });
    await change(1, { department: 'Research' });
    await change(2, { status: 'left', location: null, jobTitle: 'markedtitle6' });
    for (const [member, value] of Object.entries(storedMarkedValues(7))) await change(0, { [member]: value });
    await insertEmployees(prisma, accountId, makeEmployees(1, markedValues(8)));
    await prisma.employee.deleteMany({ where: { accountId, id: ids[3] ?? '' } });
    await run();
    const whole = await scene.feed(scene.token);
    t.same(eventsOf(receiver), whole.data, 'the application that may read all attributes gets every event');
    t.equal(whole.meta?.restricted, undefined);
    const own = await scene.feed(scene.otherToken);
    t.same(own.data, bodyShownTo(whole, restricted)?.data);
    t.ok(own.data.length < whole.data.length);
    t.equal(JSON.stringify(eventsOf(otherReceiver)), JSON.stringify(own.data));
    for (const { body, text, headers } of otherReceiver.received) {
      t.same((body.meta as { restricted?: unknown }).restricted, restricted);
      t.doesNotThrow(() => verify(endpoint.secret, { text, headers }));
    }
    for (const { body } of receiver.received) t.notOk('restricted' in body.meta);
    t.same(delivered(otherReceiver), ['job_title', 'termination_date']);
    t.equal(delivered(receiver).length, 5);
  },
);

t.test(
  'an event in which only attributes changed that the application may not read is not delivered',
  async (t) => {
    const scene = await setUp(t, ['employee.updated', 'employee.deleted']);
    const { receiver, otherReceiver, change, run } = scene;
    await change(0, { location: 'markedlocation5' });
    await change(1, { managerId: null, hireDate: null });
    await run();
    t.equal(eventsOf(receiver).length, 2);
    t.same(otherReceiver.received, [], 'there is no delivery without events');
    await change(0, { location: 'markedlocation6' });
    await change(1, { lastName: 'Changed' });
    await change(1, { location: 'markedlocation7' });
    await run();
    const shown = (await scene.feed(scene.token)).data.filter(
      (event) => shownTo(event, restricted).length > 0,
    );
    t.equal(shown.length, 1);
    t.same(
      eventIds(otherReceiver),
      shown.map(({ id }) => id),
    );
    t.same(
      otherReceiver.received.map(({ body }) => body.meta.has_more),
      [false],
    );
    await run();
    t.equal(otherReceiver.received.length, 1, 'and no event twice');
  },
);

t.test('a delivery that is repeated has the attributes that the application may read then', async (t) => {
  const scene = await setUp(t);
  const { clock, otherReceiver, otherApplication, change, run } = scene;
  otherReceiver.answer = answers.status(500);
  await change(0, { department: 'Research' });
  await run();
  t.same(delivered(otherReceiver), ['job_title', 'termination_date']);
  const all: Restricted = ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'];
  await restrict(api, otherApplication, all);
  otherReceiver.answer = answers.ok;
  const sent = otherReceiver.received.length;
  clock.advanceSeconds(7);
  await run();
  const [first] = otherReceiver.received;
  const repeated = otherReceiver.received.slice(sent);
  t.equal(repeated.length, 1);
  t.equal(repeated[0]?.id, first?.id);
  t.same(
    repeated[0]?.body.data.map(({ id }) => id),
    first?.body.data.map(({ id }) => id),
  );
  t.same(markersIn(repeated.map(({ text }) => text).join('\n')), []);
  await restrict(api, otherApplication, []);
  await change(0, { department: 'Sales' });
  await run();
  const last = otherReceiver.received.at(-1);
  t.equal(markersIn(last?.text ?? '').length, 5, 'access that was given applies to the next event');
  t.notOk('restricted' in (last?.body.meta ?? {}));
});

t.test('more events than fit on a page are skipped when the application may not see them', async (t) => {
  const scene = await setUp(t);
  const { endpoint, otherReceiver, otherToken, change, run } = scene;
  for (let number = 0; number < 105; number += 1)
    await change(number % 4, { location: `markedlocation${100 + number}` });
  await change(2, { department: 'Research' });
  await run();
  t.equal(eventsOf(otherReceiver).length, 1);
  t.equal(delivered(otherReceiver).includes('location'), false);
  const { data } = (await api.get(`/v1/webhook_endpoints/${endpoint.id}`, otherToken)).json();
  const [event] = eventsOf(otherReceiver);
  t.equal(data.attributes.last_event_id, event?.id);
});
