import { createHmac } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { exportSPKI, generateKeyPair, importJWK } from 'jose';
import { signCompact } from '../../src/oauth/tokens/jws.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { applicationsPath, expectRedirect, formOn, isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { encode } from '../support/oauth/bearer-calls.js';
import { approve, installedScene, publishedScene, storeDocument } from '../support/oauth/installations.js';
import {
  createScene,
  createUser,
  grantCode,
  grantTokens,
  refresh,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { enterPassword, setUpApp } from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const { app, config, clock, signingKeys } = api;

const endpoint = '/v1/oauth/logout';
const registered = 'https://client.example/signed-out';

/** A scene whose application has sign-out redirect URIs. */
async function logoutScene(
  options: Parameters<typeof createScene>[1] = {},
  postLogoutRedirectUris: readonly string[] = [registered],
): Promise<Scene> {
  const scene = await createScene(database, { scopes: ['openid', 'reports:read', 'user:read'], ...options });
  await register(scene, postLogoutRedirectUris);
  return scene;
}

async function register({ accountId, application: { id } }: Scene, uris: readonly string[]): Promise<void> {
  const where = { accountId_id: { accountId, id } };
  await database.prisma.application.update({ where, data: { postLogoutRedirectUris: [...uris] } });
}

function addressOf(parameters: Record<string, string>): string {
  return `${endpoint}?${new URLSearchParams(parameters)}`;
}

/** The request of the application of a scene, by its `client_id`. */
function requestOf({ application: { clientId } }: Scene, parameters: Record<string, string> = {}): string {
  return addressOf({ client_id: clientId, post_logout_redirect_uri: registered, ...parameters });
}

/** An ID token that the user got through the application. */
async function idTokenOf(scene: Scene): Promise<string> {
  const { form } = await grantCode(api, scene, { scope: 'openid' });
  return (await api.postForm('/v1/oauth/token', form)).json().id_token;
}

/** Opens the page, and submits its form. */
async function confirm(browser: Browser, url: string): Promise<LightMyRequestResponse> {
  return browser.submitForm(await browser.open(url), url, {});
}

const sessionsOf = ({ user }: Scene) => database.prisma.session.count({ where: { userId: user.id } });

const eventsOf = ({ accountId }: Scene) =>
  database.prisma.auditEvent.findMany({ where: { accountId, type: 'sign_out' } });

/** Expects a page with an error for each URL, which neither redirects nor ends the session. */
async function rejectedHere(
  t: Test,
  scene: Scene,
  urls: string | Readonly<Record<string, string>>,
  { parameter }: { parameter: string },
): Promise<void> {
  const signedIn = await signedInBrowser(api, scene.user);
  const visitor = new Browser(app);
  const form = hiddenFields((await signedIn.open(requestOf(scene))).body);
  for (const [label, url] of Object.entries(typeof urls === 'string' ? { [urls]: urls } : urls)) {
    const opened = [await signedIn.open(url), await visitor.open(url)];
    for (const response of [...opened, await signedIn.submit(url, form)]) {
      isPage(t, response, 400, label);
      t.match(response.body, '<code>invalid_request</code>', label);
      t.notOk('location' in response.headers, label);
    }
    const { errors } = (await api.get(url)).json();
    t.match(errors, [{ parameter }], label);
    t.equal(errors.length, 1, label);
  }
  t.equal((await signedIn.open('/people')).statusCode, 200, 'the session is not ended');
}

t.test('after the confirmation the session is ended, and the browser is sent back with state', async (t) => {
  const scene = await logoutScene({ name: 'Payroll & Co' });
  const browser = await signedInBrowser(api, scene.user);
  const state = 'a b+c&d=ü#/?';
  const url = requestOf(scene, { id_token_hint: await idTokenOf(scene), state });
  const page = await browser.open(url);
  isPage(t, page);
  t.match(page.body, 'Payroll &amp; Co');
  t.match(page.body, scene.user.email);
  t.match(page.body, '<code>client.example</code>');
  t.match(page.body, /<button type="submit">Sign out<\/button>/);
  t.match(page.body, 'Stay signed in');
  const response = await browser.submitForm(page, url, {});
  t.equal(response.statusCode, 303);
  const location = String(response.headers.location);
  t.ok(location.startsWith(`${registered}?state=`), location);
  t.same([...new URL(location).searchParams], [['state', state]]);
  t.notMatch(location, /\+/);
  t.equal(response.headers['cache-control'], 'no-store');
  t.equal(response.headers['referrer-policy'], 'no-referrer');
  t.equal(browser.cookies.has('session'), false);
  t.match((await browser.open('/people')).headers.location, /^\/sign_in/);
});

t.test('without state the redirect URI is unchanged, and state is appended to a query', async (t) => {
  const withQuery = `${registered}?tenant=a%20b&x=`;
  const scene = await logoutScene({}, [registered, withQuery]);
  for (const [uri, state, location] of [
    [registered, undefined, registered],
    [withQuery, undefined, withQuery],
    [withQuery, '1', `${withQuery}&state=1`],
  ] as const) {
    const url = requestOf(scene, { post_logout_redirect_uri: uri, ...(state !== undefined && { state }) });
    const response = await confirm(await signedInBrowser(api, scene.user), url);
    t.equal(response.statusCode, 303);
    t.equal(response.headers.location, location);
  }
});

t.test(
  'without a redirect URI the browser stays on a page that says that the user is signed out',
  async (t) => {
    const scene = await logoutScene();
    const hint = await idTokenOf(scene);
    const { clientId: client_id } = scene.application;
    for (const parameters of [
      {},
      { client_id },
      { id_token_hint: hint },
      { client_id, id_token_hint: hint },
    ]) {
      const url = addressOf({ ...parameters, state: 'unused' });
      const browser = await signedInBrowser(api, scene.user);
      const response = await confirm(browser, url);
      isPage(t, response);
      t.match(response.body, 'You are signed out');
      t.notOk('location' in response.headers);
      t.match((await browser.open('/people')).headers.location, /^\/sign_in/);
    }
  },
);

t.test('without a session there is nothing to confirm', async (t) => {
  const scene = await logoutScene();
  const browser = new Browser(app);
  const redirected = await browser.open(requestOf(scene, { state: 's' }));
  t.equal(redirected.statusCode, 302);
  t.equal(redirected.headers.location, `${registered}?state=s`);
  for (const url of [endpoint, addressOf({ client_id: scene.application.clientId })]) {
    const page = await browser.open(url);
    isPage(t, page);
    t.match(page.body, 'You are signed out');
  }
  const ended = await signedInBrowser(api, scene.user);
  await database.prisma.session.deleteMany({ where: { userId: scene.user.id } });
  t.equal((await ended.open(requestOf(scene))).headers.location, registered);
});

t.test('the form may lead to an application only if the application asks for a redirect', async (t) => {
  const scene = await logoutScene();
  const browser = await signedInBrowser(api, scene.user);
  const policyOf = async (url: string) => (await browser.open(url)).headers['content-security-policy'];
  t.notMatch(await policyOf(requestOf(scene)), /form-action/);
  t.match(await policyOf(addressOf({ client_id: scene.application.clientId })), /form-action 'self'/);
});

t.test('a GET or HEAD request never ends a session', async (t) => {
  const scene = await logoutScene();
  const browser = await signedInBrowser(api, scene.user);
  const cookie = `session=${browser.cookies.get('session')}`;
  const { csrf_token = '' } = hiddenFields((await browser.open(requestOf(scene))).body);
  for (const method of ['GET', 'HEAD'] as const) {
    for (const url of [endpoint, requestOf(scene), requestOf(scene, { csrf_token, confirm: 'yes' })]) {
      const response = await app.inject({ method, url, headers: { cookie, accept: 'text/html' } });
      t.equal(response.statusCode, 200, `${method} ${url}`);
      t.notOk('set-cookie' in response.headers);
    }
  }
  t.equal(await sessionsOf(scene), 1);
  t.equal((await browser.open('/people')).statusCode, 200);
  t.same(await eventsOf(scene), []);
});

t.test('other methods have no route', async (t) => {
  for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
    const response = await app.inject({ method, url: endpoint });
    t.equal(response.statusCode, 404, method);
    t.equal(response.json().code, 'public-api-not-found', method);
  }
});

