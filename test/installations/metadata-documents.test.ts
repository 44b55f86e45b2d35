import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { redirectHosts } from '../../src/oauth/clients/installations.js';
import { Browser } from '../support/browser/browser.js';
import { needsOpenssl, startDocumentServer } from '../support/oauth/document-server.js';
import { approve as approveClient } from '../support/oauth/installations.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  expectOAuthError,
  expectTokenRejected,
  signedInBrowser,
  type TestUser,
  tokensOf,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

type Documents = Awaited<ReturnType<typeof startDocumentServer>>;

const hour = 3600;

const api = await buildTestApp(t);

/** An account with an owner, and a server of documents. */
async function createConnection(t: Test) {
  const documents = await startDocumentServer(t);
  const { accountId, user } = await createScene(api.database);
  const browser = await signedInBrowser(api, user);
  return { api, documents, accountId, user, browser };
}

type Connection = Awaited<ReturnType<typeof createConnection>>;

/** An authorization request of the client with the document. */
function request({ url, origin }: Documents, changes: Record<string, string> = {}) {
  const client = { application: { clientId: url }, redirectUri: `${origin}/callback` };
  return authorizationRequest(client as Parameters<typeof authorizationRequest>[0], {
    scope: 'reports:read',
    ...changes,
  });
}

/** Approves the client as its document is now, as the page does. */
function approve({ api, documents, user }: Connection, scopes = ['reports:read']): Promise<string> {
  return approveClient(api, documents.url, user, scopes);
}

/** Allows a request on the consent screen, and exchanges the code. */
async function connect(
  { api, documents, browser }: Connection,
  changes: Record<string, string> = {},
  credentials: Record<string, string> = {},
): Promise<ReturnType<typeof tokensOf>> {
  const { url, parameters, verifier } = request(documents, changes);
  const page = await browser.open(url);
  if (page.statusCode !== 200) throw new Error(`${page.statusCode} ${page.headers.location}`);
  const allowed = await browser.submitForm(page, url, { decision: 'allow' });
  const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? '';
  return tokensOf(
    await api.postForm('/v1/oauth/token', {
      grant_type: 'authorization_code',
      client_id: documents.url,
      redirect_uri: String(parameters.redirect_uri),
      code,
      code_verifier: verifier,
      ...credentials,
    }),
  );
}

/** Where a request leads: the path of a redirect of this server, or the status. */
async function opened(browser: Browser, documents: Documents, changes: Record<string, string> = {}) {
  const { statusCode, headers } = await browser.open(request(documents, changes).url);
  return statusCode === 302 ? String(headers.location).split('?')[0] : statusCode;
}

t.test(
  'a document is read only for a user who has signed in, and then once while it is fresh',
  needsOpenssl,
  async (t) => {
    const { api, documents, browser } = await createConnection(t);
    documents.headers = { 'cache-control': 'max-age=3600' };
    const { url } = request(documents);
    const anonymous = await api.app.inject({ url });
    t.match(anonymous.headers.location, /^\/sign_in/);
    t.equal(documents.requests.length, 0, 'nothing is read before the sign-in');
    t.equal(await opened(browser, documents), '/approve_application');
    t.equal(await opened(browser, documents), '/approve_application');
    t.equal(documents.requests.length, 1);
    api.clock.advanceSeconds(hour + 1);
    await opened(browser, documents);
    t.equal(documents.requests.length, 2);
  },
);

t.test(
  'prompt=none redirects to an application with a document only when the account of the user has approved it',
  needsOpenssl,
  async (t) => {
    const connection = await createConnection(t);
    const { api, documents, browser } = connection;
    const { url, parameters } = request(documents, { scope: 'openid', prompt: 'none' });
    const expectRejected = async (from: Browser, label: string) => {
      const response = await from.open(url);
      t.equal(response.statusCode, 400, label);
      t.notOk('location' in response.headers, label);
    };
    await expectRejected(new Browser(api.app), 'without a session');
    api.clock.advanceSeconds(60);
    const login = request(documents, { scope: 'openid', prompt: 'login' });
    t.match((await browser.open(login.url)).headers.location, /^\/sign_in/);
    t.equal(documents.requests.length, 0, 'nothing is read before the sign-in');
    await expectRejected(browser, 'not approved');
    await approve(connection, ['openid']);
    const { headers } = await browser.open(url);
    const { origin, pathname, searchParams } = new URL(String(headers.location));
    t.equal(`${origin}${pathname}`, parameters.redirect_uri);
    t.equal(searchParams.get('error'), 'consent_required');
    await api.database.prisma.application.updateMany({
      where: { accountId: connection.accountId, installedClientId: documents.url },
      data: { suspendedAt: api.clock() },
    });
    await expectRejected(browser, 'suspended');
  },
);

