import type { LightMyRequestResponse } from 'fastify';
import t, { type Test } from 'tap';
import { randomId } from '../../src/database/ids.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import {
  authorizationRequest,
  authorizeUrl,
  createScene,
  createUser,
  hashOf,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database, clock } = api;

const codesOf = ({ application }: Scene) =>
  database.prisma.authorizationCode.findMany({ where: { applicationId: application.id } });

/** The query of the address that a browser is sent to, which has to be the redirect URI. */
function answerAt(t: Test, response: LightMyRequestResponse, redirectUri: string): URLSearchParams {
  const location = new URL(String(response.headers.location));
  t.equal(`${location.origin}${location.pathname}`, redirectUri);
  t.equal(location.hash, '');
  return location.searchParams;
}

/** Expects a refusal that leads nowhere, as a page for a browser and as a problem document for others. */
async function refusedHere(
  t: Test,
  url: string,
  status: number,
  code: string,
  { browser = new Browser(app), parameter }: { browser?: Browser; parameter?: string } = {},
): Promise<void> {
  const label = url.slice(0, 300);
  const page = await browser.open(url);
  t.equal(page.statusCode, status, label);
  t.match(page.headers['content-type'], /^text\/html/, label);
  t.notOk('location' in page.headers, label);
  t.equal(page.headers['cache-control'], 'no-store', label);
  t.match(page.headers['content-security-policy'], /default-src 'none'/, label);
  t.match(page.body, new RegExp(`<code>${code}</code>`), label);

  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const accept of ['*/*', 'application/json', 'application/problem+json']) {
    const problem = await app.inject({ url, headers: { accept, cookie } });
    t.equal(problem.statusCode, status, label);
    t.equal(problem.headers['content-type'], 'application/problem+json', label);
    t.notOk('location' in problem.headers, label);
    t.equal(problem.json().code, code, label);
    if (parameter === undefined) continue;
    const named = problem.json().errors.map((error: { parameter?: string }) => error.parameter);
    t.same([...new Set(named)], [parameter], label);
  }
}

t.test('each missing, empty or malformed parameter is 400 and never redirects', async (t) => {
  const scene = await createScene(database);
  const signedIn = await signedInBrowser(api, scene.user);
  const malformed: Record<string, string[]> = {
    response_type: ['token', 'code token', 'CODE', 'none'],
    client_id: ['x'.repeat(256)],
    redirect_uri: [`https://client.example/${'x'.repeat(2048)}`],
    scope: ['user:read '.repeat(200)],
    state: ['x'.repeat(2049), 'é'.repeat(1025), 'nul\u0000'],
    code_challenge: ['x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(42)}+`],
    code_challenge_method: ['plain', 's256', 'S512'],
  };
  for (const [parameter, values] of Object.entries(malformed)) {
    const { parameters } = authorizationRequest(scene);
    const { [parameter]: value = '', ...rest } = parameters;
    await refusedHere(t, authorizeUrl(rest), 400, 'invalid_request', { parameter });
    for (const bad of ['', ...values]) {
      const url = authorizeUrl({ ...rest, [parameter]: bad });
      await refusedHere(t, url, 400, 'invalid_request', { parameter, browser: signedIn });
    }
    // Twice, and twice the same.
    for (const again of ['x', value]) {
      const url = `${authorizeUrl(parameters)}&${parameter}=${encodeURIComponent(again)}`;
      await refusedHere(t, url, 400, 'invalid_request', { parameter });
    }
  }
});

t.test('a query that is not percent-encoded UTF-8 is 400', async (t) => {
  const scene = await createScene(database);
  const { url } = authorizationRequest(scene);
  for (const state of ['%FF', '%E0%A4%A', '%', '%zz']) {
    await refusedHere(t, url.replace(/state=\w+/, `state=${state}`), 400, 'invalid_request');
  }
});

t.test('a request that breaks several rules is told of each', async (t) => {
  const response = await api.get('/v1/oauth/authorize?state=x');
  t.equal(response.statusCode, 400);
  const named = response.json().errors.map((error: { parameter: string }) => error.parameter);
  t.same(named.toSorted(), [
    'client_id',
    'code_challenge',
    'code_challenge_method',
    'redirect_uri',
    'response_type',
    'scope',
  ]);
});

t.test('an unknown client is 401 invalid_client and never redirects', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { clientId } = scene.application;
  for (const client_id of [
    randomId(),
    clientId.toUpperCase(),
    `${clientId} `,
    `${clientId}\u0000`,
    "' OR 1=1",
  ]) {
    const { url } = authorizationRequest(scene, { client_id });
    // What no text of the database can hold is malformed already.
    const malformed = client_id.includes('\u0000');
    await refusedHere(t, url, malformed ? 400 : 401, malformed ? 'invalid_request' : 'invalid_client', {
      browser,
    });
  }
});