t.test('a form without the CSRF token of the session is rejected, and ends nothing', async (t) => {
  const scene = await logoutScene();
  const browser = await signedInBrowser(api, scene.user);
  const other = await signedInBrowser(api, scene.user);
  const url = requestOf(scene);
  const { csrf_token: foreign = '' } = hiddenFields((await other.open(url)).body);
  const visitor = new Browser(app);
  const { csrf_token: unsigned = '' } = hiddenFields((await visitor.open('/sign_in')).body);
  for (const fields of [{}, ...['', 'x', foreign, unsigned].map((csrf_token) => ({ csrf_token }))]) {
    const response = await browser.submit(url, fields as Record<string, string>);
    isPage(t, response, 403);
    t.notOk('location' in response.headers);
    t.notOk('set-cookie' in response.headers);
  }
  t.equal(await sessionsOf(scene), 2);
  t.same(await eventsOf(scene), []);
});

t.test('a form that is submitted twice has the same response, and one audit event', async (t) => {
  const scene = await logoutScene();
  for (const url of [requestOf(scene, { state: 's' }), endpoint]) {
    const browser = await signedInBrowser(api, scene.user);
    const page = await browser.open(url);
    const first = await browser.submitForm(page, url, {});
    const second = await browser.submitForm(page, url, {});
    t.equal(second.statusCode, first.statusCode);
    t.equal(second.headers.location, first.headers.location);
    t.equal(second.body, first.body);
  }
  t.equal((await eventsOf(scene)).length, 2);
});

