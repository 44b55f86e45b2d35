import { tokenEventTypes } from '../../src/features/audit-log/audit-log-reader.js';
import { randomId } from '../../src/platform/database/ids.js';
import { auditLogPath, isPage, openAll } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { createScene, createUser, grantTokens, signedInBrowser } from '../support/oauth/users.js';
import { parseCsv } from '../support/records/reports.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const csvPath = `${auditLogPath}.csv`;

interface Event {
  readonly type?: string;
  readonly userId?: string | null;
  readonly applicationId?: string | null;
  readonly address?: string | null;
  readonly at?: string;
  readonly details?: Record<string, string>;
}

/** Events whose request ids are `event-0`, `event-1` and so on. */
async function arrange(events: readonly Event[]) {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  await store(scene.accountId, events);
  const seen = async (query: string) => {
    const page = await browser.open(`${auditLogPath}?${query}`);
    isPage(t, page, 200, query);
    return [...page.body.matchAll(/event-\d+/g)].map(([id]) => id).toSorted();
  };
  return { ...scene, browser, seen };
}

async function store(accountId: string, events: readonly Event[]): Promise<void> {
  await database.prisma.auditEvent.createMany({
    data: events.map(
      ({ type = 'sign_out', at = '2026-02-01T12:00:00Z', address = '192.0.2.1', ...event }, index) => ({
        id: randomId(),
        accountId,
        type,
        address,
        requestId: `event-${index}`,
        createdAt: new Date(at),
        ...event,
      }),
    ),
  });
}

t.test('hides the events of tokens, except on request or when one of their types is selected', async (t) => {
  const { seen } = await arrange([
    ...tokenEventTypes.map((type) => ({ type })),
    { type: 'refresh_token.replayed' },
    { type: 'authorization_code.replayed' },
    { type: 'retired.kind' },
  ]);
  t.same(await seen(''), ['event-4', 'event-5', 'event-6']);
  t.equal((await seen('tokens=1')).length, 7);
  t.same(await seen('type=token.refreshed'), ['event-2']);
  t.same(await seen('type=refresh_token.replayed'), ['event-4']);
});

t.test('filters by user, by the command line, by application, by type, and by all of them', async (t) => {
  const { accountId, user, application, seen: seenBy } = await arrange([]);
  const other = await createUser(database, accountId);
  const [one, two] = [application.id, (await createApplication(database, accountId)).id];
  await store(accountId, [
    { userId: user.id, applicationId: one, type: 'consent.allowed' },
    { userId: user.id, applicationId: two, type: 'consent.allowed' },
    { userId: other.id, applicationId: one, type: 'consent.denied' },
    { userId: null, applicationId: one, type: 'client_authentication.failed' },
    { userId: null, address: null, type: 'user.created' },
    { userId: user.id, applicationId: one, type: 'consent.denied' },
    { userId: user.id, applicationId: one, type: 'token.issued' },
  ]);
  const seen = async (query: Record<string, string>) =>
    (await seenBy(`${new URLSearchParams(query)}`)).map((id) => Number(id.slice('event-'.length)));
  t.same(await seen({ person: user.email }), [0, 1, 5]);
  t.same(await seen({ person: ` ${user.email.toUpperCase()} ` }), [0, 1, 5], 'in another form');
  t.same(await seen({ person: user.email, tokens: '1' }), [0, 1, 5, 6]);
  t.same(await seen({ person: 'operator' }), [4]);
  t.same(await seen({ application: one }), [0, 2, 3, 5]);
  t.same(await seen({ application: two, person: user.email }), [1]);
  t.same(await seen({ application: one, person: user.email, type: 'consent.denied' }), [5]);
  t.same(await seen({ application: 'unknown' }), [], 'an application that was deleted long ago');
});

