import { setImmediate as nextTurn } from 'node:timers/promises';
import { openTestDatabase, testServer } from '../support/database/database.js';
import { changeMuch } from '../support/records/event-writers.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

/** The transactions of the embedded database run one after the other, so fewer show as much. A longer manual run used 400. */
const changesOfWriter = Number(process.env.EVENT_WRITERS_CHANGES ?? (testServer === undefined ? 6 : 30));
const writers = 16;

const onPostgresql =
  testServer === undefined ? { skip: 'transactions of the embedded database run one after the other' } : {};

const database = await openTestDatabase(t, { poolSize: 20 });
const api = await buildTestApp(t, { database, recorded: false });

interface Event {
  readonly id: string;
  readonly type: string;
  readonly resource: { readonly id: string; readonly attributes: Record<string, unknown> | null };
}

interface Page {
  readonly data: readonly Event[];
  readonly meta: { readonly has_more: boolean; readonly next_cursor: string };
  readonly links: { readonly next: string };
}

async function setUp() {
  const tenant = await createTenant(api.database, { employees: makeEmployees(50) });
  const token = await api.token(tenant.application);
  const read = async (url: string): Promise<Page> => {
    const response = await api.get(url.slice(url.indexOf('/v1/')), token);
    if (response.statusCode !== 200) throw new Error(response.body);
    return response.json();
  };
  return { tenant, token, read };
}

t.test(
  `${writers} writers and a reader: no event ever appears before a position that was read`,
  async (t) => {
    const { tenant, token, read } = await setUp();
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
      const page = await read(next);
      seen.push(...page.data.map(({ id }) => id));
      next = page.links.next;
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

t.test('a copy that reads the cursor, then the lists, then the feed is complete', onPostgresql, async (t) => {
  const { tenant, token, read } = await setUp();
  const written = changeMuch(api, { tenant, token, writers, changesOfWriter });
  const start = await read('/v1/events?filter[since]=2999-01-01T00:00:00Z');
  const copy = new Map<string, unknown>();
  const list = async (onEmployee: (id: string, attributes: unknown) => void) => {
    for (let url: string | null = '/v1/employees?page[size]=20'; url !== null; ) {
      const page = (await read(url)) as unknown as {
        data: { id: string; attributes: unknown }[];
        links: { next: string | null };
      };
      for (const { id, attributes } of page.data) onEmployee(id, attributes);
      url = page.links.next;
    }
  };
  await list((id, attributes) => copy.set(id, attributes));
  await written;
  let page = start;
  do {
    page = await read(page.links.next);
    for (const { type, resource } of page.data) {
      if (!type.startsWith('employee.')) continue;
      // Without attributes, the record was deleted later.
      if (type === 'employee.deleted' || resource.attributes === null) copy.delete(resource.id);
      else copy.set(resource.id, resource.attributes);
    }
  } while (page.meta.has_more);
  const expected = new Map<string, unknown>();
  await list((id, attributes) => expected.set(id, attributes));
  t.same([...copy].sort(), [...expected].sort());
});