t.test(
  'a redirect URI that differs from the registered one in anything is 400 and never redirects',
  async (t) => {
    const redirectUri = 'https://client.example:8443/call/back?tenant=7';
    const scene = await createScene(database, { redirectUri });
    const browser = await signedInBrowser(api, scene.user);
    const others = [
      'https://client.example:8443/call/back?tenant=',
      `${redirectUri}7`,
      `${redirectUri}&extra=1`,
      `${redirectUri}#fragment`,
      'https://client.example:8443/call/back',
      'https://client.example:8443/call/back/?tenant=7',
      'https://client.example:8443/call',
      'https://client.example:8443/call/../call/back?tenant=7',
      'https://client.example:8443/call%2Fback?tenant=7',
      'https://client.example:8444/call/back?tenant=7',
      'https://client.example/call/back?tenant=7',
      'https://CLIENT.example:8443/call/back?tenant=7',
      'https://client.example:8443/Call/back?tenant=7',
      'HTTPS://client.example:8443/call/back?tenant=7',
      'http://client.example:8443/call/back?tenant=7',
      'https://client.example.evil.example:8443/call/back?tenant=7',
      'https://user@client.example:8443/call/back?tenant=7',
      'https://evil.example/?https://client.example:8443/call/back?tenant=7',
      ` ${redirectUri}`,
      `${redirectUri} `,
      'javascript:alert(1)',
      'urn:ietf:wg:oauth:2.0:oob',
      '/call/back',
      'x',
    ];
    for (const redirect_uri of others) {
      const { url } = authorizationRequest(scene, { redirect_uri });
      await refusedHere(t, url, 400, 'invalid_request', { browser, parameter: 'redirect_uri' });
      await refusedHere(t, url, 400, 'invalid_request', { parameter: 'redirect_uri' });
    }
    t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 200, 'the registered one');
  },
);

t.test("another application's redirect URI is as wrong as any", async (t) => {
  const scene = await createScene(database);
  const other = await createScene(database, { redirectUri: 'https://other.example/callback' });
  const { url } = authorizationRequest(scene, { redirect_uri: other.redirectUri });
  await refusedHere(t, url, 400, 'invalid_request', { parameter: 'redirect_uri' });
});

t.test('a scope that the application is not configured with redirects with invalid_scope', async (t) => {
  const scene = await createScene(database, { scopes: ['user:read'] });
  const browser = await signedInBrowser(api, scene.user);
  for (const scope of ['reports:read', 'user:read reports:read', 'openid', 'user:*', 'USER:READ', ' ']) {
    const { url, parameters } = authorizationRequest(scene, { scope });
    const response = await browser.open(url);
    t.equal(response.statusCode, 302, scope);
    t.equal(response.headers['cache-control'], 'no-store');
    const answer = answerAt(t, response, scene.redirectUri);
    t.same([...answer.keys()].toSorted(), ['error', 'error_description', 'iss', 'state']);
    t.equal(answer.get('error'), 'invalid_scope', scope);
    t.equal(answer.get('state'), parameters.state);
    t.equal(answer.get('iss'), 'http://api.test');
  }
});

t.test('error_description of a redirect keeps to the characters of RFC 6749', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  for (const scope of ['é', '"quoted"', 'back\\slash', 'tab\there', 'line\nbreak', '\u{1F600}']) {
    const response = await browser.open(authorizationRequest(scene, { scope }).url);
    t.equal(response.statusCode, 302);
    const answer = answerAt(t, response, scene.redirectUri);
    t.equal(answer.get('error'), 'invalid_scope');
    t.match(answer.get('error_description'), /^[ !#-[\]-~]+$/, scope);
  }
});

t.test('unknown parameters are ignored', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, {
    nonce: 'n',
    prompt: 'none',
    'x[y]': '',
    request_uri: 'urn:x',
  });
  t.equal((await browser.open(`${url}&unknown=1&unknown=2`)).statusCode, 200);
});

