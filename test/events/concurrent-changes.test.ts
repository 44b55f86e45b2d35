import { setImmediate as nextTurn } from 'node:timers/promises';
import { openTestDatabase, testServer } from '../support/database/database.js';
import { changeMuch } from '../support/records/event-writers.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

/** The transactions of the embedded database run one after the other, so fewer show as much. A longer manual run used 400. */
const changesOfWriter = Number(process.env.EVENT_WRITERS_CHANGES ?? (testServer === undefined ? 6 : 30));
const writers = 16;

const database = await openTestDatabase(t, { poolSize: 20 });
const api = await buildTestApp(t, { database, recorded: false });

t.test(
  `${writers} writers and a reader: no event ever appears before a position that was read`,
  async (t) => {
    const tenant = await createTenant(api.database, { employees: makeEmployees(50) });
    const token = await api.token(tenant.application);
    let writing = true;
    const written = changeMuch(api, { tenant, token, writers, changesOfWriter }).finally(() => {
      writing = false;
    });
    const seen: string[] = [];
    let next = '/v1/events?page[size]=500';
    for (let more = true; writing || more; ) {
      // Read before the page: later commits are on a later page.
      more = writing;
      // The embedded database needs no turn of the event loop for a page, and the writers need one for each body.
      await nextTurn();
      const response = await api.get(next, token);
      if (response.statusCode !== 200) throw new Error(response.body);
      const page = response.json();
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      next = page.links.next.slice(page.links.next.indexOf('/v1/'));
      more ||= page.meta.has_more;
    }
    const changes = await written;
    const stored = await api.database.prisma.event.findMany({
      where: { accountId: tenant.accountId },
      orderBy: { position: 'asc' },
      select: { position: true },
    });
    t.same(
      seen,
      stored.map(({ position }) => `evt_${tenant.accountId}_${position.toString(36).padStart(8, '0')}`),
    );
    t.same(
      stored.map(({ position }) => Number(position)),
      stored.map((_, index) => index + 1),
      'no gaps, even after rollbacks',
    );
    t.comment(`${changes} changes, ${seen.length} events`);
  },
);