t.test(
  'a client whose document has keys authenticates with an assertion, and never without one',
  needsOpenssl,
  async (t) => {
    const connection = await createConnection(t);
    const { api, documents, browser } = connection;
    const clientId = documents.url;
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] };
    documents.document = { ...documents.document, token_endpoint_auth_method: 'private_key_jwt', jwks };
    const now = Math.floor(api.clock().getTime() / 1000);
    const credentials = async (key = privateKey) => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await new SignJWT({
        ...{ iss: clientId, sub: clientId, aud: api.config.baseUrl },
        ...{ jti: randomUUID(), iat: now, exp: now + 60 },
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .sign(key),
    });
    await opened(browser, documents);
    await approve(connection);
    await t.rejects(connect(connection), /401.*invalid_client/s, 'without an assertion');
    const other = await generateKeyPair('ES256');
    const wrong = await credentials(other.privateKey);
    await t.rejects(connect(connection, {}, wrong), /401.*invalid_client/s, 'with another key');
    const tokens = await connect(connection, {}, await credentials());
    t.equal((await api.get('/v1/employees', tokens.accessToken)).statusCode, 200);

    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refreshToken };
    t.match((await api.postForm('/v1/oauth/token', form)).json(), { error: 'invalid_client', status: 401 });
    const refreshed = await api.postForm('/v1/oauth/token', { ...form, ...(await credentials()) });
    t.equal(refreshed.statusCode, 200, refreshed.body);
    const { refresh_token } = refreshed.json();
    const token = await api.postForm('/v1/oauth/introspect', {
      token: refresh_token,
      ...(await credentials()),
    });
    t.match(token.json(), { active: true, client_id: clientId });
  },
);

t.test('an approved client gets tokens with its URL as client_id, and no secret', needsOpenssl, async (t) => {
  const connection = await createConnection(t);
  const { api, documents, browser, accountId } = connection;
  await opened(browser, documents);
  await approve(connection);
  const tokens = await connect(connection);
  t.equal((await api.get('/v1/employees', tokens.accessToken)).statusCode, 200);
  const claims = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] ?? '', 'base64url').toString());
  t.equal(claims.client_id, documents.url);
  const form = { grant_type: 'refresh_token', client_id: documents.url, refresh_token: tokens.refreshToken };
  const rotated = tokensOf(await api.postForm('/v1/oauth/token', form));
  t.equal((await api.get('/v1/employees', rotated.accessToken)).statusCode, 200);
  const revoked = await api.postForm('/v1/oauth/revoke', {
    client_id: documents.url,
    token: rotated.refreshToken,
  });
  t.equal(revoked.statusCode, 200);
  await expectTokenRejected(t, api, rotated.accessToken, 'invalid_token');
  t.equal(documents.requests.length, 1, 'the token endpoint reads no document');
  const events = await api.database.prisma.auditEvent.findMany({
    where: { accountId },
    select: { type: true },
  });
  for (const type of [
    'application.document_requested',
    'application.approved',
    'token.issued',
    'token.refreshed',
  ])
    t.ok(
      events.some((event) => event.type === type),
      type,
    );
});

