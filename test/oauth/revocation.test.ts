import { decodeJwt } from 'jose';
import { randomId } from '../../src/platform/database/ids.js';
import {
  createScene,
  expectOAuthError,
  expectTokenRejected,
  grantTokens,
  hashOf,
  refresh,
  revoke,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { createApplication, createTenant, type TestApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const endpoint = '/v1/oauth/revoke';

const basic = ({ clientId, clientSecret }: TestApplication) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
});
const isRevoked = async (token: string) =>
  (await database.prisma.revokedAccessToken.count({ where: { jti: String(decodeJwt(token).jti) } })) > 0;

t.test('responds 200 with an empty JSON object that is not stored', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  const response = await revoke(api, scene.application, accessToken);
  t.equal(response.statusCode, 200);
  t.equal(response.body, '{}');
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  t.equal(response.headers['cache-control'], 'no-store');
  t.match(response.headers['x-request-id'], /.+/);
});

t.test(
  'revokes an access token alone, and keeps its refresh token and other access tokens valid',
  async (t) => {
    const scene = await createScene(database);
    const first = await grantTokens(api, scene);
    const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
    t.equal((await revoke(api, scene.application, first.accessToken)).statusCode, 200);
    await expectTokenRejected(t, api, first.accessToken, 'invalid_token');
    await tokenAccepted(t, api, second.accessToken);
    t.equal((await refresh(api, scene.application, second.refreshToken)).statusCode, 200);
    const row = await database.prisma.revokedAccessToken.findUniqueOrThrow({
      where: { jti: String(decodeJwt(first.accessToken).jti) },
    });
    t.equal(row.expiresAt.getTime() / 1000, decodeJwt(first.accessToken).exp);
  },
);

t.test('the current refresh token revokes the whole grant', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  t.equal((await revoke(api, scene.application, second.refreshToken)).statusCode, 200);
  for (const { accessToken, refreshToken } of [first, second]) {
    await expectTokenRejected(t, api, accessToken, 'invalid_token');
    expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  }
});

t.test('a rotated refresh token revokes the whole grant', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  t.equal((await revoke(api, scene.application, first.refreshToken)).statusCode, 200);
  await expectTokenRejected(t, api, second.accessToken, 'invalid_token');
  expectOAuthError(t, await refresh(api, scene.application, second.refreshToken), 'invalid_grant');
});

t.test('an expired refresh token revokes the tokens of its grant', async (t) => {
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene);
  clock.advanceSeconds(30 * 86_400 - 1);
  const second = tokensOf(await refresh(api, scene.application, refreshToken));
  clock.advanceSeconds(1);
  t.equal((await revoke(api, scene.application, refreshToken)).statusCode, 200);
  await expectTokenRejected(t, api, second.accessToken, 'invalid_token');
});

t.test('revokes a token of client credentials alone', async (t) => {
  const { application } = await createTenant(database);
  const [one, other] = [await api.token(application), await api.token(application)];
  const { clientSecret } = application;
  t.equal((await revoke(api, application, one, { client_secret: clientSecret })).statusCode, 200);
  await expectTokenRejected(t, api, one, 'invalid_token');
  await tokenAccepted(t, api, other);
  await tokenAccepted(t, api, await api.token(application));
});

t.test('responds 200 to tokens that are unknown, malformed or expired', async (t) => {
  const scene = await createScene(database);
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  clock.advanceSeconds(30 * 86_400);
  const [header, payload, signature = ''] = accessToken.split('.');
  const garbage = [
    randomId(50),
    'x',
    ' ',
    '..',
    'null',
    `${header}.${payload}.`,
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    'é'.repeat(100),
    'a'.repeat(8192),
  ];
  for (const token of [accessToken, refreshToken, ...garbage]) {
    const response = await revoke(api, scene.application, token);
    t.equal(response.statusCode, 200, token.slice(0, 60));
    t.equal(response.body, '{}');
  }
  t.notOk(await isRevoked(accessToken), 'no revocation is stored for an expired token');
});

t.test(
  'rejects the tokens of another client of the same or another account, and keeps them valid',
  async (t) => {
    const owner = await createScene(database);
    const stranger = (await createScene(database)).application;
    const sibling = await createApplication(database, owner.accountId, { clientType: 'public' });
    const first = await grantTokens(api, owner);
    const second = tokensOf(await refresh(api, owner.application, first.refreshToken));
    for (const other of [stranger, sibling]) {
      for (const token of [first.accessToken, second.accessToken, first.refreshToken, second.refreshToken]) {
        expectOAuthError(t, await revoke(api, other, token), 'unauthorized_client');
      }
    }
    await tokenAccepted(t, api, first.accessToken);
    await tokenAccepted(t, api, second.accessToken);
    t.equal((await refresh(api, owner.application, second.refreshToken)).statusCode, 200);
  },
);

t.test('a confidential client must send its secret: none is 400, a wrong one 401', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { application } = scene;
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const client_secret = application.clientSecret;
  for (const token of [accessToken, refreshToken, 'unknown']) {
    const none = await revoke(api, application, token);
    expectOAuthError(t, none, 'invalid_request', { parameter: 'client_secret' });
    const wrong = await revoke(api, application, token, { client_secret: randomId(52) });
    expectOAuthError(t, wrong, 'invalid_client');
    t.notOk('www-authenticate' in wrong.headers);
  }
  await tokenAccepted(t, api, accessToken);
  t.equal((await revoke(api, application, accessToken, { client_secret })).statusCode, 200);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  t.equal((await revoke(api, application, refreshToken, { client_secret })).statusCode, 200);
  expectOAuthError(t, await refresh(api, application, refreshToken), 'invalid_grant');
});