t.test('selects whole days in the time zone of the reader, also where clocks change', async (t) => {
  const { user, seen } = await arrange([
    { at: '2026-03-28T22:59:59.999Z' },
    { at: '2026-03-28T23:00:00.000Z' },
    { at: '2026-03-29T21:59:59.999Z' },
    { at: '2026-03-29T22:00:00.000Z' },
  ]);
  const zone = (zoneinfo: string | null) =>
    database.prisma.user.updateMany({ where: { id: user.id }, data: { zoneinfo } });
  await zone('Europe/Berlin');
  t.same(await seen('from=2026-03-29&to=2026-03-29'), ['event-1', 'event-2'], 'a day of 23 hours');
  t.same(await seen('from=2026-03-30'), ['event-3']);
  t.same(await seen('to=2026-03-28'), ['event-0']);
  await zone(null);
  t.same(await seen('from=2026-03-29&to=2026-03-29'), ['event-2', 'event-3'], 'UTC by default');
  await zone('not a zone');
  t.same(await seen('to=2026-03-28'), ['event-0', 'event-1']);
  // The day starts at 01:00: the clocks were set forward at midnight.
  const skipped = await arrange([{ at: '2018-11-04T02:59:59Z' }, { at: '2018-11-04T03:00:00Z' }]);
  await database.prisma.user.updateMany({
    where: { id: skipped.user.id },
    data: { zoneinfo: 'America/Sao_Paulo' },
  });
  t.same(await skipped.seen('from=2018-11-04'), ['event-1']);
  for (const zoneinfo of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    await zone(zoneinfo);
    await seen('from=1970-01-01&to=9999-12-30');
  }
});

t.test('keeps the filters in the links to other pages, in the form and in the link to the CSV', async (t) => {
  const { accountId, user, application, browser } = await arrange([]);
  const event = { type: 'sign_out', userId: user.id, applicationId: application.id };
  await store(
    accountId,
    Array.from({ length: 60 }, () => event),
  );
  const filters = {
    person: user.email,
    application: application.id,
    type: 'sign_out',
    from: '2026-01-01',
    to: '2026-12-31',
    tokens: '1',
  };
  const query = new URLSearchParams(filters).toString();
  const pages = (await openAll(browser, `${auditLogPath}?${query}`)).map(({ body }) => body);
  const written = query.replaceAll('&', '&amp;');
  for (const body of pages) {
    t.ok(body.includes(`href="${csvPath}?${written}"`), 'the link to the CSV');
    t.match(body, new RegExp(`value="${user.email}" list`));
    for (const value of [application.id, 'sign_out'])
      t.match(body, new RegExp(`<option selected value="${value}"|value="${value}" selected`));
  }
  for (const body of pages.slice(0, -1)) t.match(body, `href="${auditLogPath}?${written}&amp;after=`);
  t.equal([...pages.join().matchAll(/event-\d+/g)].length, 60);
});

t.test('rejects invalid filters with 400 and names each of them, on the page and for the CSV', async (t) => {
  const { browser } = await arrange([{}]);
  const elsewhere = await createScene(database);
  const invalid: [string, string, string][] = [
    ['person', 'unknown@acme.example', 'No user of your account'],
    ['person', elsewhere.user.email, 'No user of your account'],
    ['person', "' OR 1=1 --", 'No user of your account'],
    ['application', 'NOT AN ID', 'Select an application'],
    ['type', 'nonsense', 'Select a type'],
    ['type', '__proto__', 'Select a type'],
    ['from', '2026-02-30', 'first day as a date'],
    ['from', '1969-12-31', 'first day as a date'],
    ['to', '20.11.2026', 'last day as a date'],
    ['to', '9999-12-31', 'last day as a date'],
    ['tokens', 'yes', 'must be 1'],
  ];
  for (const [name, value, message] of invalid) {
    const query = new URLSearchParams({ [name]: value });
    const page = await browser.open(`${auditLogPath}?${query}`);
    isPage(t, page, 400, `${name}=${value}`);
    t.match(page.body, new RegExp(`<a href="#${name}">[^<]*${message}`), `${name}=${value}`);
    t.notMatch(page.body, 'event-0', 'shows no events');
    const csv = await browser.open(`${csvPath}?${query}`);
    isPage(t, csv, 400, `${name}=${value}`);
    t.match(csv.body, new RegExp(`${name} is not valid`), `${name}=${value}`);
  }
  t.match(
    (await browser.open(`${auditLogPath}?from=2026-02-02&to=2026-02-01`)).body,
    /must not be before the first day/,
  );
  for (const repeated of ['type=sign_out&type=sign_out', 'person=a&person=b', 'person=%00']) {
    isPage(t, await browser.open(`${auditLogPath}?${repeated}`), 400, repeated);
  }
});

