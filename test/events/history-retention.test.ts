import { toAccountId } from '../../src/platform/accounts/account-id.js';
import { Housekeeping } from '../../src/process/housekeeping.js';
import { changeReader, changesPath } from '../support/records/employee-changes.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';
import { deliveryScene } from '../support/webhooks/scene.js';

const clock = createTestClock(new Date());
const dayMs = 86_400_000;
const ago = (days: number) => new Date(clock().getTime() - days * dayMs);

/** An employee who was created and updated three times: 25, 19, 9 and 1 days ago. */
async function setUp(api: Awaited<ReturnType<typeof buildTestApp>>) {
  const { prisma } = api.database;
  const { accountId, application, employeeIds } = await createTenant(api.database, {
    employees: makeEmployees(1),
  });
  const [id = ''] = employeeIds;
  for (const location of ['L1', 'L2', 'L3'])
    await prisma.employee.updateMany({ where: { accountId, id }, data: { location } });
  for (const [index, days] of [25, 19, 9, 1].entries())
    await prisma.event.updateMany({
      where: { accountId, position: index + 1 },
      data: { occurredAt: ago(days) },
    });
  const token = await api.token(application);
  const { all } = changeReader(api, token);
  const positionOf = (id: string) => Number(id.slice(-2));
  return {
    eventId: (position: number) => `evt_${accountId}_0000000${position}`,
    get: (path: string) => api.get(path, token),
    /** Positions of the stored events, of those in the feed, and of the changes. */
    async positions() {
      const stored = await prisma.event.findMany({ where: { accountId }, orderBy: { position: 'asc' } });
      const feed = (await api.get('/v1/events?filter[since]=1950-01-01T00:00:00Z', token)).json().data;
      return {
        stored: stored.map(({ position }) => Number(position)),
        feed: feed.map((event: { id: string }) => positionOf(event.id)),
        changes: (await all(id)).changes.map((change) => positionOf(change.id)).toReversed(),
      };
    },
    id,
  };
}

const orders = [
  { events: 10, history: 20, feed: [3, 4], changes: [2, 3, 4] },
  { events: 20, history: 10, feed: [2, 3, 4], changes: [3, 4] },
  { events: 20, history: 20, feed: [2, 3, 4], changes: [2, 3, 4] },
];
for (const { events, history, feed, changes } of orders) {
  t.test(
    `with EVENT_RETENTION_DAYS ${events} and HISTORY_RETENTION_DAYS ${history}, each is shown for its days, and housekeeping keeps the longer time`,
    async (t) => {
      const environment = {
        EVENT_RETENTION_DAYS: String(events),
        HISTORY_RETENTION_DAYS: String(history),
      };
      const api = await buildTestApp(t, { clock, environment });
      const { positions, get, eventId } = await setUp(api);
      const housekeeping = new Housekeeping(api.database, api.config);
      for (const stored of [
        [1, 2, 3, 4],
        [2, 3, 4],
      ]) {
        t.same(await positions(), { stored, feed, changes });
        const [oldest = 0] = feed;
        for (let position = 1; position <= 4; position += 1) {
          const isShown = position >= oldest;
          t.equal((await get(`/v1/events/${eventId(position)}`)).statusCode, isShown ? 200 : 410);
          const after = await get(`/v1/events?page[after]=${eventId(position - 1)}`);
          t.equal(after.statusCode, isShown ? 200 : 410, `after ${position - 1}`);
        }
        await housekeeping.prune(clock());
      }
    },
  );
}

t.test(
  'the history follows the clock: a change leaves it after its days, and the employee stays',
  async (t) => {
    const api = await buildTestApp(t, {
      clock: createTestClock(new Date()),
      environment: { HISTORY_RETENTION_DAYS: '30' },
    });
    const { id, get, positions } = await setUp(api);
    t.same((await positions()).changes, [1, 2, 3, 4]);
    // Tokens expire meanwhile, so another application reads it.
    const later = createTestClock(new Date(Date.now() + 28 * dayMs));
    const other = await buildTestApp(t, {
      clock: later,
      database: api.database,
      environment: { HISTORY_RETENTION_DAYS: '30' },
    });
    const { accountId } = await api.database.prisma.employee.findFirstOrThrow({ where: { id } });
    const application = await createApplication(other.database, toAccountId(accountId));
    const { all } = changeReader(other, await other.token(application));
    t.same(
      (await all(id)).changes.map(({ attributes }) => attributes.changes.map(({ to }) => to)),
      [['L3']],
    );
    later.advanceSeconds((2 * dayMs) / 1000);
    const token = await other.token(application);
    t.same((await other.get(changesPath(id), token)).json().data, []);
    t.equal((await get(`/v1/employees/${id}`)).statusCode, 200);
  },
);

t.test('webhooks do not send events that only the history keeps: the endpoint is paused', async (t) => {
  const api = await buildTestApp(t, { environment: { HISTORY_RETENTION_DAYS: '400' } });
  const scene = await deliveryScene(t, api);
  const { accountId, receiver, create, addEmployees, run, state, post } = scene;
  const { id } = await create({ url: receiver.url });
  await addEmployees(3);
  await api.database.prisma.event.updateMany({
    where: { accountId },
    data: { occurredAt: new Date(api.clock().getTime() - 31 * dayMs) },
  });
  await new Housekeeping(api.database, api.config).prune(api.clock());
  t.equal(await api.database.prisma.event.count({ where: { accountId } }), 3);
  await run();
  t.same(receiver.received, []);
  t.match(await state(id), { status: 'paused', pause_reason: 'expired' });
  const after = `evt_${accountId}_00000000`;
  const resumed = await post(`/${id}/resumptions`, { after });
  t.match(resumed.json(), { status: 410, code: 'events_expired' });
});

t.test('an update from before the values were kept is not in the history, and the creation is', async (t) => {
  const api = await buildTestApp(t, { clock });
  const { positions, id, get } = await setUp(api);
  await api.database.prisma.$executeRaw`
    UPDATE events SET previous = NULL WHERE resource_id = ${id} AND position IN (2, 3)`;
  t.same((await positions()).changes, [1, 4]);
  const page = (await get(`${changesPath(id)}?page[size]=1`)).json();
  const next = (await get(`${changesPath(id)}?page[after]=${page.meta.next_cursor}`)).json();
  t.equal(next.data[0].attributes.kind, 'created');
  t.equal(next.meta.next_cursor, null);
});