t.test('leads through the sign-in page back to the very same request', async (t) => {
  const scene = await createScene(database);
  const states = [
    'plain',
    'a b+c%20d&e=f#g?h/i:j;k,l',
    `"quotes" 'and' <tags> \\ ^ \` { | } ~`,
    '%', // not an escape
    '&amp;&quot;',
    'eyJhIjoiYiJ9.==',
  ];
  for (const state of states) {
    const { url } = authorizationRequest(scene, { state });
    const browser = new Browser(app);
    const redirect = await browser.open(url);
    t.equal(redirect.statusCode, 302, state);
    t.equal(redirect.headers['cache-control'], 'no-store');
    const signInUrl = String(redirect.headers.location);
    t.match(signInUrl, /^\/sign_in\?return_to=/);
    const page = await browser.open(signInUrl);
    const { email, password } = scene.user;
    const signedIn = await browser.submitForm(page, '/sign_in', { email, password });
    t.equal(signedIn.statusCode, 303);
    const back = String(signedIn.headers.location);
    t.match(back, /^\/v1\/oauth\/authorize\?/);
    const consent = await browser.open(back);
    t.equal(consent.statusCode, 200, consent.body);
    const action = unescapeHtml(/<form method="post" action="(\/v1[^"]*)"/.exec(consent.body)?.[1] ?? '');
    const decided = await browser.submitForm(consent, action, { decision: 'allow' });
    t.equal(decided.statusCode, 303);
    t.equal(answerAt(t, decided, scene.redirectUri).get('state'), state);
  }
});

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

t.test('the consent page shows the application, the account and every scope in words', async (t) => {
  const scene = await createScene(database, { name: 'Payroll Sync', accountName: 'Hooper Ltd' });
  const browser = await signedInBrowser(api, scene.user);
  const scope = 'reports:read reports:write user:read user:write';
  const page = await browser.open(authorizationRequest(scene, { scope }).url);
  t.equal(page.statusCode, 200);
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  t.equal(page.headers['cache-control'], 'no-store');
  t.match(page.body, 'Payroll Sync');
  t.match(page.body, 'Hooper Ltd');
  t.match(page.body, scene.user.email);
  const sentences = [...page.body.matchAll(/<li>(.*?)<\/li>/gs)].map(([, words = '']) =>
    words.replaceAll(/<code>.*?<\/code>|<[^>]*>/g, '').trim(),
  );
  t.equal(new Set(sentences).size, 4);
  for (const sentence of sentences) t.match(sentence, /^[A-Z][a-z]+\b.* [a-z]+/, sentence);
  t.match(page.body, /<button[^>]*name="decision" value="allow"/);
  t.match(page.body, /<button[^>]*name="decision" value="deny"/);
  t.equal((await codesOf(scene)).length, 0, 'looking gives nothing');
});

t.test('the consent page is shown each time, also for what was allowed before', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  for (let time = 0; time < 2; time += 1) {
    const { url } = authorizationRequest(scene);
    const page = await browser.open(url);
    t.equal(page.statusCode, 200);
    t.equal((await browser.submitForm(page, url, { decision: 'allow' })).statusCode, 303);
  }
  t.equal((await codesOf(scene)).length, 2);
});