t.test('a client may authenticate with HTTP Basic and omit client_id', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const headers = basic(scene.application);
  const wrong = basic({ ...scene.application, clientSecret: randomId(52) });
  const refused = await api.postForm(endpoint, { token: accessToken }, wrong);
  expectOAuthError(t, refused, 'invalid_client');
  t.match(refused.headers['www-authenticate'], /^Basic realm="/);
  const both = { token: accessToken, client_secret: scene.application.clientSecret };
  expectOAuthError(t, await api.postForm(endpoint, both, headers), 'invalid_request');
  const otherId = { token: accessToken, client_id: randomId() };
  expectOAuthError(t, await api.postForm(endpoint, otherId, headers), 'invalid_request');
  await tokenAccepted(t, api, accessToken);

  t.equal((await api.postForm(endpoint, { token: accessToken }, headers)).statusCode, 200);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  const withId = { token: refreshToken, client_id: scene.application.clientId };
  t.equal((await api.postForm(endpoint, withId, headers)).statusCode, 200);
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
});

t.test('rejects a public client that sends a secret, and an unknown client, with 401', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  const secret = await revoke(api, scene.application, accessToken, { client_secret: randomId(52) });
  expectOAuthError(t, secret, 'invalid_client');
  const unknown = await revoke(api, scene.application, accessToken, { client_id: randomId() });
  expectOAuthError(t, unknown, 'invalid_client');
  await tokenAccepted(t, api, accessToken);
});

t.test('token_type_hint makes no difference, right, wrong or unknown', async (t) => {
  const scene = await createScene(database);
  for (const token_type_hint of ['access_token', 'refresh_token', 'saml2', '']) {
    const { accessToken, refreshToken } = await grantTokens(api, scene);
    t.equal((await revoke(api, scene.application, accessToken, { token_type_hint })).statusCode, 200);
    await expectTokenRejected(t, api, accessToken, 'invalid_token');
    t.equal((await revoke(api, scene.application, refreshToken, { token_type_hint })).statusCode, 200);
    expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  }
});

t.test('revoking again changes nothing and is audited once', async (t) => {
  const scene = await createScene(database);
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const { grantId } = await database.prisma.refreshToken.findUniqueOrThrow({
    where: { tokenHash: hashOf(refreshToken) },
  });
  for (const token of [accessToken, refreshToken]) {
    for (let time = 0; time < 3; time += 1) {
      t.equal((await revoke(api, scene.application, token)).statusCode, 200);
      clock.advanceSeconds(1);
    }
  }
  const grant = await database.prisma.grant.findFirstOrThrow({ where: { id: grantId } });
  t.equal(grant.revokedAt?.getTime(), clock().getTime() - 3000, 'the first revocation counts');
  const events = await database.prisma.auditEvent.findMany({
    where: { applicationId: scene.application.id, type: { in: ['token.revoked', 'grant.revoked'] } },
  });
  t.same(events.map(({ type }) => type).toSorted(), ['grant.revoked', 'token.revoked']);
});

t.test('concurrent revocations of one token all succeed and are audited once', async (t) => {
  const scene = await createScene(database);
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  for (const token of [accessToken, refreshToken]) {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => revoke(api, scene.application, token)),
    );
    t.same(
      responses.map(({ statusCode }) => statusCode),
      Array(10).fill(200),
    );
  }
  const events = await database.prisma.auditEvent.count({
    where: { applicationId: scene.application.id, type: { in: ['token.revoked', 'grant.revoked'] } },
  });
  t.equal(events, 2);
});

t.test('a missing, empty, repeated or overlong parameter is 400 and names the parameter', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  const form = { client_id: scene.application.clientId, token: accessToken };
  for (const parameter of ['token', 'client_id']) {
    const missing = await api.postForm(endpoint, { ...form, [parameter]: '' });
    expectOAuthError(t, missing, 'invalid_request', { parameter });
    const twice = await api.postForm(endpoint, `${new URLSearchParams(form)}&${parameter}=x`);
    expectOAuthError(t, twice, 'invalid_request', { parameter });
  }
  const long = await revoke(api, scene.application, 'a'.repeat(8193));
  expectOAuthError(t, long, 'invalid_request', { parameter: 'token' });
  await tokenAccepted(t, api, accessToken);
});

t.test('any other content type than a form is invalid_request, and nothing is revoked', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  const form = { client_id: scene.application.clientId, token: accessToken };
  for (const contentType of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
    const response = await api.app.inject({
      method: 'POST',
      url: endpoint,
      headers: { 'content-type': contentType },
      payload: JSON.stringify(form),
    });
    expectOAuthError(t, response, 'invalid_request', { label: contentType });
  }
  expectOAuthError(t, await api.app.inject({ method: 'POST', url: endpoint }), 'invalid_request');
  await tokenAccepted(t, api, accessToken);
});

t.test('a revoked access token stays revoked, and is expired after its lifetime', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  await revoke(api, scene.application, accessToken);
  clock.advanceSeconds(3599);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  clock.advanceSeconds(1);
  await expectTokenRejected(t, api, accessToken, 'token_expired');
});

t.test(
  'revoking the refresh token of one grant does not change another grant of the same user',
  async (t) => {
    const scene = await createScene(database);
    const one = await grantTokens(api, scene);
    const other = await grantTokens(api, scene);
    await revoke(api, scene.application, one.refreshToken);
    await tokenAccepted(t, api, other.accessToken);
    t.equal((await refresh(api, scene.application, other.refreshToken)).statusCode, 200);
  },
);