t.test('an unknown URL, and client credentials of a URL, get no tokens', needsOpenssl, async (t) => {
  const { api, documents, browser } = await createConnection(t);
  const form = { grant_type: 'client_credentials', client_id: documents.url, client_secret: 'secret' };
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_client');
  await opened(browser, documents);
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_client', { label: 'a secret' });
  const { client_secret, ...without } = form;
  expectOAuthError(t, await api.postForm('/v1/oauth/token', without), 'unauthorized_client');
  const code = {
    grant_type: 'authorization_code',
    client_id: documents.url,
    code: 'unknown',
    redirect_uri: documents.url,
  };
  const verifier = { code_verifier: 'a'.repeat(43) };
  expectOAuthError(t, await api.postForm('/v1/oauth/token', { ...code, ...verifier }), 'invalid_grant');
});

t.test('an approval in one account is none in another', needsOpenssl, async (t) => {
  const connection = await createConnection(t);
  const { api, documents, browser } = connection;
  await opened(browser, documents);
  await approve(connection);
  t.equal(await opened(browser, documents), 200);
  const stranger = await createScene(api.database);
  const other = await signedInBrowser(api, stranger.user);
  t.equal(await opened(other, documents), '/approve_application');
  const member = await createUser(api.database, connection.accountId, { role: 'member' });
  const memberBrowser = await signedInBrowser(api, member);
  t.equal(await opened(memberBrowser, documents, { scope: 'reports:read' }), `${documents.origin}/callback`);
});

for (const [change, changed] of [
  [
    'a redirect URI on another host',
    ({ redirect_uris }: Documents['document']) => ({
      redirect_uris: [...(redirect_uris as string[]), 'https://other.example/callback'],
    }),
  ],
  ['another name', () => ({ client_name: 'Planner Pro' })],
  ['a further scope', () => ({ scope: 'reports:read user:read' })],
] as const)
  t.test(
    `${change} in the document stops all tokens until the account approves it again`,
    needsOpenssl,
    async (t) => {
      const connection = await createConnection(t);
      const { api, documents, browser } = connection;
      documents.document.scope = 'reports:read';
      await opened(browser, documents);
      await approve(connection);
      const tokens = await connect(connection);
      Object.assign(documents.document, changed(documents.document));
      t.equal(await opened(browser, documents), 200, 'the copy is fresh');
      api.clock.advanceSeconds(301);
      const fresh = await connectAgain(connection, tokens.refreshToken);
      t.equal(await opened(browser, documents), '/approve_application');
      await expectTokenRejected(t, api, fresh.accessToken, 'invalid_token');
      const form = {
        grant_type: 'refresh_token',
        client_id: documents.url,
        refresh_token: fresh.refreshToken,
      };
      expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
      await approve(connection);
      t.equal((await api.get('/v1/employees', fresh.accessToken)).statusCode, 200);
      t.equal(await opened(browser, documents), 200);
    },
  );

t.test(
  'scopes of OpenID Connect in a document neither suspend it nor can be used',
  needsOpenssl,
  async (t) => {
    const connection = await createConnection(t);
    const { api, documents, browser } = connection;
    documents.document.scope = 'reports:read';
    await opened(browser, documents);
    await approve(connection);
    const { accessToken } = await connect(connection);
    documents.document.scope = 'openid profile reports:read';
    api.clock.advanceSeconds(301);
    t.equal(await opened(browser, documents, { scope: 'reports:read' }), 200);
    t.equal((await api.get('/v1/employees', accessToken)).statusCode, 200);
    const { headers } = await browser.open(request(documents, { scope: 'openid' }).url);
    t.match(headers.location, 'error=invalid_scope');
  },
);

/** Refreshes tokens. */
async function connectAgain({ api, documents }: Connection, refreshToken: string) {
  const form = { grant_type: 'refresh_token', client_id: documents.url, refresh_token: refreshToken };
  return tokensOf(await api.postForm('/v1/oauth/token', form));
}

t.test(
  'another path of an approved host, and fewer redirect URIs, do not suspend it',
  needsOpenssl,
  async (t) => {
    const connection = await createConnection(t);
    const { api, documents, browser } = connection;
    await opened(browser, documents);
    await approve(connection);
    const { accessToken } = await connect(connection);
    documents.document.redirect_uris = [`${documents.origin}/other`];
    t.same(redirectHosts(documents.document.redirect_uris as string[]), [new URL(documents.origin).host]);
    api.clock.advanceSeconds(301);
    t.equal(await opened(browser, documents), 400, 'the former path is not registered any more');
    t.equal(await opened(browser, documents, { redirect_uri: `${documents.origin}/other` }), 200);
    t.equal((await api.get('/v1/employees', accessToken)).statusCode, 200);
  },
);

