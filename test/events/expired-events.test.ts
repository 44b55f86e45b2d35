import { Housekeeping } from '../../src/process/housekeeping.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';

const clock = createTestClock(new Date());
const api = await buildTestApp(t, { clock, environment: { EVENT_RETENTION_DAYS: '10' } });
const day = 86_400;

async function setUp() {
  const { accountId, application } = await createTenant(api.database, { employees: makeEmployees(4) });
  const occurred = (position: number, daysAgo: number) =>
    api.database.prisma.event.updateMany({
      where: { accountId, position },
      data: { occurredAt: new Date(clock().getTime() - daysAgo * day * 1000) },
    });
  for (const [position, days] of [
    [1, 12],
    [2, 11],
    [3, 9],
    [4, 1],
  ] as const)
    await occurred(position, days);
  const token = await api.token(application);
  return { accountId, get: (path: string) => api.get(`/v1/events${path}`, token) };
}

for (const pruned of [false, true]) {
  t.test(
    `a cursor before the oldest kept event is expired, ${pruned ? 'after' : 'before'} housekeeping`,
    async (t) => {
      const { accountId, get } = await setUp();
      const id = (position: number) => `evt_${accountId}_0000000${position}`;
      if (pruned) {
        await new Housekeeping(api.database, { eventRetentionDays: 10, historyRetentionDays: 10 }).prune(
          clock(),
        );
        t.equal(await api.database.prisma.event.count({ where: { accountId } }), 2);
      }
      for (const cursor of [id(0), id(1)]) {
        const response = await get(`?page[after]=${cursor}`);
        t.equal(response.statusCode, 410, cursor);
        t.match(response.json(), { code: 'events_expired', detail: /filter\[since\]/ });
      }
      for (const event of [id(1), id(2)]) t.equal((await get(`/${event}`)).statusCode, 410, event);
      t.equal((await get(`/${id(3)}`)).statusCode, 200);
      const ids = async (query: string) =>
        (await get(query)).json().data.map((event: { id: string }) => event.id);
      t.same(await ids(`?page[after]=${id(2)}`), [id(3), id(4)], 'the oldest cursor without a gap');
      t.same(await ids(''), [id(3), id(4)], 'the feed starts with the oldest kept event');
      t.same(await ids('?filter[since]=1950-01-01T00:00:00Z'), [id(3), id(4)]);
      t.same(await ids(`?page[after]=${id(4)}`), [], 'the end never expires');
    },
  );
}

t.test(
  'the last cursor of a feed whose events were all deleted is valid, and earlier ones are expired',
  async (t) => {
    const { accountId, get } = await setUp();
    await api.database.prisma.event.deleteMany({ where: { accountId } });
    t.equal((await get(`?page[after]=evt_${accountId}_00000004`)).statusCode, 200);
    t.equal((await get(`?page[after]=evt_${accountId}_00000003`)).statusCode, 410);
    t.equal((await get(`/evt_${accountId}_00000004`)).statusCode, 410);
    t.match((await get('')).json(), { data: [], meta: { next_cursor: `evt_${accountId}_00000004` } });
  },
);
