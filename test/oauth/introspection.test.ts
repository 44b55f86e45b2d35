import { decodeJwt } from 'jose';
import { randomId } from '../../src/platform/database/ids.js';
import { createSigner, dpopClient } from '../support/oauth/dpop.js';
import { createScene, grantTokens, refresh, revoke, tokensOf } from '../support/oauth/users.js';
import { createApplication, createTenant, type TestApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const endpoint = '/v1/oauth/introspect';
const inactive = '{"active":false}';

const credentials = ({ clientId, clientSecret }: TestApplication) => ({
  client_id: clientId,
  client_secret: clientSecret,
});
const introspect = (application: TestApplication, token: string, more: Record<string, string> = {}) =>
  api.postForm(endpoint, { ...credentials(application), token, ...more });

const createConfidential = () => createScene(database, { clientType: 'confidential' });

t.test('describes an access token of a user', async (t) => {
  const { application, accountId, user } = await createConfidential();
  const scene = { application, accountId, user, redirectUri: 'https://client.example/callback' };
  const { accessToken } = await grantTokens(api, scene, { scope: 'reports:read user:read' });
  const response = await introspect(application, accessToken);
  t.equal(response.statusCode, 200);
  t.equal(response.headers['cache-control'], 'no-store');
  const { exp, iat } = decodeJwt(accessToken);
  t.strictSame(response.json(), {
    active: true,
    scope: 'reports:read user:read',
    client_id: application.clientId,
    account: accountId,
    sub: user.id,
    token_type: 'Bearer',
    exp,
    iat,
  });
});

t.test('describes a refresh token as one that is no access token, until it is used', async (t) => {
  const scene = await createConfidential();
  const { refreshToken } = await grantTokens(api, scene, { scope: 'user:read' });
  const { exp, iat, ...described } = (await introspect(scene.application, refreshToken)).json();
  t.strictSame(described, {
    active: true,
    scope: 'user:read',
    client_id: scene.application.clientId,
    account: scene.accountId,
    sub: scene.user.id,
    token_type: 'N_A',
  });
  t.equal(exp - iat, 30 * 86_400);
  const rotated = tokensOf(await refresh(api, scene.application, refreshToken));
  t.equal((await introspect(scene.application, refreshToken)).body, inactive);
  t.equal((await introspect(scene.application, rotated.refreshToken)).json().active, true);
});

t.test('a refresh token whose scopes were all removed from the application is not active', async (t) => {
  const scene = await createConfidential();
  const { refreshToken } = await grantTokens(api, scene, { scope: 'user:read' });
  const where = { id: scene.application.id };
  await database.prisma.application.updateMany({ where, data: { scopes: ['reports:read'] } });
  t.equal((await introspect(scene.application, refreshToken)).body, inactive);
});

t.test('a token that is bound to a key is described with the key', async (t) => {
  const { application } = await createTenant(database);
  const client = dpopClient(api, await createSigner());
  const described = (await introspect(application, await client.token(application))).json();
  t.equal(described.token_type, 'DPoP');
  t.strictSame(described.cnf, { jkt: client.signer.jkt });
  t.notOk('cnf' in (await introspect(application, await api.token(application))).json());
});

t.test('a token without a user has no sub', async (t) => {
  const { application, accountId } = await createTenant(database);
  const described = (await introspect(application, await api.token(application))).json();
  t.match(described, { active: true, account: accountId, client_id: application.clientId });
  t.notOk('sub' in described);
});

t.test('the type of the token is found without a hint, and with a wrong one', async (t) => {
  const scene = await createConfidential();
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  for (const [token, token_type_hint] of [
    [accessToken, 'refresh_token'],
    [refreshToken, 'access_token'],
    [refreshToken, 'unknown'],
  ] as const)
    t.equal((await introspect(scene.application, token, { token_type_hint })).json().active, true);
});

t.test('the scopes are those that a request with the token has now', async (t) => {
  const scene = await createConfidential();
  const { accessToken, refreshToken } = await grantTokens(api, scene, { scope: 'reports:read user:read' });
  const { accountId, application } = scene;
  const update = (scopes: string[]) =>
    database.prisma.application.update({
      where: { accountId_id: { accountId, id: application.id } },
      data: { scopes },
    });
  await update(['user:read']);
  for (const token of [accessToken, refreshToken])
    t.equal((await introspect(application, token)).json().scope, 'user:read');
  await update(['webhooks:read']);
  t.match((await introspect(application, accessToken)).json(), { active: true, scope: '' });
});

t.test('every token of another application is inactive, like one that is unknown', async (t) => {
  const scene = await createConfidential();
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const sibling = await createApplication(database, scene.accountId);
  const { application: stranger } = await createTenant(database);
  for (const application of [sibling, stranger])
    for (const token of [accessToken, refreshToken, randomId(50), 'x', '..', 'é', 'a'.repeat(8192)])
      t.equal((await introspect(application, token)).body, inactive);
  t.equal((await introspect(scene.application, accessToken)).json().active, true);
});

t.test('a revoked token is inactive at once', async (t) => {
  const scene = await createConfidential();
  const { application } = scene;
  const secret = { client_secret: application.clientSecret };
  const first = await grantTokens(api, scene);
  await revoke(api, application, first.accessToken, secret);
  t.equal((await introspect(application, first.accessToken)).body, inactive);
  t.equal((await introspect(application, first.refreshToken)).json().active, true);
  await revoke(api, application, first.refreshToken, secret);
  t.equal((await introspect(application, first.refreshToken)).body, inactive);
});

t.test('tokens of a disabled user are inactive', async (t) => {
  const scene = await createConfidential();
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const { accountId, user, application } = scene;
  await database.prisma.user.update({
    where: { accountId_id: { accountId, id: user.id } },
    data: { disabledAt: clock() },
  });
  for (const token of [accessToken, refreshToken])
    t.equal((await introspect(application, token)).body, inactive);
});

t.test('an expired token is inactive from the second in which it expires', async (t) => {
  const scene = await createConfidential();
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  clock.advanceSeconds(3599);
  t.equal((await introspect(scene.application, accessToken)).json().active, true);
  clock.advanceSeconds(1);
  t.equal((await introspect(scene.application, accessToken)).body, inactive);
  clock.advanceSeconds(30 * 86_400 - 3600);
  t.equal((await introspect(scene.application, refreshToken)).body, inactive);
});

t.test('the client must authenticate', async (t) => {
  const scene = await createConfidential();
  const { accessToken: token } = await grantTokens(api, scene);
  const { clientId: client_id } = scene.application;
  const without = await api.postForm(endpoint, { client_id, token });
  t.equal(without.statusCode, 400);
  t.match(without.json(), { error: 'invalid_request', error_description: 'client_secret is required.' });
  const wrong = await api.postForm(endpoint, { client_id, client_secret: 'wrong', token });
  t.match(wrong.json(), { error: 'invalid_client', status: 401 });
  t.equal((await api.postForm(endpoint, { token })).json().error, 'invalid_request');
  t.equal((await introspect(scene.application, '')).json().error, 'invalid_request');
});

t.test('a public client cannot introspect its own token', async (t) => {
  const scene = await createScene(database);
  const { accessToken: token } = await grantTokens(api, scene);
  const response = await api.postForm(endpoint, { client_id: scene.application.clientId, token });
  t.match(response.json(), { error: 'invalid_client', status: 401 });
});

t.test('errors are problem documents for a client that accepts them', async (t) => {
  const { application } = await createTenant(database);
  const accept = 'application/problem+json';
  for (const [form, status, code] of [
    [credentials(application), 400, 'invalid_request'],
    [{ ...credentials(application), client_secret: 'wrong', token: 'x' }, 401, 'invalid_client'],
  ] as const) {
    const response = await api.postForm(endpoint, form, { accept });
    t.equal(response.statusCode, status);
    t.equal(response.headers['content-type'], accept);
    t.match(response.json(), { code, error: code });
  }
});
