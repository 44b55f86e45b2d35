import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { authorizeResponses, responseParameters } from '../support/oauth/authorize-responses.js';
import { publishedScene } from '../support/oauth/installations.js';
import { emailIn, enter, isConsent, signedInAgo } from '../support/oauth/sign-in-pages.js';
import {
  authorizationRequest,
  authorizeUrl,
  createScene,
  createUser,
  expectOAuthError,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { codeAt, setUpApp, stepPath } from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import { captureLog } from '../support/server/captured-log.js';
import { createTestClock } from '../support/server/clock.js';
import { createSignOnScene, person, start } from '../support/single-sign-on/scene.js';
import t, { type Test } from '../support/tap.js';

// Pushed requests that have prompt, max_age or login_hint.

const log = captureLog();
const environment = { RATE_LIMIT_FAILURES: '0', RATE_LIMIT_TOKEN: '0', RATE_LIMIT_API: '0' };
const api = await buildTestApp(t, { logger: log.logger, environment });
const { app, clock, database } = api;
const { rejectedHere, codesOf } = authorizeResponses(api);
const endpoint = '/v1/oauth/par';
const scopes = ['openid', 'user:read', 'reports:read'];
const idScene = () => createScene(database, { scopes });
type Changes = Record<string, string>;

/** Pushes a request with the scope `openid`. */
async function pushed(scene: Pick<Scene, 'application' | 'redirectUri'>, changes: Changes = {}, on = api) {
  const { parameters, verifier } = authorizationRequest(scene, { scope: 'openid', ...changes });
  const response = await on.postForm(endpoint, parameters);
  if (response.statusCode !== 201) throw new Error(response.body);
  const request_uri: string = response.json().request_uri;
  const url = authorizeUrl({ client_id: scene.application.clientId, request_uri });
  return { parameters, verifier, request_uri, url };
}

const locationOf = ({ headers }: LightMyRequestResponse) => String(headers.location);
const signInPath = (url: string, path = '/sign_in') => `${path}?return_to=${encodeURIComponent(url)}`;
const allow = (browser: Browser, page: LightMyRequestResponse, url: string) =>
  browser.submit(url, { ...hiddenFields(page.body), decision: 'allow' });
/** Opens a request that needs a new sign-in. The address to which it returns has nothing that was pushed. */
async function signInFor(t: Test, browser: Browser, url: string, label = '') {
  const response = await browser.open(url);
  t.equal(response.statusCode, 302, label);
  const address = locationOf(response);
  t.match(address, /^\/sign_in\?return_to=[^&]*$/, label);
  const returnTo = new URL(address, 'http://localhost').searchParams.get('return_to') ?? '';
  t.same(
    [...new URL(returnTo, 'http://localhost').searchParams.keys()],
    ['client_id', 'request_uri', 'sign_in_after'],
    label,
  );
  return { address, returnTo };
}

/** The time at which the user of the code of this response signed in. */
async function authTimeOf(
  t: Test,
  { application, redirectUri }: Scene,
  { response, verifier }: { response: LightMyRequestResponse; verifier: string },
) {
  const tokens = await api.postForm('/v1/oauth/token', {
    grant_type: 'authorization_code',
    client_id: application.clientId,
    redirect_uri: redirectUri,
    code: responseParameters(t, response, redirectUri).get('code') ?? '',
    code_verifier: verifier,
  });
  t.equal(tokens.statusCode, 200, tokens.body);
  return decodeJwt(tokens.json().id_token).auth_time;
}

for (const changes of [
  { prompt: 'login' },
  { prompt: 'consent select_account' },
  { max_age: '0' },
  { max_age: '59' },
] as Changes[])
  t.test(`a pushed ${new URLSearchParams(changes)} needs one new sign-in, and issues one code`, async (t) => {
    const scene = await idScene();
    const browser = await signedInAgo(api, 60, scene);
    const { url, verifier } = await pushed(scene, { ...changes, login_hint: 'ada@hint.example' });
    const { address, returnTo } = await signInFor(t, browser, url);
    await signInFor(t, browser, url, 'opened again before the sign-in');
    t.equal((await browser.open(returnTo)).statusCode, 302, 'the old session is not accepted');
    clock.advanceSeconds(90);
    const signedIn = await enter(browser, address, scene);
    t.equal(locationOf(signedIn), returnTo);
    clock.advanceSeconds(30);
    const consent = await browser.open(returnTo);
    t.ok(isConsent(consent));
    t.notMatch(consent.body, /hint\.example/);
    t.match(consent.body, `action="${returnTo.replaceAll('&', '&amp;')}"`);
    const form = { ...hiddenFields(consent.body), decision: 'allow' };
    const submitted = await Promise.all([1, 2, 3].map(() => browser.submit(returnTo, form)));
    const allowed = submitted.filter(({ statusCode }) => statusCode === 303);
    t.equal(allowed.length, 1);
    t.equal((await codesOf(scene)).length, 1);
    for (const used of [url, returnTo])
      await rejectedHere(t, used, 400, 'invalid_request', { browser, parameter: 'request_uri' });
    const [response] = allowed as [LightMyRequestResponse];
    const signInTime = Math.floor(clock().getTime() / 1000) - 30;
    t.equal(await authTimeOf(t, scene, { response, verifier }), signInTime);
  });

t.test('a user without a session signs in once for a pushed prompt=login and max_age', async (t) => {
  for (const changes of [{ prompt: 'login' }, { max_age: '0' }] as Changes[]) {
    const scene = await idScene();
    const browser = new Browser(app);
    const { url } = await pushed(scene, changes);
    const { address, returnTo } = await signInFor(t, browser, url);
    t.equal(locationOf(await enter(browser, address, scene)), returnTo);
    const consent = await browser.open(returnTo);
    t.ok(isConsent(consent));
    const denied = await browser.submit(returnTo, { ...hiddenFields(consent.body), decision: 'deny' });
    t.equal(responseParameters(t, denied, scene.redirectUri).get('error'), 'access_denied');
    t.same(await codesOf(scene), []);
  }
});

t.test('a session that is recent enough for a pushed max_age is accepted until it is too old', async (t) => {
  const scene = await idScene();
  const { url, verifier } = await pushed(scene, { max_age: '60' });
  const browser = await signedInAgo(api, 50, scene);
  const consent = await browser.open(url);
  t.ok(isConsent(consent));
  t.notMatch(consent.body, 'sign_in_after');
  clock.advanceSeconds(11);
  const late = await allow(browser, consent, url);
  t.equal(late.statusCode, 303);
  t.match(locationOf(late), /^\/sign_in\?return_to=/);
  t.same(await codesOf(scene), []);
  const { address, returnTo } = await signInFor(t, browser, url);
  await enter(browser, address, scene);
  const signInTime = Math.floor(clock().getTime() / 1000);
  clock.advanceSeconds(599);
  const response = await allow(browser, await browser.open(returnTo), returnTo);
  t.equal(await authTimeOf(t, scene, { response, verifier }), signInTime);
});

t.test(
  'a pushed prompt=none redirects with login_required or consent_required, never with a code',
  async (t) => {
    const scene = await idScene();
    const browser = await signedInAgo(api, 60, scene);
    const stranger = await signedInBrowser(api, (await idScene()).user);
    for (const [from, max_age, error] of [
      [new Browser(app), '', 'login_required'],
      [browser, '', 'consent_required'],
      [browser, '59', 'login_required'],
      [browser, '60', 'consent_required'],
      [browser, '0', 'login_required'],
      [stranger, '', 'login_required'],
    ] as const) {
      const { url, parameters } = await pushed(scene, { prompt: 'none', max_age });
      for (const address of [url, `${url}&prompt=login&max_age=9999&scope=user:read`]) {
        const response = await from.open(address);
        t.equal(response.statusCode, 302);
        const answer = Object.fromEntries(responseParameters(t, response, scene.redirectUri));
        t.match(answer, { error, state: parameters.state, iss: api.config.baseUrl });
        t.same(Object.keys(answer).sort(), ['error', 'error_description', 'iss', 'state']);
      }
    }
    const { url } = await pushed(scene, { prompt: 'none' });
    const consent = await browser.open((await pushed(scene)).url);
    const submitted = await allow(browser, consent, url);
    t.equal(responseParameters(t, submitted, scene.redirectUri).get('error'), 'consent_required');
    t.same(await codesOf(scene), []);
  },
);

t.test('a pushed prompt=none does not redirect when its redirect URI is no longer registered', async (t) => {
  const scene = await idScene();
  const { url } = await pushed(scene, { prompt: 'none' });
  await database.prisma.application.updateMany({
    where: { id: scene.application.id },
    data: { redirectUris: ['https://client.example/new'] },
  });
  await rejectedHere(t, url, 400, 'invalid_request', { parameter: 'redirect_uri' });
});

t.test(
  'a pushed login_hint fills in both sign-in pages of its browser, and is in no address or log',
  async (t) => {
    const scene = await idScene();
    const browser = new Browser(app);
    const { url } = await pushed(scene, { prompt: 'login', login_hint: 'ada@pushed-hint.example' });
    const { address, returnTo } = await signInFor(t, browser, `${url}&login_hint=eve@query.example`);
    t.notMatch(address, /hint|query\.example/);
    for (const target of [returnTo, url, `${url}&login_hint=eve@query.example`])
      for (const path of ['/sign_in', '/sign_in/sso'])
        t.equal(emailIn(await browser.open(signInPath(target, path))), 'ada@pushed-hint.example', path);
    const other = authorizeUrl({
      client_id: (await idScene()).application.clientId,
      request_uri: new URL(url, 'http://localhost').searchParams.get('request_uri') ?? '',
    });
    t.equal(emailIn(await browser.open(signInPath(other))), '', 'with another client_id');
    const without = await pushed(scene, { scope: 'user:read', login_hint: 'ada@pushed-hint.example' });
    await browser.open(without.url);
    t.equal(emailIn(await browser.open(signInPath(without.url))), '', 'without openid');
    const long = await pushed(scene, { login_hint: 'a'.repeat(255) });
    await browser.open(long.url);
    t.equal(emailIn(await browser.open(signInPath(long.url))), '', 'longer than 254 characters');
    clock.advanceSeconds(1801);
    t.equal(emailIn(await browser.open(signInPath(returnTo))), '', 'expired');
    t.ok(log.lines.length > 0);
    t.notMatch(log.lines.join(''), /pushed-hint|login_hint|sign_in_after/);
  },
);

t.test(
  'a pushed request that another browser has opened shows neither its login_hint nor its application',
  async (t) => {
    const scene = await createScene(database, { scopes, name: 'Expense Portal' });
    const { url } = await pushed(scene, { login_hint: 'ada@hint.example' });
    const browser = new Browser(app);
    await browser.open(url);
    const other = new Browser(app);
    await other.open((await pushed(scene)).url);
    for (const visitor of [new Browser(app), other])
      for (const path of ['/sign_in', '/sign_in/sso'])
        t.notMatch((await visitor.open(signInPath(url, path))).body, /ada@hint|Expense Portal/, path);
    const own = await browser.open(signInPath(url));
    t.match(own.body, 'ada@hint.example');
    t.match(own.body, 'Expense Portal');
  },
);

t.test('a malformed prompt or max_age is 400 JSON that names it, and stores nothing', async (t) => {
  const scene = await idScene();
  const { parameters } = authorizationRequest(scene, { scope: 'openid' });
  for (const [parameter, values] of [
    [
      'prompt',
      ['create', 'LOGIN', 'none login', 'consent none', 'login,consent', 'login\tconsent', '\u0000'],
    ],
    ['max_age', ['-1', '+1', '1.5', '1e3', '0x1', ' 1', 'x', '2147483648', '99999999999', '\u0000']],
    ['login_hint', ['\u0000']],
  ] as const)
    for (const value of values) {
      const label = `${parameter} ${JSON.stringify(value)}`;
      const response = await api.postForm(endpoint, { ...parameters, [parameter]: value });
      expectOAuthError(t, response, 'invalid_request', { parameter, label });
    }
  for (const parameter of ['prompt', 'max_age', 'login_hint']) {
    const response = await app.inject({
      method: 'POST',
      url: endpoint,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams(parameters)}&${parameter}=1&${parameter}=1`,
    });
    expectOAuthError(t, response, 'invalid_request', { parameter, label: `${parameter} repeated` });
  }
  t.equal(await database.prisma.pushedRequest.count({ where: { accountId: scene.accountId } }), 0);
});

t.test('without openid pushed prompt, max_age and login_hint are ignored', async (t) => {
  const scene = await idScene();
  const browser = await signedInAgo(api, 60, scene);
  for (const changes of [
    { prompt: 'none' },
    { prompt: 'create' },
    { max_age: '0' },
    { max_age: 'x' },
  ] as Changes[]) {
    const { url } = await pushed(scene, { scope: 'user:read', ...changes });
    t.ok(isConsent(await browser.open(url)), JSON.stringify(changes));
    t.ok(isConsent(await browser.open(`${url}&scope=openid`)), 'scope in the query');
  }
});

t.test('parameters beside request_uri change nothing', async (t) => {
  const beside: Changes = {
    prompt: 'none',
    max_age: '0',
    login_hint: 'eve@query.example',
    scope: 'reports:read',
    redirect_uri: 'https://attacker.example/',
    state: 'other',
    nonce: 'other',
    response_type: 'token',
    code_challenge: 'x',
    code_challenge_method: 'plain',
    dpop_jkt: 'x',
    resource: 'https://other.example',
    request: 'x',
    sign_in_after: '0',
  };
  const scene = await idScene();
  const browser = await signedInAgo(api, 60, scene);
  const separate = Object.entries({ ...beside, 'prompt=create&max_age': '-1' });
  const added = [...separate.map(([name, value]) => `${name}=${value}`), `${new URLSearchParams(beside)}`];
  for (const query of [...added, 'prompt=login&prompt=login', 'scope=&prompt=&max_age=']) {
    const plain = await pushed(scene, { nonce: 'n' });
    for (const address of [`${plain.url}&${query}`, plain.url.replace('?', `?${query}&`)]) {
      const consent = await browser.open(address);
      t.ok(isConsent(consent), query);
      t.match(consent.body, `action="${plain.url.replaceAll('&', '&amp;')}"`, query);
    }
    const allowed = await allow(browser, await browser.open(plain.url), `${plain.url}&${query}`);
    const response = responseParameters(t, allowed, scene.redirectUri);
    t.equal(response.get('state'), plain.parameters.state, query);
    t.match(await codesOf(scene), [{ scopes: ['openid'], nonce: 'n', dpopJkt: null }], query);
    await database.prisma.authorizationCode.deleteMany({ where: { applicationId: scene.application.id } });
    for (const changes of [{ prompt: 'login' }, { max_age: '59' }] as Changes[]) {
      const { url } = await pushed(scene, changes);
      await signInFor(t, browser, `${url}&${query}`, query);
    }
  }
});

t.test(
  'a signed time is accepted for its own pushed request only; otherwise the user is asked again',
  async (t) => {
    const scene = await idScene();
    const browser = await signedInAgo(api, 60, scene);
    const { url, parameters } = await pushed(scene, { prompt: 'login' });
    const { returnTo } = await signInFor(t, browser, url);
    const other = await signInFor(t, browser, (await pushed(scene, { prompt: 'login' })).url);
    const inQuery = await browser.open(authorizeUrl(parameters));
    const ofQuery = new URL(locationOf(inQuery), 'http://localhost').searchParams.get('return_to') ?? '';
    const timeOf = (address: string) => address.slice(address.indexOf('sign_in_after'));
    const earlier = String(clock().getTime() - 120_000);
    clock.advanceSeconds(1);
    await enter(browser, other.address, scene);
    clock.advanceSeconds(1);
    const signature = timeOf(returnTo).slice(-43);
    const forged = {
      'an earlier time': returnTo.replace(/after=\d{13}/, `after=${earlier}`),
      'no signature': `${url}&sign_in_after=${earlier}.${'A'.repeat(43)}`,
      'a shorter signature': returnTo.slice(0, -1),
      'another signature': returnTo.replace(signature, [...signature].reverse().join('')),
      'the time of another pushed request': `${url}&${timeOf(other.returnTo)}`,
      'the time of the same parameters in the query': `${url}&${timeOf(ofQuery)}`,
      'a parameter before the time': returnTo.replace('&sign_in_after', '&x=1&sign_in_after'),
      'a later parameter': `${returnTo}&x=1`,
    };
    for (const [label, address] of Object.entries(forged)) {
      await signInFor(t, browser, address, label);
      clock.advanceSeconds(1);
    }
    const again = await signInFor(t, browser, forged['an earlier time']);
    t.equal(locationOf(await enter(browser, again.address, scene)), again.returnTo);
    t.ok(isConsent(await browser.open(again.returnTo)));
    const forgedForm = await browser.submit(forged['no signature'], {
      ...hiddenFields((await browser.open(again.returnTo)).body),
      decision: 'allow',
    });
    t.match(locationOf(forgedForm), /^\/sign_in\?return_to=/, 'the form is not accepted at a forged address');
    t.same(await codesOf(scene), []);
  },
);

t.test(
  'a second browser with the signed address is 400, also after the sign-in, and the first continues',
  async (t) => {
    const scene = await idScene();
    const { url } = await pushed(scene, { prompt: 'login' });
    const browser = new Browser(app);
    const { address, returnTo } = await signInFor(t, browser, url);
    const other = await signedInBrowser(api, scene.user);
    const check = (visitor: Browser) =>
      rejectedHere(t, returnTo, 400, 'invalid_request', { browser: visitor, parameter: 'request_uri' });
    await check(other);
    await check(new Browser(app));
    await enter(browser, address, scene);
    await check(other);
    const consent = await browser.open(returnTo);
    const csrf = hiddenFields((await other.open((await pushed(scene)).url)).body);
    const foreign = await other.submit(returnTo, { ...csrf, decision: 'allow' });
    t.equal(foreign.statusCode, 400, 'the form of the second browser');
    t.equal((await allow(browser, consent, returnTo)).statusCode, 303);
    t.equal((await codesOf(scene)).length, 1);
  },
);

t.test(
  'a sign-in that takes more than ten minutes is repeated, and one of more than 30 is one page with 400',
  async (t) => {
    const scene = await idScene();
    const browser = new Browser(app);
    const { url } = await pushed(scene, { prompt: 'login' });
    const first = await signInFor(t, browser, url);
    clock.advanceSeconds(601);
    t.equal(locationOf(await enter(browser, first.address, scene)), first.returnTo);
    clock.advanceSeconds(1);
    const second = await signInFor(t, browser, first.returnTo);
    clock.advanceSeconds(599);
    t.equal(locationOf(await enter(browser, second.address, scene)), second.returnTo);
    t.ok(isConsent(await browser.open(second.returnTo)));
    clock.advanceSeconds(301);
    clock.advanceSeconds(1);
    const third = await signInFor(t, browser, second.returnTo);
    clock.advanceSeconds(300);
    const signedIn = await enter(browser, third.address, scene);
    t.equal(signedIn.statusCode, 303);
    t.equal(locationOf(signedIn), third.returnTo, 'the user is signed in');
    await rejectedHere(t, third.returnTo, 400, 'invalid_request', { browser, parameter: 'request_uri' });
    t.same(await codesOf(scene), []);
  },
);

t.test('a second factor is part of the new sign-in for a pushed request', async (t) => {
  const scene = await idScene();
  const { secret } = await setUpApp(api, scene.user);
  clock.advanceSeconds(60);
  const browser = await signedInBrowser(api, scene.user, { secondFactor: true });
  clock.advanceSeconds(60);
  const { address, returnTo } = await signInFor(t, browser, (await pushed(scene, { prompt: 'login' })).url);
  const password = await enter(browser, address, scene);
  t.match(locationOf(password), /^\/sign_in\/second_factor\?/);
  t.match(locationOf(await browser.open(returnTo)), /^\/sign_in\?/, 'not before the second factor');
  const step = await browser.open(locationOf(password));
  t.equal(locationOf(await browser.submitForm(step, stepPath, { code: codeAt(api, secret) })), returnTo);
  t.ok(isConsent(await browser.open(returnTo)));
});

t.test('single sign-on asks the identity provider for a new sign-in for a pushed prompt=login', async (t) => {
  const now = () => Math.floor(Date.now() / 1000);
  const own = await buildTestApp(t, { database, environment, clock: createTestClock(new Date()) });
  const scene = await createSignOnScene(t, own, { scopes });
  const claims = person(`grace@${scene.domain}`);
  const first = await start(own, scene);
  await first.return({ ...claims, auth_time: now() });
  const { browser } = first;
  own.clock.advanceSeconds(5);
  const { returnTo } = await signInFor(t, browser, (await pushed(scene, { prompt: 'login' }, own)).url);
  const again = await start(own, scene, { browser, address: signInPath(returnTo, scene.path) });
  t.match(Object.fromEntries(again.url.searchParams), { prompt: 'login', max_age: '0' });
  const sent = JSON.stringify([...again.url.searchParams]);
  t.notMatch(sent, /request_uri|sign_in_after/, 'the identity provider does not get the request');
  t.equal(locationOf(await again.return({ ...claims, auth_time: now() })), returnTo);
  t.ok(isConsent(await browser.open(returnTo)));
});

t.test('the page on which an account approves an application keeps the signed time', async (t) => {
  const publisher = await publishedScene(api, { scopes: ['openid', 'user:read'] });
  const { accountId } = await createTenant(database);
  const user = await createUser(database, accountId);
  const browser = await signedInAgo(api, 60, { user });
  const { url } = await pushed(publisher, { prompt: 'login', scope: 'openid user:read' });
  const { address, returnTo } = await signInFor(t, browser, url);
  await enter(browser, address, { user });
  const query = returnTo.slice(returnTo.indexOf('?'));
  const approval = locationOf(await browser.open(returnTo));
  t.equal(approval, `/approve_application${query}`);
  const page = await browser.open(approval);
  const fields = [...Object.entries(hiddenFields(page.body)), ['scopes', 'openid'], ['scopes', 'user:read']];
  const approved = await browser.submit(approval, fields);
  t.equal(locationOf(approved), returnTo);
  t.ok(isConsent(await browser.open(returnTo)), 'without another sign-in');
});

t.test('an empty request_uri is no pushed request', async (t) => {
  const scene = await idScene();
  const { url, parameters } = authorizationRequest(scene, {
    scope: 'openid',
    login_hint: 'ada@hint.example',
  });
  const browser = await signedInBrowser(api, scene.user);
  for (const address of [`${url}&request_uri=`, url.replace('?', '?request_uri=&')]) {
    const signIn = locationOf(await new Browser(app).open(address));
    const returnTo = new URL(signIn, 'http://localhost').searchParams.get('return_to') ?? '';
    const query = Object.fromEntries(new URL(returnTo, 'http://localhost').searchParams);
    t.match(query, parameters, 'the request is repeated');
    t.equal(emailIn(await new Browser(app).open(signIn)), 'ada@hint.example');
    const consent = await browser.open(address);
    t.ok(isConsent(consent));
    const allowed = await browser.submitForm(consent, address, { decision: 'allow' });
    t.ok(responseParameters(t, allowed, scene.redirectUri).has('code'));
  }
  await database.prisma.application.updateMany({
    where: { id: scene.application.id },
    data: { requirePushedRequests: true },
  });
  for (const address of [`${url}&request_uri=`, `${url}&prompt=none&request_uri=`])
    await rejectedHere(t, address, 400, 'invalid_request', { browser, parameter: 'request_uri' });
});