t.test('names of applications and accounts are escaped', async (t) => {
  const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)> & Sons`;
  const scene = await createScene(database, { name: hostile, accountName: hostile });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { state: hostile });
  const page = await browser.open(url);
  t.equal(page.statusCode, 200);
  t.notMatch(page.body, /<script|<img/i);
  t.match(page.body, '&lt;script');
  t.equal(page.body.match(/&lt;script/g)?.length, 3, 'title, heading, account');
  t.notMatch(page.body, /action="[^"]*<|onerror=[^&]*"/);

  const refused = await browser.open(`${url}&response_type=${encodeURIComponent(hostile)}`);
  t.equal(refused.statusCode, 400);
  t.notMatch(refused.body, /<script|<img/i);
});

t.test("the page's policy lets its form lead to the application, and nothing else", async (t) => {
  const scene = await createScene(database, { redirectUri: 'https://client.example:8443/cb' });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(authorizationRequest(scene).url);
  const policy = Object.fromEntries(
    String(page.headers['content-security-policy'])
      .split(';')
      .map((directive) => directive.trim().split(/ (.*)/s).slice(0, 2)),
  );
  t.equal(policy['form-action'], "'self' https://client.example:8443");
  t.equal(policy['default-src'], "'none'");
  t.equal(policy['frame-ancestors'], "'none'");
  t.equal(policy['base-uri'], "'none'");
  t.notMatch(String(page.headers['content-security-policy']), /unsafe|script-src/);
  t.equal(page.headers['x-frame-options'], 'DENY');
  t.equal(page.headers['x-content-type-options'], 'nosniff');
  t.equal(page.headers['referrer-policy'], 'no-referrer');
});

t.test('browsers follow the way from the sign-in form to a refusal at the application', async (t) => {
  // Browsers apply form-action to every redirect after a form: sign-in, authorize, application.
  const scene = await createScene(database, { role: 'member' });
  const browser = new Browser(app);
  const { url } = authorizationRequest(scene, { scope: 'reports:read' });
  const page = await browser.open(String((await browser.open(url)).headers.location));
  const { email, password } = scene.user;
  let answer = await browser.submitForm(page, '/sign_in', { email, password });
  while (String(answer.headers.location ?? '').startsWith('/')) {
    answer = await browser.open(String(answer.headers.location));
  }
  if (answer.statusCode === 200) return;
  t.equal(answerAt(t, answer, scene.redirectUri).get('error'), 'access_denied');
  const formAction = /form-action ([^;]*)/.exec(String(page.headers['content-security-policy']))?.[1] ?? '';
  t.ok(formAction.split(' ').includes('https://client.example'), formAction);
});

t.test('Allow sends code, state and iss, and the code carries the request', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url, parameters } = authorizationRequest(scene, { scope: 'user:read reports:read' });
  const response = await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  t.equal(response.statusCode, 303);
  t.equal(response.headers['cache-control'], 'no-store');
  t.equal(response.headers['referrer-policy'], 'no-referrer');
  const answer = answerAt(t, response, scene.redirectUri);
  t.same([...answer.keys()].toSorted(), ['code', 'iss', 'state']);
  t.equal(answer.get('state'), parameters.state);
  t.equal(answer.get('iss'), 'http://api.test');
  t.match(await codesOf(scene), [
    {
      codeHash: hashOf(answer.get('code') ?? ''),
      userId: scene.user.id,
      redirectUri: scene.redirectUri,
      codeChallenge: parameters.code_challenge,
      scopes: ['user:read', 'reports:read'],
      createdAt: clock(),
      expiresAt: new Date(clock().getTime() + 300_000),
      usedAt: null,
      grantId: null,
    },
  ]);
});

t.test('Deny sends access_denied with state and iss, and makes no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url, parameters } = authorizationRequest(scene);
  const response = await browser.submitForm(await browser.open(url), url, { decision: 'deny' });
  t.equal(response.statusCode, 303);
  const answer = answerAt(t, response, scene.redirectUri);
  t.same([...answer.keys()].toSorted(), ['error', 'error_description', 'iss', 'state']);
  t.equal(answer.get('error'), 'access_denied');
  t.equal(answer.get('state'), parameters.state);
  t.equal(answer.get('iss'), 'http://api.test');
  t.same(await codesOf(scene), []);
});

t.test('a member gives user:* only, and is shown what is left out', async (t) => {
  const scene = await createScene(database, { role: 'member' });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { scope: 'reports:read user:read reports:write user:write' });
  const page = await browser.open(url);
  t.equal(page.statusCode, 200);
  const lists = [...page.body.matchAll(/<ul>(.*?)<\/ul>/gs)].map(([, list = '']) =>
    [...list.matchAll(/<code>(.*?)<\/code>/g)].map(([, scope]) => scope),
  );
  t.same(lists, [
    ['user:read', 'user:write'],
    ['reports:read', 'reports:write'],
  ]);
  t.match(page.body, /not yours to give/);
  await browser.submitForm(page, url, { decision: 'allow' });
  t.match(await codesOf(scene), [{ scopes: ['user:read', 'user:write'] }]);
});

t.test('owners and administrators give everything', async (t) => {
  const scene = await createScene(database, { role: 'admin' });
  const scope = 'reports:read reports:write user:read user:write';
  for (const user of [scene.user, await createUser(database, scene.accountId, { role: 'owner' })]) {
    const browser = await signedInBrowser(api, user);
    const { url } = authorizationRequest(scene, { scope });
    await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  }
  for (const { scopes } of await codesOf(scene)) t.equal(scopes.join(' '), scope);
  t.equal((await codesOf(scene)).length, 2);
});

t.test('a member who is asked for nothing of theirs is sent back with access_denied', async (t) => {
  const scene = await createScene(database, { role: 'member' });
  const browser = await signedInBrowser(api, scene.user);
  const { url, parameters } = authorizationRequest(scene, { scope: 'reports:read reports:write' });
  const response = await browser.open(url);
  t.equal(response.statusCode, 302);
  const answer = answerAt(t, response, scene.redirectUri);
  t.equal(answer.get('error'), 'access_denied');
  t.equal(answer.get('state'), parameters.state);
  t.equal(answer.get('iss'), 'http://api.test');

  // Nor does a form that is sent without having been shown give anything.
  const token = hiddenFields((await browser.open(authorizationRequest(scene).url)).body);
  const forced = await browser.submit(url, { ...token, decision: 'allow' });
  t.equal(forced.statusCode, 303);
  t.equal(answerAt(t, forced, scene.redirectUri).get('error'), 'access_denied');
  t.same(await codesOf(scene), []);
});

t.test('a user of another account gets 403 here, as a page or a problem document', async (t) => {
  const scene = await createScene(database);
  const stranger = await createScene(database);
  const browser = await signedInBrowser(api, stranger.user);
  const { url } = authorizationRequest(scene);
  await refusedHere(t, url, 403, 'access_denied', { browser });

  const token = hiddenFields((await browser.open(authorizationRequest(stranger).url)).body);
  const forced = await browser.submit(url, { ...token, decision: 'allow' });
  t.equal(forced.statusCode, 403);
  t.notOk('location' in forced.headers);
  t.same(await codesOf(scene), []);
});

t.test('a decision with a wrong or missing CSRF token is 403 and makes no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const { csrf_token = '' } = hiddenFields((await browser.open(url)).body);
  const forms: Record<string, string>[] = [
    {},
    { csrf_token: '' },
    { csrf_token: 'x' },
    { csrf_token: csrf_token.slice(0, -1) },
    { csrf_token: `${csrf_token}x` },
    { csrf_token: `${csrf_token}, ${csrf_token}` },
  ];
  for (const form of forms) {
    for (const decision of ['allow', 'deny']) {
      const response = await browser.submit(url, { ...form, decision });
      t.equal(response.statusCode, 403, JSON.stringify(form));
      t.match(response.headers['content-type'], /^text\/html/);
      t.notOk('location' in response.headers);
    }
  }
  t.same(await codesOf(scene), []);
  const events = { where: { applicationId: scene.application.id } };
  t.equal(await database.prisma.auditEvent.count(events), 0);
});

t.test('a decision that is missing or is neither of the two is 400 and makes no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  for (const form of [{}, { decision: '' }, { decision: 'yes' }, { decision: 'Allow' }]) {
    const response = await browser.submitForm(page, url, form as Record<string, string>);
    t.equal(response.statusCode, 400, JSON.stringify(form));
    t.notOk('location' in response.headers);
  }
  t.same(await codesOf(scene), []);
});

t.test('a decision is judged by its own address: what is wrong with it makes no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(authorizationRequest(scene).url);
  const changes: [Record<string, string>, number][] = [
    [{ client_id: randomId() }, 401],
    [{ redirect_uri: 'https://evil.example/' }, 400],
    [{ response_type: 'token' }, 400],
    [{ code_challenge: 'x' }, 400],
    [{ code_challenge_method: 'plain' }, 400],
    [{ state: '' }, 400],
    [{ scope: '' }, 400],
  ];
  for (const [change, status] of changes) {
    const { url } = authorizationRequest(scene, change);
    const response = await browser.submitForm(page, url, { decision: 'allow' });
    t.equal(response.statusCode, status, JSON.stringify(change));
    t.notOk('location' in response.headers);
  }
  t.same(await codesOf(scene), []);
});

t.test('a decision at an address that is not percent-encoded UTF-8 is 400 and makes no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  for (const state of ['%FF', '%E0%A4%A', '%']) {
    const bad = url.replace(/state=\w+/, `state=${state}`);
    t.equal((await browser.submitForm(page, bad, { decision: 'allow' })).statusCode, 400, state);
  }
  t.same(await codesOf(scene), []);
});

t.test('a decision after the application has changed is judged by what it is now', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { scope: 'reports:read' });
  const page = await browser.open(url);
  const change = (data: { scopes?: string[]; redirectUris?: string[] }) =>
    database.prisma.application.updateMany({ where: { id: scene.application.id }, data });
  await change({ scopes: ['user:read'] });
  const refused = await browser.submitForm(page, url, { decision: 'allow' });
  t.equal(answerAt(t, refused, scene.redirectUri).get('error'), 'invalid_scope');
  await change({ redirectUris: [] });
  const unregistered = await browser.submitForm(page, url, { decision: 'allow' });
  t.equal(unregistered.statusCode, 400);
  t.same(await codesOf(scene), []);
});

t.test('a decision after the session has ended leads to signing in, and back to the request', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  await database.prisma.session.deleteMany({ where: { userId: scene.user.id } });
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  t.equal(response.statusCode, 303);
  const location = new URL(String(response.headers.location), 'http://api.test');
  t.equal(location.pathname, '/sign_in');
  t.equal(location.searchParams.get('return_to'), url);
  t.same(await codesOf(scene), []);
});

t.test('a user who was disabled while the page was shown gives nothing', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { disabledAt: clock() } });
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  t.match(response.headers.location, /^\/sign_in\?/);
  t.same(await codesOf(scene), []);
});

t.test('a redirect URI with a query keeps it in every answer', async (t) => {
  const redirectUri = 'https://client.example/cb?tenant=7&next=a%20b%26c&code=mine';
  const scene = await createScene(database, { redirectUri });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  for (const decision of ['allow', 'deny']) {
    const response = await browser.submitForm(page, url, { decision });
    const location = new URL(String(response.headers.location));
    const answer = [...location.searchParams];
    t.same(answer.slice(0, 3), [
      ['tenant', '7'],
      ['next', 'a b&c'],
      ['code', 'mine'],
    ]);
    t.same(
      answer.slice(3).map(([name]) => name),
      decision === 'allow' ? ['code', 'state', 'iss'] : ['error', 'error_description', 'state', 'iss'],
    );
  }
});

t.test('http://localhost with a port is sent back to as it is registered', async (t) => {
  const redirectUri = 'http://localhost:8080/callback';
  const scene = await createScene(database, { redirectUri });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  t.match(page.headers['content-security-policy'], /form-action 'self' http:\/\/localhost:8080(;|$)/);
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  t.ok(answerAt(t, response, redirectUri).has('code'));
});

t.test('HEAD answers as GET does, without a body', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { url } = authorizationRequest(scene);
  const head = (headers: Record<string, string>, address = url) =>
    app.inject({ method: 'HEAD', url: address, headers });
  const consent = await head({ cookie, accept: 'text/html' });
  t.equal(consent.statusCode, 200);
  t.match(consent.headers['content-type'], /^text\/html/);
  t.equal(consent.body, '');
  const signIn = await head({});
  t.equal(signIn.statusCode, 302);
  t.match(signIn.headers.location, /^\/sign_in\?return_to=/);
  const refused = await head({}, authorizeUrl({}));
  t.equal(refused.statusCode, 400);
  t.equal(refused.body, '');
});

t.test('other methods match no route', async (t) => {
  const { url } = authorizationRequest(await createScene(database));
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const response = await app.inject({ method, url });
    t.equal(response.statusCode, 404, method);
    t.equal(response.json().code, 'public-api-not-found');
  }
});