t.test('ends the session of this browser only, and keeps the tokens of applications', async (t) => {
  const scene = await logoutScene();
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const [browser, other] = [await signedInBrowser(api, scene.user), await signedInBrowser(api, scene.user)];
  await confirm(browser, requestOf(scene));
  t.equal(await sessionsOf(scene), 1);
  t.equal((await other.open('/people')).statusCode, 200);
  t.equal((await api.get('/v1/reports', accessToken)).statusCode, 200);
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

t.test('the audit event names the application if it is known in the account', async (t) => {
  const scene = await logoutScene();
  const { user, accountId, application } = scene;
  const { clientId } = (await logoutScene()).application;
  for (const [url, applicationId] of [
    [requestOf(scene), application.id],
    [addressOf({ id_token_hint: await idTokenOf(scene) }), application.id],
    [endpoint, null],
    [addressOf({ client_id: clientId }), null],
  ] as const) {
    const response = await confirm(await signedInBrowser(api, user), url);
    const requestId = String(response.headers['x-request-id']);
    const event = await database.prisma.auditEvent.findFirst({ where: { accountId, requestId } });
    t.match(event, { type: 'sign_out', userId: user.id, applicationId }, url);
  }
});

t.test('a session without its second factor is ended as well', async (t) => {
  const scene = await logoutScene();
  await setUpApp(api, scene.user);
  const { browser } = await enterPassword(api, scene.user);
  const before = await sessionsOf(scene);
  const page = await browser.open(requestOf(scene));
  isPage(t, page);
  t.match(page.body, scene.user.email);
  t.equal((await browser.submit(requestOf(scene), {})).statusCode, 403);
  expectRedirect(t, await browser.submitForm(page, requestOf(scene), {}), registered);
  t.equal(await sessionsOf(scene), before - 1);
  t.same(await eventsOf(scene), [], 'it was no sign-in');
});

t.test('redirects to a registered URI only, compared character by character', async (t) => {
  const scene = await logoutScene({}, [registered, 'http://localhost/registered-while-in-development']);
  const uris = [
    `${registered}/`,
    `${registered}?`,
    `${registered}?x=1`,
    `${registered}#`,
    `${registered}#x`,
    `${registered}%20`,
    ` ${registered}`,
    `${registered}/../evil`,
    'https://client.example/',
    'https://client.example/Signed-Out',
    'https://client.example/signed%2Dout',
    'https://CLIENT.example/signed-out',
    'HTTPS://client.example/signed-out',
    'http://client.example/signed-out',
    'https://client.example:443/signed-out',
    'https://client.example./signed-out',
    'https://client.example@evil.example/signed-out',
    'https://user@client.example/signed-out',
    'https://client.example.evil.example/signed-out',
    'https://evil.example/https://client.example/signed-out',
    'https:/client.example/signed-out',
    '//client.example/signed-out',
    '/signed-out',
    'javascript:alert(1)',
    'https://client.example\\@evil.example/signed-out',
    'http://localhost/registered-while-in-development',
    scene.redirectUri,
  ];
  const urls = uris.map((uri) => [uri, requestOf(scene, { post_logout_redirect_uri: uri })]);
  await rejectedHere(t, scene, Object.fromEntries(urls), { parameter: 'post_logout_redirect_uri' });
});

t.test('a redirect URI that is not registered is shown as text', async (t) => {
  const scene = await logoutScene({ name: 'Payroll' });
  const uri = 'https://evil.example/<script>';
  const { body } = await new Browser(app).open(requestOf(scene, { post_logout_redirect_uri: uri }));
  t.match(body, '<code>https://evil.example/&lt;script></code>');
  t.match(body, 'Payroll');
  t.notMatch(body, 'href="https://evil');
});

t.test('a URI that another application has registered is rejected', async (t) => {
  const [scene, other] = [await logoutScene(), await logoutScene({}, ['https://other.example/'])];
  const url = requestOf(scene, { post_logout_redirect_uri: 'https://other.example/' });
  await rejectedHere(t, scene, url, { parameter: 'post_logout_redirect_uri' });
  const hint = await idTokenOf(other);
  const mixed = addressOf({ id_token_hint: hint, post_logout_redirect_uri: registered });
  await rejectedHere(t, scene, mixed, { parameter: 'post_logout_redirect_uri' });
});

t.test('in development, http://localhost without a port is valid with any port', async (t) => {
  const local = 'http://localhost/signed-out';
  const scene = await logoutScene({ redirectUri: 'http://localhost/callback' }, [local]);
  const anyPort = 'http://localhost:8123/signed-out';
  const open = (uri: string) => new Browser(app).open(requestOf(scene, { post_logout_redirect_uri: uri }));
  t.equal((await open(anyPort)).headers.location, anyPort);
  t.equal((await open(local)).headers.location, local);
  isPage(t, await open('http://localhost:8123/other'), 400);
});

t.test('a redirect URI needs an application', async (t) => {
  const scene = await logoutScene();
  const url = addressOf({ post_logout_redirect_uri: registered, state: 's' });
  await rejectedHere(t, scene, url, { parameter: 'client_id' });
});

t.test('rejects an unknown application, and one of another ID token', async (t) => {
  const [scene, other] = [await logoutScene(), await logoutScene()];
  for (const client_id of ['unknown', "' OR 1=1", 'a'.repeat(255), '\u{1f600}'])
    await rejectedHere(t, scene, requestOf(scene, { client_id }), { parameter: 'client_id' });
  const id_token_hint = await idTokenOf(other);
  await rejectedHere(t, scene, requestOf(scene, { id_token_hint }), { parameter: 'client_id' });
  const { accountId, application } = other;
  await database.prisma.application.delete({ where: { accountId_id: { accountId, id: application.id } } });
  const url = addressOf({ id_token_hint, post_logout_redirect_uri: registered });
  await rejectedHere(t, scene, url, { parameter: 'id_token_hint' });
});

t.test('an ID token that has expired is accepted', async (t) => {
  const scene = await logoutScene();
  const id_token_hint = await idTokenOf(scene);
  clock.advanceSeconds(config.accessTokenTtlSeconds + 86_400);
  const url = addressOf({ id_token_hint, post_logout_redirect_uri: registered });
  expectRedirect(t, await confirm(await signedInBrowser(api, scene.user), url), registered);
});

t.test('an ID token of another user does not hide who is signed in', async (t) => {
  const scene = await logoutScene();
  const other = await createUser(database, scene.accountId);
  const id_token_hint = await idTokenOf({ ...scene, user: other });
  const browser = await signedInBrowser(api, scene.user);
  const url = requestOf(scene, { id_token_hint });
  const page = await browser.open(url);
  t.match(page.body, scene.user.email);
  t.notMatch(page.body, other.email);
  expectRedirect(t, await browser.submitForm(page, url, {}), registered);
  t.equal(await sessionsOf(scene), 0);
});

t.test('rejects an ID token that this server has not issued as one', async (t) => {
  const scene = await logoutScene();
  const { kid, privateKey } = signingKeys.current;
  const now = Math.floor(clock().getTime() / 1000);
  const claims = {
    iss: config.baseUrl,
    sub: scene.user.id,
    aud: scene.application.clientId,
    exp: now + 3600,
  };
  const ours = { alg: 'ES256', typ: 'JWT', kid } as const;
  const sign = (changes: object, header: object = {}) =>
    signCompact({ ...ours, ...header } as typeof ours, { ...claims, ...changes }, privateKey);
  const good = sign({});
  const url = (id_token_hint: string) => requestOf(scene, { id_token_hint });
  t.equal((await new Browser(app).open(url(good))).statusCode, 302, 'the reference is accepted');

  const [jwk] = (await api.get('/.well-known/jwks.json')).json().keys;
  const pem = await exportSPKI((await importJWK(jwk, 'ES256', { extractable: true })) as CryptoKey);
  const hmac = (secret: string) => {
    const content = `${encode({ ...ours, alg: 'HS256' })}.${encode(claims)}`;
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  };
  const stranger = await generateKeyPair('ES256', { extractable: true });
  const [header, payload, signature] = good.split('.');
  const { accessToken } = await grantTokens(api, scene, { scope: 'user:read' });
  const hints: Record<string, string> = {
    'another issuer': sign({ iss: 'https://evil.example' }),
    'an issuer with a slash': sign({ iss: `${config.baseUrl}/` }),
    'no issuer': sign({ iss: undefined }),
    'no audience': sign({ aud: undefined }),
    'several audiences': sign({ aud: [scene.application.clientId, 'other'] }),
    'no subject': sign({ sub: undefined }),
    'alg none': `${encode({ ...ours, alg: 'none' })}.${payload}.`,
    'alg none with the signature': `${encode({ ...ours, alg: 'none' })}.${payload}.${signature}`,
    'HS256 with the PEM': hmac(pem),
    'HS256 with the JWK': hmac(JSON.stringify(jwk)),
    'the type of access tokens': sign({}, { typ: 'at+jwt' }),
    'no type': sign({}, { typ: undefined }),
    'a critical extension': sign({}, { crit: ['x'], x: 1 }),
    'an unknown key': sign({}, { kid: 'unknown' }),
    'no key id': sign({}, { kid: undefined }),
    'the key of a stranger': signCompact(ours, claims, stranger.privateKey as never),
    'other claims': `${header}.${encode({ ...claims, sub: 'x' })}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'another spelling of the signature': `${good}=`,
    'two parts': `${header}.${payload}`,
    'an access token': accessToken,
    'not a token': 'x',
    'dots only': '..',
    'claims that are not JSON': `${header}.e30x.${signature}`,
    'too long': sign({ nonce: 'x'.repeat(8192) }),
  };
  const urls = Object.entries(hints).map(([label, hint]) => [label, url(hint)]);
  await rejectedHere(t, scene, Object.fromEntries(urls), { parameter: 'id_token_hint' });
});

t.test('rejects malformed and repeated parameters', async (t) => {
  const scene = await logoutScene();
  for (const [parameter, value] of [
    ['state', 'x'.repeat(2049)],
    ['state', 'ü'.repeat(1025)],
    ['state', '\u0000'],
    ['post_logout_redirect_uri', `https://client.example/${'x'.repeat(2048)}`],
  ] as const)
    await rejectedHere(t, scene, requestOf(scene, { [parameter]: value }), { parameter });
  for (const parameter of ['client_id', 'state', 'post_logout_redirect_uri', 'id_token_hint']) {
    const url = `${requestOf(scene, { state: 's' })}&${parameter}=x&${parameter}=x`;
    await rejectedHere(t, scene, url, { parameter });
  }
});

t.test('logout_hint, ui_locales and unknown parameters are ignored', async (t) => {
  const scene = await logoutScene();
  const url = requestOf(scene, { logout_hint: scene.user.email, ui_locales: 'de', colour: 'red' });
  const response = await confirm(await signedInBrowser(api, scene.user), url);
  t.equal(response.headers.location, registered);
});

t.test('an account that has approved an application of another account is sent back too', async (t) => {
  const publisher = await publishedScene(api);
  await register(publisher, [registered]);
  const scene = await installedScene(api, publisher);
  const response = await confirm(await signedInBrowser(api, scene.user), requestOf(publisher));
  t.equal(response.headers.location, registered);
  t.match(await eventsOf(scene), [{ applicationId: scene.application.id }]);
  const { internalId: client_id } = scene;
  await rejectedHere(t, scene, requestOf(publisher, { client_id }), { parameter: 'client_id' });
});

t.test(
  'a metadata document is known to accounts that have approved it only, and has no redirect URIs',
  async (t) => {
    const client_id = await storeDocument(api, 'https://documents.example/client.json');
    const [scene, stranger] = [await logoutScene(), await logoutScene()];
    await approve(api, client_id, scene.user, ['user:read']);
    const url = addressOf({ client_id });
    const browser = await signedInBrowser(api, scene.user);
    const page = await browser.open(url);
    t.match(page.body, 'Notes &amp; Co');
    t.match((await browser.submitForm(page, url, {})).body, 'You are signed out');
    t.match((await browser.submitForm(page, url, {})).body, 'You are signed out', 'also twice');
    t.equal((await eventsOf(scene))[0]?.applicationId === null, false);
    isPage(t, await (await signedInBrowser(api, stranger.user)).open(url), 400);
    isPage(
      t,
      await (await signedInBrowser(api, stranger.user)).open(addressOf({ client_id: `${client_id}x` })),
      400,
    );
    for (const uri of ['https://client.example/callback', registered]) {
      const redirecting = addressOf({ client_id, post_logout_redirect_uri: uri });
      for (const visitor of [await signedInBrowser(api, scene.user), new Browser(app)]) {
        const response = await visitor.open(redirecting);
        isPage(t, response, 400);
        t.notOk('location' in response.headers);
      }
    }
  },
);

t.test('an administrator registers sign-out redirect URIs, by the rules of redirect URIs', async (t) => {
  const scene = await logoutScene({}, []);
  const address = `${applicationsPath}/${scene.application.id}`;
  const browser = await signedInBrowser(api, scene.user);
  const edit = async (uris: readonly string[]) =>
    browser.submit(`${address}/edit`, [
      ...formOn(await browser.open(`${address}/edit`), { redirect_uris: [scene.redirectUri] }),
      ['post_logout_redirect_uris', uris.join('\r\n')],
    ]);
  for (const uri of [
    'http://client.example/',
    'http://localhost/',
    'https://client.example/*',
    'https://client.example/#x',
    'https://user@client.example/',
    'myapp://signed-out',
    registered,
  ]) {
    const page = await edit([registered, uri]);
    isPage(t, page, 400, uri);
    t.match(page.body, '<a href="#post_logout_redirect_uris">Line 2: ', uri);
    t.match(page.body, 'id="post_logout_redirect_uris-error"', uri);
  }
  const many = Array.from({ length: 21 }, (_, index) => `https://client.example/${index}`);
  t.match((await edit(many)).body, 'Enter at most 20 redirect URIs. These are 21.');
  expectRedirect(t, await edit([registered, '', 'https://client.example/bye']), /application_updated/);
  t.match((await browser.open(address)).body, `<code>${registered}</code>`);
  t.match(
    (await browser.open(`${address}/edit`)).body,
    `>${registered}\nhttps://client.example/bye</textarea>`,
  );
  const where = { accountId: scene.accountId, type: 'application.updated' };
  const event = await database.prisma.auditEvent.findFirst({ where });
  const added = [registered, 'https://client.example/bye'];
  t.match(event?.details, { post_logout_redirect_uris_added: added });
  expectRedirect(t, await confirm(browser, requestOf(scene)), registered);
});

t.test('the configuration of OpenID Connect names the endpoint', async (t) => {
  const configuration = (await api.get('/.well-known/openid-configuration')).json();
  t.equal(configuration.end_session_endpoint, `http://api.test${endpoint}`);
});
