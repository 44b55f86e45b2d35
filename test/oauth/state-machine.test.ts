import { randomId } from '../../src/platform/database/ids.js';
import {
  createScene,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  grantTokens,
  hashOf,
  refresh,
  revoke,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const endpoint = '/v1/oauth/token';
const thirtyDays = 30 * 86_400;

const codeRow = (code: string) =>
  database.prisma.authorizationCode.findUniqueOrThrow({ where: { codeHash: hashOf(code) } });
const refreshRow = (token: string) =>
  database.prisma.refreshToken.findUniqueOrThrow({ where: { tokenHash: hashOf(token) } });

t.test('a valid access token is expired once 3600 seconds have passed', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  clock.advanceSeconds(3599);
  await tokenAccepted(t, api, accessToken);
  clock.advanceSeconds(1);
  await expectTokenRejected(t, api, accessToken, 'token_expired');
});

t.test('a valid access token that is submitted to the revoke endpoint is revoked', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  await tokenAccepted(t, api, accessToken);
  t.equal((await revoke(api, scene.application, accessToken)).statusCode, 200);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
});

t.test('a valid access token is revoked with the refresh token that it derives from', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  await tokenAccepted(t, api, first.accessToken);
  t.equal((await revoke(api, scene.application, second.refreshToken)).statusCode, 200);
  await expectTokenRejected(t, api, first.accessToken, 'invalid_token');
  await expectTokenRejected(t, api, second.accessToken, 'invalid_token');
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

t.test('a refresh token that is used once issues a new one, and its reuse is rejected', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  t.not(second.refreshToken, first.refreshToken);
  t.not(second.accessToken, first.accessToken);
  t.same((await refreshRow(first.refreshToken)).usedAt, clock());
  t.equal((await refreshRow(second.refreshToken)).usedAt, null);
  await tokenAccepted(t, api, second.accessToken);
  await tokenAccepted(t, api, first.accessToken);
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
});

t.test('a refresh token is valid for 30 days without use, and expired after them', async (t) => {
  const scene = await createScene(database);
  const early = await grantTokens(api, scene);
  const late = await grantTokens(api, scene);
  clock.advanceSeconds(thirtyDays - 1);
  t.equal((await refresh(api, scene.application, early.refreshToken)).statusCode, 200);
  clock.advanceSeconds(1);
  const before = await refreshRow(late.refreshToken);
  expectOAuthError(t, await refresh(api, scene.application, late.refreshToken), 'invalid_grant');
  t.same(await refreshRow(late.refreshToken), before, 'the row is unchanged');
});

t.test('each rotation starts a new lifetime of 30 days', async (t) => {
  const scene = await createScene(database);
  let { refreshToken } = await grantTokens(api, scene);
  for (let rotation = 0; rotation < 4; rotation += 1) {
    clock.advanceSeconds(thirtyDays - 1);
    ({ refreshToken } = tokensOf(await refresh(api, scene.application, refreshToken)));
    const { expiresAt } = await refreshRow(refreshToken);
    t.equal(expiresAt.getTime() - clock().getTime(), thirtyDays * 1000);
  }
  clock.advanceSeconds(thirtyDays);
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
});

t.test('rejects a revoked refresh token and the access tokens derived from it', async (t) => {
  const scene = await createScene(database);
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  t.equal((await revoke(api, scene.application, refreshToken)).statusCode, 200);
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  t.equal((await refreshRow(refreshToken)).usedAt, null, 'a revocation does not count as a use');
  const { grantId } = await refreshRow(refreshToken);
  const grant = await database.prisma.grant.findFirstOrThrow({ where: { id: grantId } });
  t.same(grant.revokedAt, clock());
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

t.test('an issued code that is exchanged with its verifier is used, and tokens are issued', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  t.equal((await codeRow(code)).usedAt, null);
  const response = await api.postForm(endpoint, form);
  const { accessToken, refreshToken } = tokensOf(response);
  t.equal(response.json().token_type, 'Bearer');
  t.equal(response.json().expires_in, 3600);
  await tokenAccepted(t, api, accessToken);
  const used = await codeRow(code);
  t.same(used.usedAt, clock());
  t.equal((await refreshRow(refreshToken)).grantId, used.grantId);
});

t.test('rejects an expired code with 401 invalid_grant and does not change it', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  clock.advanceSeconds(300);
  const before = await codeRow(code);
  expectOAuthError(t, await api.postForm(endpoint, form), 'invalid_grant');
  t.same(await codeRow(code), before);
  t.equal(before.usedAt, null);
  t.equal(await database.prisma.grant.count({ where: { applicationId: scene.application.id } }), 0);
});

t.test('rejects a used code with 401 invalid_grant and does not change it', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  tokensOf(await api.postForm(endpoint, form));
  clock.advanceSeconds(1);
  const before = await codeRow(code);
  expectOAuthError(t, await api.postForm(endpoint, form), 'invalid_grant');
  t.same(await codeRow(code), before);
  t.equal(await database.prisma.grant.count({ where: { applicationId: scene.application.id } }), 1);
  t.equal(await database.prisma.refreshToken.count({ where: { grantId: before.grantId ?? '' } }), 1);
});

t.test('rejects a code with another verifier, does not change it, and accepts the right one', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  const before = await codeRow(code);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const wrong = { ...form, code_verifier: randomId(43) };
    expectOAuthError(t, await api.postForm(endpoint, wrong), 'invalid_grant');
    t.same(await codeRow(code), before);
  }
  const { accessToken } = tokensOf(await api.postForm(endpoint, form));
  await tokenAccepted(t, api, accessToken);
});
