import { Sessions } from '../../src/platform/accounts/sessions.js';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { createSignOnScene, person, providerUrl, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const clock = createTestClock();
const api = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '0' } });
const confirm = '/sign_in/sso/confirm';
const now = () => Math.floor(Date.now() / 1000);

/** A browser whose user signed in by single sign-on more than ten minutes ago. */
async function oldSession() {
  const scene = await createSignOnScene(t, api);
  const claims = person(`grace@${scene.domain}`);
  const { browser, ...started } = await start(api, scene);
  await started.return(claims);
  clock.advanceSeconds(601);
  const isRecent = async () => {
    const session = await new Sessions(database, clock).find(browser.cookies.get('session') ?? '');
    return session !== null && clock().getTime() - session.authenticatedAt.getTime() < 600_000;
  };
  return { scene, claims, browser, isRecent, start: () => start(api, scene, { browser, address: confirm }) };
}

t.test('rejects a confirmation without a recent auth_time of the identity provider', async (t) => {
  const { claims, isRecent, scene, ...session } = await oldSession();
  const cases = { missing: undefined, old: now() - 120, 'no number': 'now', 'before the epoch': -5 };
  for (const [label, auth_time] of Object.entries(cases)) {
    const response = await (await session.start()).return({ ...claims, auth_time });
    t.equal(response.statusCode, 502, label);
    t.notOk(await isRecent(), label);
  }
  const where = { accountId: scene.accountId, type: 'reauthentication.failed' };
  const reason = { path: ['reason'], equals: 'oauth_jwt_timestamp_check_failed' };
  const { details } = await database.prisma.auditEvent.findFirstOrThrow({
    where: { ...where, details: reason },
  });
  t.match(details, { claim: 'auth_time', issuer: scene.idp.issuer, remedy: /max_age/ });
  t.equal((await (await session.start()).return({ ...claims, auth_time: now() })).statusCode, 200);
  t.ok(await isRecent());
});

t.test('a sign-in counts from its auth_time at the identity provider, not from the return', async (t) => {
  const scene = await createSignOnScene(t, api);
  const claims = person(`grace@${scene.domain}`);
  const settings = '/people/settings/account/second_factor';
  const needsConfirmation = async (auth_time: number | undefined) => {
    const { browser, ...started } = await start(api, scene);
    await started.return({ ...claims, auth_time });
    const page = await browser.open(settings);
    const response = await browser.submitForm(page, `${settings}/app`, {});
    return /Confirm that it is you/.test(response.body);
  };
  const seconds = Math.floor(clock().getTime() / 1000);
  t.equal(await needsConfirmation(seconds - 599), false);
  t.equal(await needsConfirmation(seconds - 601), true, 'a session of the identity provider');
  t.equal(await needsConfirmation(seconds + 86_400), false, 'of a clock that is ahead');
  t.equal(await needsConfirmation(undefined), false, 'not stated');
});

t.test('another subject does not confirm a session, even with the address of the user', async (t) => {
  const { claims, isRecent, scene, ...session } = await oldSession();
  for (const sub of ['another', person('').sub]) {
    const response = await (await session.start()).return({ ...claims, sub, auth_time: now() });
    t.equal(response.statusCode, 403);
    t.notOk(await isRecent());
  }
  const other = await start(api, scene);
  const colleague = person(`ada@${scene.domain}`);
  await other.return(colleague);
  t.equal((await (await session.start()).return({ ...colleague, auth_time: now() })).statusCode, 403);
  t.notOk(await isRecent());
  t.equal((await other.browser.open('/people')).statusCode, 200);
});

t.test('a confirmation belongs to the session that started it', async (t) => {
  const { claims, isRecent, scene, browser, ...session } = await oldSession();
  const pending = await session.start();
  const again = await start(api, scene, { browser });
  await again.return(claims);
  clock.advanceSeconds(601);
  t.equal(
    (await pending.return({ ...claims, auth_time: now() })).statusCode,
    400,
    'expired and another session',
  );
  const second = await session.start();
  const cookie = browser.cookies.get('session') ?? '';
  browser.setCookie('session', 'x'.repeat(43));
  t.equal((await second.return({ ...claims, auth_time: now() })).statusCode, 400);
  browser.setCookie('session', cookie);
  t.notOk(await isRecent());
});

t.test('a sign-in does not confirm another session, and a confirmation does not sign in', async (t) => {
  const { claims, scene, browser, ...session } = await oldSession();
  const pending = await session.start();
  const stranger = new Browser(api.app);
  stranger.setCookie('sign_in_browser', browser.cookies.get('sign_in_browser') ?? '');
  scene.idp.issue('c', { ...claims, nonce: pending.nonce, auth_time: now() });
  const response = await stranger.open(`${scene.path}/callback?code=c&state=${pending.state}`);
  t.equal(response.statusCode, 400);
  t.notOk(stranger.cookies.has('session'));
});

t.test('a user without a session is redirected to the sign-in page', async (t) => {
  const response = await new Browser(api.app).open(confirm);
  t.match(response.headers.location, /^\/sign_in\?/);
});

t.test('a form whose session had expired is kept through single sign-on', async (t) => {
  const { claims, scene, browser } = await oldSession();
  const profile = '/people/settings/account/profile';
  const page = await browser.open(profile);
  await new Sessions(database, clock).revoke(browser.cookies.get('session') ?? '');
  const signIn = await browser.submitForm(page, profile, { given_name: 'Edited', family_name: 'Name' });
  t.equal(signIn.statusCode, 401);
  const hidden = Object.fromEntries(
    [...signIn.body.matchAll(/name="(csrf_token|return_to|kept_form)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name ?? '', (value ?? '').replaceAll('&amp;', '&')],
    ),
  );
  const form = await browser.submit('/sign_in/sso', hidden);
  t.equal(form.statusCode, 200);
  const next = await browser.submitForm(form, '/sign_in/sso', { email: `grace@${scene.domain}` });
  const { searchParams } = new URL(providerUrl(next));
  scene.idp.issue('kept', { ...claims, nonce: searchParams.get('nonce') });
  const state = searchParams.get('state') ?? '';
  const back = await browser.open(`${scene.path}/callback?code=kept&state=${state}`);
  t.match(back.body, 'You are signed in again');
  const restored = await browser.submitForm(back, profile, {});
  t.match(restored.body, 'value="Edited"');
});
