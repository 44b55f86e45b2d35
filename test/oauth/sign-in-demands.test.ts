import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { authorizeResponses, responseParameters } from '../support/oauth/authorize-responses.js';
import { emailIn, enter, isConsent, signedInAgo } from '../support/oauth/sign-in-pages.js';
import {
  authorizationRequest,
  authorizeUrl,
  createScene,
  createUser,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { passkeyOptionsOn } from '../support/second-factor/software-authenticator.js';
import { addPasskey, codeAt, setUpApp, stepPath } from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import { captureLog } from '../support/server/captured-log.js';
import { createTestClock } from '../support/server/clock.js';
import { createSignOnScene, person, start } from '../support/single-sign-on/scene.js';
import t, { type Test } from '../support/tap.js';

const log = captureLog();
const api = await buildTestApp(t, { logger: log.logger, environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, clock, database } = api;
const { rejectedHere, codesOf } = authorizeResponses(api);
const scopes = ['openid', 'user:read'];
const idScene = () => createScene(database, { scopes });
const openIdRequest = (scene: Scene, changes: Record<string, string> = {}) =>
  authorizationRequest(scene, { scope: 'openid', ...changes });

const locationOf = ({ headers }: LightMyRequestResponse) => String(headers.location);
const returnOf = (response: LightMyRequestResponse) =>
  new URL(locationOf(response), 'http://localhost').searchParams.get('return_to') ?? '';

/** Opens a request that needs a sign-in. Returns the address of the sign-in page, and where it returns to. */
async function signInFor(t: Test, browser: Browser, url: string) {
  const response = await browser.open(url);
  t.equal(response.statusCode, 302);
  t.match(locationOf(response), /^\/sign_in\?return_to=/);
  return { address: locationOf(response), returnTo: returnOf(response) };
}

t.test('an invalid prompt or max_age is 400 and never redirects', async (t) => {
  const scene = await idScene();
  const browser = await signedInBrowser(api, scene.user);
  for (const prompt of ['create', 'LOGIN', 'none login', 'consent none', 'login,consent', 'login foo']) {
    const { url } = openIdRequest(scene, { prompt });
    await rejectedHere(t, url, 400, 'invalid_request', { browser, parameter: 'prompt' });
    await rejectedHere(t, url, 400, 'invalid_request', { parameter: 'prompt' });
  }
  for (const max_age of ['-1', '1.5', '1e3', 'x', '2147483648', '99999999999']) {
    const { url } = openIdRequest(scene, { max_age });
    await rejectedHere(t, url, 400, 'invalid_request', { browser, parameter: 'max_age' });
  }
  for (const parameter of ['prompt', 'max_age', 'login_hint']) {
    const url = `${openIdRequest(scene).url}&${parameter}=1&${parameter}=1`;
    await rejectedHere(t, url, 400, 'invalid_request', { browser, parameter });
  }
});

t.test('without openid prompt, max_age and login_hint are ignored', async (t) => {
  const scene = await idScene();
  const browser = await signedInAgo(api, 60, scene);
  for (const changes of [
    { prompt: 'none' },
    { prompt: 'login' },
    { prompt: 'create' },
    { max_age: '0' },
    { max_age: 'x' },
    { login_hint: 'x'.repeat(300) },
  ] as Record<string, string>[]) {
    const { url } = openIdRequest(scene, { scope: 'user:read', ...changes });
    t.ok(isConsent(await browser.open(url)), JSON.stringify(changes));
    t.equal(returnOf(await new Browser(app).open(url)), url, 'without a session');
  }
  const hinted = openIdRequest(scene, { scope: 'user:read', login_hint: 'ada@hint.example' });
  const page = await new Browser(app).open(`/sign_in?return_to=${encodeURIComponent(hinted.url)}`);
  t.equal(emailIn(page), '');
});

t.test('empty parameters count as missing, and prompt=consent shows the consent screen', async (t) => {
  const scene = await idScene();
  const browser = await signedInAgo(api, 60, scene);
  for (const changes of [{ prompt: '', max_age: '', login_hint: '' }, { prompt: 'consent' }] as Record<
    string,
    string
  >[]) {
    const { url } = openIdRequest(scene, changes);
    t.ok(isConsent(await browser.open(url)));
    t.equal(returnOf(await new Browser(app).open(url)), url);
  }
});

t.test(
  'prompt=none redirects with login_required without a session and with consent_required with one, and issues no code',
  async (t) => {
    const scene = await idScene();
    const { url, parameters } = openIdRequest(scene, { prompt: 'none' });
    const browser = await signedInAgo(api, 60, scene);
    const errorOf = async (from: Browser, address: string) => {
      const response = await from.open(address);
      t.equal(response.statusCode, 302);
      const answer = responseParameters(t, response, scene.redirectUri);
      t.match(Object.fromEntries(answer), { state: parameters.state, iss: api.config.baseUrl });
      t.notOk(answer.has('code'));
      return answer.get('error');
    };
    t.equal(await errorOf(new Browser(app), url), 'login_required');
    t.equal(await errorOf(browser, url), 'consent_required');
    t.equal(await errorOf(browser, `${url}&max_age=59`), 'login_required', 'the sign-in is too old');
    t.equal(await errorOf(browser, `${url}&max_age=60`), 'consent_required');
    const stranger = await signedInBrowser(api, (await idScene()).user);
    t.equal(await errorOf(stranger, url), 'login_required', 'a user who cannot use the application');
    const consent = await browser.open(openIdRequest(scene).url);
    const submitted = await browser.submit(url, { ...hiddenFields(consent.body), decision: 'allow' });
    t.equal(responseParameters(t, submitted, scene.redirectUri).get('error'), 'consent_required');
    t.same(await codesOf(scene), []);
  },
);

t.test('prompt=none redirects to a registered redirect URI of a known client only', async (t) => {
  const scene = await idScene();
  const { parameters } = openIdRequest(scene, { prompt: 'none' });
  const at = (changes: Record<string, string>) => authorizeUrl({ ...parameters, ...changes });
  await rejectedHere(t, at({ redirect_uri: 'https://attacker.example/' }), 400, 'invalid_request');
  await rejectedHere(t, at({ redirect_uri: `${scene.redirectUri}/x` }), 400, 'invalid_request');
  await rejectedHere(t, at({ client_id: 'unknown' }), 401, 'invalid_client');
  const document = { client_id: 'https://client.example/oauth/client.json' };
  await rejectedHere(t, at(document), 400, 'invalid_request', { parameter: 'prompt' });
});

t.test('prompt=login and max_age need a new sign-in, and auth_time is its time', async (t) => {
  for (const changes of [
    { prompt: 'login' },
    { prompt: 'select_account consent' },
    { max_age: '0' },
    { max_age: '59' },
  ] as Record<string, string>[]) {
    const label = JSON.stringify(changes);
    const scene = await idScene();
    const { url, verifier } = openIdRequest(scene, changes);
    const browser = await signedInAgo(api, 60, scene);
    const { address, returnTo } = await signInFor(t, browser, url);
    t.equal((await browser.open(returnTo)).statusCode, 302, `${label}: the session is not accepted`);
    t.match(
      await browser.open(address),
      { statusCode: 200, body: /<h1>Sign in<\/h1>/ },
      `${label}: the form is shown to a signed-in user`,
    );
    const wrong = { user: { ...scene.user, password: 'not the password' } };
    t.equal((await enter(browser, address, wrong)).statusCode, 401, 'the password is checked');
    clock.advanceSeconds(30);
    const signedIn = await enter(browser, address, scene);
    t.equal(locationOf(signedIn), returnTo);
    t.equal(locationOf(await browser.open(address)), returnTo, 'the sign-in page redirects again');
    clock.advanceSeconds(40);
    const consent = await browser.open(returnTo);
    t.ok(isConsent(consent), label);
    const decision = { ...hiddenFields(consent.body), decision: 'allow' };
    const allowed = await browser.submit(returnTo, decision);
    const code = responseParameters(t, allowed, scene.redirectUri).get('code') ?? '';
    const tokens = await api.postForm('/v1/oauth/token', {
      grant_type: 'authorization_code',
      client_id: scene.application.clientId,
      redirect_uri: scene.redirectUri,
      code,
      code_verifier: verifier,
    });
    t.equal(decodeJwt(tokens.json().id_token).auth_time, Math.floor(clock().getTime() / 1000) - 40, label);
  }
});

t.test('a user without a session signs in once for prompt=login and max_age', async (t) => {
  for (const changes of [{ prompt: 'login' }, { max_age: '0' }] as Record<string, string>[]) {
    const scene = await idScene();
    const browser = new Browser(app);
    const { address, returnTo } = await signInFor(t, browser, openIdRequest(scene, changes).url);
    const signedIn = await enter(browser, address, scene);
    t.equal(locationOf(signedIn), returnTo);
    t.ok(isConsent(await browser.open(returnTo)));
  }
});

t.test('a session that is recent enough for max_age is accepted', async (t) => {
  const scene = await idScene();
  const browser = await signedInAgo(api, 60, scene);
  for (const max_age of ['60', '3600', '2147483647'])
    t.ok(isConsent(await browser.open(openIdRequest(scene, { max_age }).url)), max_age);
});

t.test('the consent form is not accepted when the sign-in is too old', async (t) => {
  const scene = await idScene();
  const { url } = openIdRequest(scene, { max_age: '60' });
  const browser = await signedInBrowser(api, scene.user);
  const consent = await browser.open(url);
  t.ok(isConsent(consent));
  clock.advanceSeconds(61);
  const response = await browser.submit(url, { ...hiddenFields(consent.body), decision: 'allow' });
  t.equal(response.statusCode, 303);
  t.match(locationOf(response), /^\/sign_in\?return_to=/);
  const login = openIdRequest(scene, { prompt: 'login' }).url;
  const around = await browser.submit(login, { ...hiddenFields(consent.body), decision: 'allow' });
  t.match(locationOf(around), /^\/sign_in\?return_to=/, 'submitted without the sign-in');
  t.same(await codesOf(scene), []);
});

t.test('a forged, foreign or expired time asks for one more sign-in', async (t) => {
  const scene = await idScene();
  const browser = await signedInAgo(api, 60, scene);
  const { url } = openIdRequest(scene, { prompt: 'login' });
  const { returnTo } = await signInFor(t, browser, url);
  const earlier = String(clock().getTime() - 120_000);
  const other = (await signInFor(t, browser, openIdRequest(scene, { prompt: 'login' }).url)).returnTo;
  const forged = {
    'an earlier time': returnTo.replace(/after=\d{13}/, `after=${earlier}`),
    'no signature': `${url}&sign_in_after=${earlier}.${'A'.repeat(43)}`,
    'the time of another request': `${url}&${other.slice(other.indexOf('sign_in_after'))}`,
    'another request with the time': returnTo.replace('prompt=login', 'prompt=login&login_hint=x'),
    'a later parameter': `${returnTo}&x=1`,
    'not a time': `${url}&sign_in_after=0`,
  };
  clock.advanceSeconds(1);
  await enter(browser, `/sign_in?return_to=${encodeURIComponent(other)}`, scene);
  clock.advanceSeconds(1);
  for (const [label, address] of Object.entries(forged)) {
    const again = await signInFor(t, browser, address);
    clock.advanceSeconds(1);
    await signInFor(t, browser, address);
    t.equal((await browser.open(again.address)).statusCode, 200, `${label}: the form`);
    t.equal(locationOf(await enter(browser, again.address, scene)), again.returnTo, label);
    t.ok(isConsent(await browser.open(again.returnTo)), label);
    clock.advanceSeconds(1);
  }
  const last = await signInFor(t, browser, url);
  await enter(browser, last.address, scene);
  clock.advanceSeconds(600);
  t.ok(isConsent(await browser.open(last.returnTo)));
  clock.advanceSeconds(1);
  const renewed = await signInFor(t, browser, last.returnTo);
  t.match(renewed.returnTo.match(/sign_in_after/g), { length: 1 }, 'the time is replaced');
  const forgedReturn = `/sign_in?return_to=${encodeURIComponent(forged['no signature'])}`;
  t.equal(locationOf(await browser.open(forgedReturn)), forged['no signature'], 'the endpoint asks again');
});

t.test('another user can sign in, whose session then counts', async (t) => {
  const scene = await idScene();
  const colleague = await createUser(database, scene.accountId);
  const browser = await signedInAgo(api, 60, scene);
  const { address, returnTo } = await signInFor(
    t,
    browser,
    openIdRequest(scene, { prompt: 'select_account' }).url,
  );
  t.equal(locationOf(await enter(browser, address, { user: colleague })), returnTo);
  const consent = await browser.open(returnTo);
  t.ok(isConsent(consent));
  t.match(consent.body, colleague.email);
  t.notMatch(consent.body, scene.user.email);
  t.equal(await database.prisma.session.count({ where: { userId: scene.user.id } }), 0);
});

t.test('a second factor and a passkey are a new sign-in', async (t) => {
  const withApp = await idScene();
  const { secret } = await setUpApp(api, withApp.user);
  clock.advanceSeconds(60);
  const browser = await signedInBrowser(api, withApp.user, { secondFactor: true });
  clock.advanceSeconds(60);
  const { address, returnTo } = await signInFor(t, browser, openIdRequest(withApp, { prompt: 'login' }).url);
  const response = await enter(browser, address, withApp);
  t.match(locationOf(response), /^\/sign_in\/second_factor\?/);
  t.match(locationOf(await browser.open(returnTo)), /^\/sign_in\?/, 'not before the second factor');
  const step = await browser.open(locationOf(response));
  const done = await browser.submitForm(step, stepPath, { code: codeAt(api, secret) });
  t.equal(locationOf(done), returnTo);
  t.ok(isConsent(await browser.open(returnTo)));

  const withPasskey = await idScene();
  const { authenticator, browser: passkeyBrowser } = await addPasskey(api, withPasskey.user);
  clock.advanceSeconds(60);
  const login = openIdRequest(withPasskey, { max_age: '0' });
  const asked = await signInFor(t, passkeyBrowser, login.url);
  const page = await passkeyBrowser.open(asked.address);
  const credential = authenticator.use(passkeyOptionsOn(page.body));
  const rejected = await passkeyBrowser.submitForm(page, '/sign_in/passkey', { credential: '{}' });
  t.equal(rejected.statusCode, 401, 'a rejected passkey does not continue with the session');
  const accepted = await passkeyBrowser.submitForm(page, '/sign_in/passkey', { credential });
  t.equal(locationOf(accepted), asked.returnTo);
  t.ok(isConsent(await passkeyBrowser.open(asked.returnTo)));
});

t.test('single sign-on asks the identity provider for a new sign-in, and verifies auth_time', async (t) => {
  const now = () => Math.floor(Date.now() / 1000);
  const own = await buildTestApp(t, { database, clock: createTestClock(new Date()) });
  const scene = await createSignOnScene(t, own, { scopes });
  const claims = person(`grace@${scene.domain}`);
  const first = await start(own, scene);
  await first.return({ ...claims, auth_time: now() });
  const { browser } = first;
  own.clock.advanceSeconds(5);
  const { returnTo } = await signInFor(t, browser, openIdRequest(scene, { prompt: 'login' }).url);
  const address = `${scene.path}?return_to=${encodeURIComponent(returnTo)}`;
  const stale = await start(own, scene, { browser, address });
  t.match(Object.fromEntries(stale.url.searchParams), { prompt: 'login', max_age: '0' });
  t.equal((await stale.return({ ...claims, auth_time: now() - 120 })).statusCode, 502, 'an old session');
  t.equal((await browser.open(returnTo)).statusCode, 302);
  const again = await start(own, scene, { browser, address });
  const returned = await again.return({ ...claims, auth_time: now() });
  t.equal(locationOf(returned), returnTo);
  t.ok(isConsent(await browser.open(returnTo)), 'also when the clock of the provider is behind');
  const other = await start(own, scene, { browser });
  t.notOk(other.url.searchParams.has('prompt'), 'other sign-ins are as before');
});

t.test('login_hint fills in the e-mail address, escaped, and is never logged', async (t) => {
  const scene = await idScene();
  const shown = async (login_hint: string, path = '/sign_in') => {
    const { url } = openIdRequest(scene, { login_hint });
    return emailIn(await new Browser(app).open(`${path}?return_to=${encodeURIComponent(url)}`));
  };
  t.equal(await shown('ada@hinted.example'), 'ada@hinted.example');
  t.equal(await shown('ada@hinted.example', '/sign_in/sso'), 'ada@hinted.example', 'single sign-on');
  t.equal(await shown('"><script>@x'), '&quot;>&lt;script>@x');
  const longest = `${'a'.repeat(242)}@hint.example`.slice(-254);
  t.equal(await shown(longest), longest);
  t.equal(await shown(`a${longest}`.padStart(255, 'a')), '', 'longer than 254 characters');
  t.equal(await shown('ada\n@hint.example'), '', 'with a control character');
  t.equal(await shown(scene.user.email), scene.user.email, 'known and unknown addresses are the same');
  t.ok(log.lines.length > 0);
  t.notMatch(log.lines.join(''), /hinted\.example|login_hint|sign_in_after/);
  const signInPage = await new Browser(app).open(
    `/sign_in?return_to=${encodeURIComponent('/people?scope=openid&login_hint=ada')}`,
  );
  t.equal(emailIn(signInPage), '', 'only for an authorization request');
});

t.test('the metadata lists the values of prompt', async (t) => {
  const { prompt_values_supported } = (await app.inject('/.well-known/openid-configuration')).json();
  t.same(prompt_values_supported, ['none', 'login', 'consent', 'select_account']);
});