t.test(
  'while the document cannot be read, its copy serves for a day, and then the application is unavailable',
  needsOpenssl,
  async (t) => {
    const connection = await createConnection(t);
    const { api, documents, browser } = connection;
    await opened(browser, documents);
    await approve(connection);
    documents.respond = (response) => response.writeHead(503).end();
    api.clock.advanceSeconds(301);
    t.equal(await opened(browser, documents), 200);
    const { length } = documents.requests;
    t.equal(await opened(browser, documents), 200);
    t.equal(documents.requests.length, length, 'it is not read again at once');
    api.clock.advanceSeconds(24 * hour);
    const browserLater = await signedInBrowser(api, connection.user);
    const page = await browserLater.open(request(documents).url);
    t.equal(page.statusCode, 401);
    t.match(page.body, 'unavailable');
    t.match(page.body, '503');
  },
);

t.test(
  'a document that is not valid is named to the user, and nothing is sent to the application',
  needsOpenssl,
  async (t) => {
    const { documents, browser } = await createConnection(t);
    documents.document.client_id = `${documents.url}/other`;
    const page = await browser.open(request(documents).url);
    t.equal(page.statusCode, 401);
    t.match(page.body, 'client_id must be the URL of the document');
    t.notOk(page.headers.location);
  },
);

t.test('users of an account can name 20 new documents in an hour', needsOpenssl, async (t) => {
  const { api, documents, browser, user } = await createConnection(t);
  documents.respond = (response) => response.writeHead(404).end();
  const named = (number: number) => ({ ...documents, url: `${documents.origin}/client-${number}.json` });
  for (let number = 1; number <= 20; number += 1) t.equal(await opened(browser, named(number)), 401);
  t.equal(await opened(browser, named(21)), 429);
  t.equal(documents.requests.length, 20);
  const colleague: TestUser = await createUser(api.database, user.accountId);
  t.equal(
    await opened(await signedInBrowser(api, colleague), named(22)),
    429,
    'for all users of the account',
  );
  const stranger = await createScene(api.database);
  t.equal(await opened(await signedInBrowser(api, stranger.user), named(23)), 401, 'not for other accounts');
  api.clock.advanceSeconds(hour + 1);
  t.equal(await opened(browser, named(24)), 401);
});

t.test('a document that cannot be read counts as new when its copy has expired', needsOpenssl, async (t) => {
  const { api, documents, user } = await createConnection(t);
  await opened(await signedInBrowser(api, user), documents);
  documents.respond = (response) => response.writeHead(503).end();
  api.clock.advanceSeconds(25 * hour);
  const browser = await signedInBrowser(api, user);
  for (let request = 1; request <= 20; request += 1) t.equal(await opened(browser, documents), 401);
  const { length } = documents.requests;
  t.equal(await opened(browser, documents), 429);
  t.equal(documents.requests.length, length, 'it is not read');
});

t.test(
  'a client on http://localhost needs approval, works with any port, and can be forbidden',
  needsOpenssl,
  async (t) => {
    const connection = await createConnection(t);
    const { api, documents, browser, accountId } = connection;
    documents.document.redirect_uris = ['http://localhost/callback'];
    const local = { redirect_uri: 'http://localhost:49152/callback' };
    t.equal(await opened(browser, documents, local), '/approve_application');
    await approve(connection);
    const page = await browser.open(request(documents, local).url);
    t.match(page.body, 'In development');
    const { refreshToken } = await connect(connection, local);
    await api.database.prisma.account.update({
      where: { id: accountId },
      data: { developmentAllowed: false },
    });
    const { statusCode, headers } = await browser.open(request(documents, local).url);
    t.equal(statusCode, 302);
    t.match(headers.location, /^http:\/\/localhost:49152\/callback\?error=access_denied/);
    const form = { grant_type: 'refresh_token', client_id: documents.url, refresh_token: refreshToken };
    expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'unauthorized_client');
  },
);
