import type { LightMyRequestResponse } from 'fastify';
import { Sessions } from '../../src/platform/accounts/sessions.js';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { authorizationRequest, createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const { app } = api;

const main = '<nav aria-label="Main">';
const settings = '<nav aria-label="Settings"';

/** Expects an error page, with or without the navigation of the site. */
function errorPage(
  t: Test,
  page: LightMyRequestResponse,
  status: number,
  { navigation }: { navigation: boolean },
): void {
  t.equal(page.statusCode, status);
  t.match(page.headers['content-type'], /^text\/html/);
  t.equal(page.headers['cache-control'], 'no-store');
  t.match(page.body, /Error <code>[^<]+<\/code>, request <code>/);
  t.equal(page.body.includes(main), navigation, 'navigation');
  t.equal(page.body.includes('action="/sign_out"'), navigation, 'sign-out');
  t.equal(page.body.includes(settings), navigation, 'navigation of the settings');
}

t.test('404 pages keep the navigation for a signed-in user', async (t) => {
  const { user } = await createScene(database, { accountName: '<b>Hooper</b>' });
  const browser = await signedInBrowser(api, user);
  const unknown = await browser.open('/people/nowhere');
  errorPage(t, unknown, 404, { navigation: true });
  t.match(unknown.body, user.email);
  t.match(unknown.body, '&lt;b>Hooper');
  t.notMatch(unknown.body, 'aria-current', 'an error page is not in the navigation');
  const record = await browser.open('/people/settings/users/unknown');
  errorPage(t, record, 404, { navigation: true });
  t.match(record.body, /<a href="\/people\/settings\/users" aria-current="true">/);
  const report = await browser.open('/people/reports/unknown');
  errorPage(t, report, 404, { navigation: true });
  t.match(report.body, /<a href="\/people\/reports" aria-current="true">/);
  t.equal((await browser.submitForm(unknown, '/sign_out', {})).headers.location, '/sign_in');
});

t.test('403 pages keep the navigation, without the pages that the user may not see', async (t) => {
  const { user } = await createScene(database, { role: 'member' });
  const browser = await signedInBrowser(api, user);
  const page = await browser.open('/people/settings/oauth_applications');
  errorPage(t, page, 403, { navigation: true });
  t.match(page.body, '/people/settings/connected_applications');
  t.notMatch(page.body, /href="\/people\/settings\/(oauth_applications|users|audit_log)"/);
  const withoutToken = await browser.submit('/people/settings/account/profile', { given_name: 'Grace' });
  errorPage(t, withoutToken, 403, { navigation: true });
});

t.test('a visitor, and a browser whose session ended, get the page without navigation', async (t) => {
  const { user, accountId } = await createScene(database);
  errorPage(t, await new Browser(app).open('/people/nowhere'), 404, { navigation: false });
  const unknown = new Browser(app);
  unknown.setCookie('session', 'unknown');
  errorPage(t, await unknown.open('/people/nowhere'), 404, { navigation: false });

  const disabled = await createUser(database, accountId);
  const browser = await signedInBrowser(api, disabled);
  await database.prisma.user.updateMany({ where: { id: disabled.id }, data: { disabledAt: new Date() } });
  errorPage(t, await browser.open('/people/nowhere'), 404, { navigation: false });

  const signedOut = await signedInBrowser(api, user);
  await new Sessions(database, api.clock).revoke(signedOut.cookies.get('session') ?? '');
  errorPage(t, await signedOut.open('/people/nowhere'), 404, { navigation: false });
});

t.test('error pages of the authorization endpoint have no navigation', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const other = await createScene(database);
  const rejected = await browser.open(authorizationRequest(other).url);
  t.equal(rejected.statusCode, 403);
  t.notMatch(rejected.body, main);
});

t.test('a client that accepts JSON gets the problem document, with and without a session', async (t) => {
  const { user } = await createScene(database);
  const cookie = `session=${(await signedInBrowser(api, user)).cookies.get('session')}`;
  for (const headers of [{ accept: 'application/json' }, { accept: 'application/json', cookie }]) {
    const response = await app.inject({ url: '/people/nowhere', headers });
    t.equal(response.statusCode, 404);
    t.equal(response.headers['content-type'], 'application/problem+json');
    const members = ['code', 'detail', 'instance', 'request_id', 'status', 'title', 'type'];
    t.same(Object.keys(response.json()).toSorted(), members);
    t.notMatch(response.body, user.email);
  }
});

t.test('a 404 page without a session cookie needs no query', async (t) => {
  const closed = await openTestDatabase(t);
  const { app } = await buildTestApp(t, { database: closed });
  await closed.close();
  errorPage(t, await new Browser(app).open('/people/nowhere'), 404, { navigation: false });
  const browser = new Browser(app);
  browser.setCookie('session', 'unknown');
  t.ok((await browser.open('/people/nowhere')).statusCode >= 500, 'a session is looked up');
});
