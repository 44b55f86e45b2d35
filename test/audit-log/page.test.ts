import { AuditLog } from '../../src/platform/audit/audit-log.js';
import { randomId } from '../../src/platform/database/ids.js';
import { hiddenFields } from '../support/browser/browser.js';
import {
  applicationsPath,
  auditLogPath,
  confirm,
  createThroughPage,
  credentialsOn,
  formOn,
  isPage,
  openAll,
} from '../support/browser/pages.js';
import { asOwner } from '../support/database/owner.js';
import { createScene, grantTokens, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;

/** Labels of the events on the page, newest first. */
const eventsOn = (html: string) =>
  [...html.matchAll(/data-label="What"><div><strong>([^<]*)</g)].map(([, words]) => words);

t.test('records every change of an application with user and address, without secrets', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const created = await createThroughPage(browser, { name: 'Audited' });
  const secrets = [credentialsOn(created).clientSecret];
  const { id } = await database.prisma.application.findFirstOrThrow({
    where: { accountId, name: 'Audited' },
  });
  const address = `${applicationsPath}/${id}`;
  clock.advanceSeconds(1);
  const form = formOn(await browser.open(`${address}/edit`), { name: 'Audited 2', scopes: ['user:read'] });
  await browser.submit(`${address}/edit`, form);
  clock.advanceSeconds(1);
  const second = await browser.submit(`${address}/secrets`, hiddenFields((await browser.open(address)).body));
  secrets.push(credentialsOn(second).clientSecret);
  clock.advanceSeconds(1);
  const oldest = await database.prisma.applicationSecret.findFirstOrThrow({
    where: { applicationId: id },
    orderBy: { createdAt: 'asc' },
  });
  await confirm(browser, `${address}/secrets/${oldest.id}/revoke`);
  clock.advanceSeconds(1);
  await confirm(browser, `${address}/delete`);

  const events = await database.prisma.auditEvent.findMany({
    where: { applicationId: id },
    orderBy: { createdAt: 'asc' },
  });
  t.same(
    events.map(({ type }) => type),
    [
      'application.created',
      'application.updated',
      'application.secret_created',
      'application.secret_revoked',
      'application.deleted',
    ],
  );
  for (const event of events) {
    t.match(event, { accountId, userId: user.id, address: '127.0.0.1', requestId: /^[0-9a-f-]{36}$/ });
  }
  t.same(events[1]?.details, { name: 'Audited → Audited 2', scopes_removed: ['reports:read'] });
  const text = JSON.stringify(events);
  for (const secret of secrets) t.notMatch(text, secret);
  const csrf = hiddenFields(created.body).csrf_token ?? '';
  t.notMatch(text, csrf);

  const page = await browser.open(auditLogPath);
  isPage(t, page);
  t.same(eventsOn(page.body).slice(0, 5), [
    'Application deleted',
    'Client secret revoked',
    'Client secret created',
    'Application changed',
    'Application created',
  ]);
  t.match(
    page.body,
    /data-label="Application"><div><a [^>]*><bdi>Audited 2</,
    'a deleted application keeps its name',
  );
  t.match(page.body, user.email);
  t.match(page.body, /<dt>request ID<\/dt><dd>[0-9a-f-]{36}</, 'the request id is one of the details');
  t.match(page.body, /data-label="From"><div>127\.0\.0\.1<\/div>/);
});

t.test('stores an event together with its change or neither', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const before = await database.prisma.application.count({ where: { accountId } });
  await asOwner(
    database,
    "ALTER TABLE audit_events ADD CONSTRAINT refused CHECK (type <> 'application.created') NOT VALID",
  );
  isPage(t, await createThroughPage(browser, { name: 'Unaudited' }), 500);
  await asOwner(database, 'ALTER TABLE audit_events DROP CONSTRAINT refused');
  t.equal(await database.prisma.application.count({ where: { accountId } }), before);
});

t.test('shows the account of the reader only', async (t) => {
  const [one, other] = [await createScene(database), await createScene(database, { name: 'Elsewhere' })];
  await grantTokens(api, other);
  const browser = await signedInBrowser(api, one.user);
  const page = await browser.open(auditLogPath);
  isPage(t, page);
  t.notMatch(page.body, 'Elsewhere');
  t.notMatch(page.body, other.user.email);
});

t.test('shows the newest events first, each once on its pages, also with equal times', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  await database.prisma.auditEvent.createMany({
    data: Array.from({ length: 130 }, (_, index) => ({
      id: randomId(),
      accountId,
      type: index % 10 === 0 ? 'token.revoked' : 'token.issued',
      requestId: `request-${index}`,
      createdAt: new Date(Date.UTC(2026, 1, 1) + Math.floor(index / 40) * 1000),
    })),
  });
  const walk = async (start: string) => {
    const text = (await openAll(browser, start)).map(({ body }) => body).join();
    const times = [...text.matchAll(/datetime="([^"]*)"/g)].map(([, at]) => at ?? '');
    t.same(times, times.toSorted().toReversed());
    return [...text.matchAll(/request-\d+/g)].map(([id]) => id);
  };
  const all = await walk(`${auditLogPath}?tokens=1`);
  t.equal(all.length, 130);
  t.equal(new Set(all).size, 130);
  t.equal(new Set(await walk(`${auditLogPath}?type=token.revoked`)).size, 13);
  t.same(eventsOn((await browser.open(`${auditLogPath}?type=signing_key.rotated`)).body), []);
  for (const query of ['after=nonsense', 'after=999999999999999-x']) {
    const page = await browser.open(`${auditLogPath}?tokens=1&${query}`);
    isPage(t, page, 200, query);
    t.equal(eventsOn(page.body).length, 50, query);
  }
});

t.test('shows times in the language and time zone of the reader', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const createdAt = new Date('2026-01-31T23:30:00.000Z');
  await database.prisma.auditEvent.create({
    data: { id: randomId(), accountId, type: 'sign_out', createdAt },
  });
  for (const [locale, zoneinfo, expected] of [
    [null, null, '<time datetime="2026-01-31T23:30:00.000Z">31 Jan 2026, 23:30 UTC</time>'],
    [
      'de_DE',
      'Europe/Berlin',
      '<time datetime="2026-01-31T23:30:00.000Z" lang="de-DE">1. Feb. 2026, 00:30 MEZ',
    ],
    ['en-US', 'America/New_York', '>Jan 31, 2026, 06:30 PM EST<'],
    ['not a locale', 'Asia/Tokyo', '>1 Feb 2026, 08:30 GMT+9<'],
    ['en-GB', '<script>', '>31 Jan 2026, 23:30 UTC<'],
  ] as const) {
    await database.prisma.user.updateMany({ where: { id: user.id }, data: { locale, zoneinfo } });
    const { body } = await browser.open(auditLogPath);
    const [time = ''] = /<time datetime="2026-01-31T23[^/]*<\/time>/.exec(body) ?? [];
    t.ok(time.replaceAll('\u202f', ' ').includes(expected), `${locale} ${zoneinfo}: ${time}`);
  }
});

t.test('shows an event of an unknown type by its name', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  await database.prisma.auditEvent.create({
    data: { id: randomId(), accountId, type: 'retired.kind', createdAt: new Date('2026-01-01') },
  });
  t.match(eventsOn((await browser.open(auditLogPath)).body), ['retired.kind']);
  await new AuditLog(database, clock).record({ type: 'sign_out', accountId });
  t.match(
    (await browser.open(auditLogPath)).body,
    /data-label="Who"><div>The service or its operator<.*data-label="From"><div>–</,
  );
});
