import type { LightMyRequestResponse } from 'fastify';
import { randomId } from '../../src/platform/database/ids.js';
import { hiddenFields } from '../support/browser/browser.js';
import { authorizeResponses, responseParameters } from '../support/oauth/authorize-responses.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  hashOf,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const { codesOf } = authorizeResponses(api);

t.test('Allow sends code, state and iss, and stores the request with the code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url, parameters } = authorizationRequest(scene, { scope: 'user:read reports:read' });
  const response = await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  t.equal(response.statusCode, 303);
  t.equal(response.headers['cache-control'], 'no-store');
  t.equal(response.headers['referrer-policy'], 'no-referrer');
  const returned = responseParameters(t, response, scene.redirectUri);
  t.same([...returned.keys()].toSorted(), ['code', 'iss', 'state']);
  t.equal(returned.get('state'), parameters.state);
  t.equal(returned.get('iss'), 'http://api.test');
  t.match(await codesOf(scene), [
    {
      codeHash: hashOf(returned.get('code') ?? ''),
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

t.test('a user may allow some of the scopes, and no others', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { scope: 'user:read reports:read reports:write' });
  const page = await browser.open(url);
  const [, choice = ''] = page.body.split('<details');
  t.equal(choice.match(/type="checkbox"[^>]* checked/g)?.length, 3, 'all are selected at first');
  const csrf = hiddenFields(page.body);
  const submit = (scopes: readonly string[]) =>
    browser.submit(url, [
      ...Object.entries({ ...csrf, decision: 'allow_selected' }),
      ...scopes.map((scope) => ['scope', scope]),
    ]);
  const none = await submit(['webhooks:read', 'toString']);
  t.equal(none.statusCode, 400);
  t.match(none.body, 'Select at least one');
  t.same(await codesOf(scene), []);
  const some = await submit(['reports:read', 'user:read', 'webhooks:write']);
  t.equal(some.statusCode, 303);
  t.match(await codesOf(scene), [{ scopes: ['user:read', 'reports:read'] }]);
});

t.test(
  'a selected scope that writes needs a recent password, and stays selected until it is entered',
  async (t) => {
    const scene = await createScene(database);
    const browser = await signedInBrowser(api, scene.user);
    const { url } = authorizationRequest(scene, { scope: 'user:read reports:read reports:write' });
    const page = await browser.open(url);
    const csrf = hiddenFields(page.body);
    clock.advanceSeconds(11 * 60);
    const submit = (scopes: readonly string[]) =>
      browser.submit(url, [
        ...Object.entries({ ...csrf, decision: 'allow_selected' }),
        ...scopes.map((scope) => ['scope', scope]),
      ]);
    t.equal((await submit(['user:read'])).statusCode, 303, 'reading needs none');
    const question = await submit(['reports:read', 'reports:write']);
    t.match(question.body, /type="password"/);
    const fields = [...question.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const kept = fields.map(([, name = '', value = '']) => [name, value]);
    const allowed = await browser.submit(url, [...kept, ['confirm_password', scene.user.password]]);
    t.equal(allowed.statusCode, 303, allowed.body);
    t.match((await codesOf(scene)).map(({ scopes }) => scopes).toSorted(), [
      ['reports:read', 'reports:write'],
      ['user:read'],
    ]);
  },
);

t.test('Deny sends access_denied with state and iss, and issues no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url, parameters } = authorizationRequest(scene);
  const response = await browser.submitForm(await browser.open(url), url, { decision: 'deny' });
  t.equal(response.statusCode, 303);
  const returned = responseParameters(t, response, scene.redirectUri);
  t.same([...returned.keys()].toSorted(), ['error', 'error_description', 'iss', 'state']);
  t.equal(returned.get('error'), 'access_denied');
  t.equal(returned.get('state'), parameters.state);
  t.equal(returned.get('iss'), 'http://api.test');
  t.same(await codesOf(scene), []);
});

/** Allows a request of a scene, which changes before the transaction that stores the code. */
async function allowWhile(
  t: Test,
  change: (scene: Scene) => Promise<unknown>,
): Promise<{ scene: Scene; response: LightMyRequestResponse }> {
  const scene = await createScene(database);
  let isArmed = false;
  const $transaction: typeof database.prisma.$transaction = async (...args: [never]) => {
    if (isArmed) await change(scene);
    return database.prisma.$transaction(...args);
  };
  const prisma = Object.create(database.prisma, { $transaction: { value: $transaction } });
  const held = await buildTestApp(t, { database: { ...database, prisma }, clock });
  const browser = await signedInBrowser(held, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  isArmed = true;
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  return { scene, response };
}

t.test('a user who loses the session or the right to grant meanwhile gets no code', async (t) => {
  const changeUser = (id: string, data: Partial<{ role: string; disabledAt: Date }>) =>
    database.prisma.user.updateMany({ where: { id }, data });
  for (const [label, changeOf] of Object.entries({
    'revoked session': (userId: string) => database.prisma.session.deleteMany({ where: { userId } }),
    'disabled user': (id: string) => changeUser(id, { disabledAt: clock() }),
    'administrator who became a member': (id: string) => changeUser(id, { role: 'member' }),
  })) {
    const { scene, response } = await allowWhile(t, ({ user }) => changeOf(user.id));
    t.equal(response.statusCode, 403, label);
    t.match(response.body, 'Your permissions have changed.', label);
    t.same(await codesOf(scene), [], label);
  }
});

t.test('an application that is deleted meanwhile gets no code, and no redirect or challenge', async (t) => {
  const { scene, response } = await allowWhile(t, ({ application: { id } }) =>
    database.prisma.application.deleteMany({ where: { id } }),
  );
  t.equal(response.statusCode, 401);
  t.match(response.body, '<code>invalid_client</code>');
  t.notOk('location' in response.headers);
  t.notOk('www-authenticate' in response.headers, 'the browser would ask for a password');
  t.same(await codesOf(scene), []);
});

t.test('owners and administrators grant every scope', async (t) => {
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

t.test('a decision with a wrong or missing CSRF token is 403 and issues no code', async (t) => {
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

t.test('a missing or unknown decision is 400 and issues no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  for (const form of [{}, { decision: '' }, { decision: 'yes' }, { decision: 'Allow' }]) {
    const response = await browser.submitForm(page, url, form as Record<string, string>);
    t.equal(response.statusCode, 400, JSON.stringify(form));
    t.match(response.body, 'decision must be allow, allow_selected or deny');
    t.notOk('location' in response.headers);
  }
  t.same(await codesOf(scene), []);
});

t.test('a decision is checked by the parameters of its own address', async (t) => {
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

t.test('a decision is checked against the current settings of the application', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { scope: 'reports:read' });
  const page = await browser.open(url);
  const change = (data: { scopes?: string[]; redirectUris?: string[] }) =>
    database.prisma.application.updateMany({ where: { id: scene.application.id }, data });
  await change({ scopes: ['user:read'] });
  const refused = await browser.submitForm(page, url, { decision: 'allow' });
  t.equal(responseParameters(t, refused, scene.redirectUri).get('error'), 'invalid_scope');
  await change({ redirectUris: [] });
  const unregistered = await browser.submitForm(page, url, { decision: 'allow' });
  t.equal(unregistered.statusCode, 400);
  t.same(await codesOf(scene), []);
});

t.test('the decision of a user who was disabled since issues no code', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { disabledAt: clock() } });
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  t.match(response.headers.location, /^\/sign_in\?/);
  t.same(await codesOf(scene), []);
});

t.test('a redirect URI keeps its query in every response', async (t) => {
  const redirectUri = 'https://client.example/cb?tenant=7&next=a%20b%26c&code=mine';
  const scene = await createScene(database, { redirectUri });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  for (const decision of ['allow', 'deny']) {
    const response = await browser.submitForm(page, url, { decision });
    const location = new URL(String(response.headers.location));
    const returned = [...location.searchParams];
    t.same(returned.slice(0, 3), [
      ['tenant', '7'],
      ['next', 'a b&c'],
      ['code', 'mine'],
    ]);
    t.same(
      returned.slice(3).map(([name]) => name),
      decision === 'allow' ? ['code', 'state', 'iss'] : ['error', 'error_description', 'state', 'iss'],
    );
  }
});