t.test('exports the selected events as CSV, newest first, and records the export', async (t) => {
  const { accountId, user, application, browser } = await arrange([]);
  const events = Array.from({ length: 303 }, (_, index) => ({
    userId: user.id,
    applicationId: application.id,
    type: index % 3 === 0 ? 'token.issued' : 'report.exported',
    at: new Date(Date.UTC(2026, 1, 1) + Math.floor(index / 7) * 1000).toISOString(),
    details: { title: `a "quoted", title\n${index}` },
  }));
  await store(accountId, events);
  const response = await browser.open(`${csvPath}?person=${user.email}`);
  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'text/csv; charset=utf-8; header=present');
  t.equal(response.headers['content-disposition'], 'attachment; filename="audit-log-2026-03-01.csv"');
  t.equal(response.headers['cache-control'], 'no-store');
  const [header, ...rows] = parseCsv(response.body);
  t.equal(
    header?.join(),
    'id,created_at,type,user_id,user_name,user_email,application_id,application_name,address,request_id,details',
  );
  t.equal(rows.length, 202);
  t.equal(new Set(rows.map(([id]) => id)).size, 202);
  const times = rows.map(([, at]) => at);
  t.same(times, [...times].toSorted().toReversed());
  const exported = rows.map((cells) => JSON.parse(cells[10] ?? '').title).toSorted();
  const selected = events
    .filter(({ type }) => type === 'report.exported')
    .map(({ details }) => details.title);
  t.same(exported, selected.toSorted());
  t.match(rows[0]?.[4], 'Ada Lovelace');
  const [event] = await database.prisma.auditEvent.findMany({
    where: { accountId, type: 'audit_log.exported' },
  });
  t.match(event, { userId: user.id, details: { person: user.email, rows: '202', complete: 'yes' } });
});

t.test(
  'hostile names of users and applications are text on the page, and no formulas in the CSV',
  async (t) => {
    const { accountId, browser } = await arrange([]);
    const ids: string[] = [];
    for (const [index, name] of hostileNames.entries()) {
      const user = await createUser(database, accountId);
      await database.prisma.user.updateMany({
        where: { id: user.id },
        data: { givenName: name.slice(0, 100), familyName: `${index}` },
      });
      const application = await createApplication(database, accountId, { name });
      ids.push(application.id);
      await store(accountId, [{ userId: user.id, applicationId: application.id }]);
    }
    const pages = await openAll(browser, auditLogPath);
    for (const page of pages) {
      isPage(t, page);
      t.notMatch(page.body, /<(script|img)|<h1>x/i);
    }
    const shown = pages.map(({ body }) => body).join();
    for (const name of hostileNames) {
      const text = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
      t.ok(shown.includes(`<bdi>${text}</bdi>`), name);
    }
    for (const id of ids) t.ok(shown.includes(`application=${id}`));

    const [, ...rows] = parseCsv((await browser.open(csvPath)).body);
    t.equal(rows.length, hostileNames.length);
    for (const cells of rows) {
      t.equal(cells.length, 11);
      for (const cell of cells) t.notMatch(cell ?? '', /^[=+\-@\t\r]/);
    }
    t.same(rows.map((cells) => cells[7]?.replace(/^'(?=[=+\-@])/, '')).toSorted(), hostileNames.toSorted());
  },
);

t.test('does not export to a member, or events of another account', async (t) => {
  const [one, other] = [await createScene(database), await createScene(database, { name: 'Elsewhere' })];
  await grantTokens(api, other);
  const browser = await signedInBrowser(api, one.user);
  const { body } = await browser.open(`${csvPath}?tokens=1`);
  t.notMatch(body, other.user.email);
  const foreign = await browser.open(`${csvPath}?application=${other.application.id}&tokens=1`);
  t.equal(parseCsv(foreign.body).length, 1, 'only the header');
  const member = await signedInBrowser(api, await createUser(database, one.accountId, { role: 'member' }));
  isPage(t, await member.open(csvPath), 403);
  const anonymous = await api.app.inject({ url: csvPath });
  t.equal(anonymous.statusCode, 303);
});
