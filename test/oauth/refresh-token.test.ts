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
  type Scene,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;

const row = (token: string) =>
  database.prisma.refreshToken.findUniqueOrThrow({ where: { tokenHash: hashOf(token) } });
const replaysOf = (applicationId: string) =>
  database.prisma.auditEvent.findMany({ where: { applicationId, type: 'refresh_token.replayed' } });

/** Expects 403: the token is valid and lacks the scope. */
async function lacksScope(t: Test, token: string): Promise<void> {
  const response = await api.get('/v1/employees', token);
  t.equal(response.statusCode, 403, response.body);
  t.equal(response.json().code, 'insufficient_scope');
}

t.test('issues a new access token and a new refresh token of the same grant', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  clock.advanceSeconds(100);
  const response = await refresh(api, scene.application, first.refreshToken);
  t.equal(response.statusCode, 200);
  t.equal(response.headers['cache-control'], 'no-store');
  const body = response.json();
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type']);
  t.equal(body.expires_in, 3600);
  t.equal(body.scope, first.scope);
  t.equal((await row(body.refresh_token)).grantId, (await row(first.refreshToken)).grantId);
  const [before, after] = [decodeJwt(first.accessToken), decodeJwt(body.access_token)];
  t.equal(after.sub, before.sub);
  t.not(after.jti, before.jti);
  t.equal(after.exp, Number(before.exp) + 100);
  await tokenAccepted(t, api, body.access_token);
});

t.test('narrows the access token and keeps the scopes of the grant for the next refresh', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene, { scope: 'reports:read user:read' });
  const narrowed = tokensOf(
    await refresh(api, scene.application, first.refreshToken, { scope: 'user:read' }),
  );
  t.equal(narrowed.scope, 'user:read');
  t.equal(decodeJwt(narrowed.accessToken).scope, 'user:read');
  await lacksScope(t, narrowed.accessToken);
  t.same((await row(narrowed.refreshToken)).scopes.toSorted(), ['reports:read', 'user:read']);
  const full = tokensOf(await refresh(api, scene.application, narrowed.refreshToken));
  t.same(full.scope.split(' ').toSorted(), ['reports:read', 'user:read']);
  await tokenAccepted(t, api, full.accessToken);
});

t.test('rejects more scopes than were granted, and keeps the token valid', async (t) => {
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene, { scope: 'user:read' });
  const before = await row(refreshToken);
  for (const scope of ['user:read reports:read', 'reports:write', 'openid', 'user:read user:READ']) {
    const response = await refresh(api, scene.application, refreshToken, { scope });
    expectOAuthError(t, response, 'invalid_scope', { label: scope });
    t.same(await row(refreshToken), before, scope);
  }
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

t.test('rejects a scope of spaces only, and keeps the token valid', async (t) => {
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene);
  const response = await refresh(api, scene.application, refreshToken, { scope: ' ' });
  expectOAuthError(t, response, 'invalid_scope');
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

t.test('treats an empty scope as omitted', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken, { scope: '' }));
  t.equal(second.scope, first.scope);
});

t.test('rejects each missing parameter with 400, and keeps the token valid', async (t) => {
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene);
  for (const parameter of ['refresh_token', 'client_id', 'grant_type']) {
    const response = await refresh(api, scene.application, refreshToken, { [parameter]: '' });
    expectOAuthError(t, response, 'invalid_request', { parameter });
  }
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

t.test('rejects the token of another client, even after the leeway, and keeps it valid', async (t) => {
  const scene = await createScene(database);
  const stranger = (await createScene(database)).application;
  const sibling = await createApplication(database, scene.accountId, { clientType: 'public' });
  const first = await grantTokens(api, scene);
  for (const other of [stranger, sibling]) {
    expectOAuthError(t, await refresh(api, other, first.refreshToken), 'invalid_grant');
  }
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  clock.advanceSeconds(60);
  // The superseded token: another client cannot revoke the grant with it.
  for (const other of [stranger, sibling]) {
    expectOAuthError(t, await refresh(api, other, first.refreshToken), 'invalid_grant');
  }
  await tokenAccepted(t, api, second.accessToken);
  t.equal((await refresh(api, scene.application, second.refreshToken)).statusCode, 200);
});

t.test('rejects unknown and malformed tokens with 401, an access token among them', async (t) => {
  const scene = await createScene(database);
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  for (const token of [randomId(50), 'x', `${refreshToken} `, refreshToken.slice(1)]) {
    expectOAuthError(t, await refresh(api, scene.application, token), 'invalid_grant', { label: token });
  }
  expectOAuthError(t, await refresh(api, scene.application, accessToken.slice(0, 512)), 'invalid_grant');
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

t.test('a confidential client may omit its secret, and one that is sent is checked', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { clientSecret } = scene.application;
  const first = await grantTokens(api, scene);
  const wrong = await refresh(api, scene.application, first.refreshToken, { client_secret: randomId(52) });
  expectOAuthError(t, wrong, 'invalid_client');
  const second = tokensOf(
    await refresh(api, scene.application, first.refreshToken, { client_secret: clientSecret }),
  );
  t.equal((await refresh(api, scene.application, second.refreshToken)).statusCode, 200);
});

t.test('reuse is rejected and audited, and changes nothing else while the successor is unused', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  for (const seconds of [0, 10, 3_000]) {
    clock.advanceSeconds(seconds);
    expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  }
  await tokenAccepted(t, api, first.accessToken);
  await tokenAccepted(t, api, second.accessToken);
  clock.advanceSeconds(20 * 86_400);
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  t.equal((await refresh(api, scene.application, second.refreshToken)).statusCode, 200);
  t.same(await replaysOf(scene.application.id), []);
  const where = { applicationId: scene.application.id, type: 'refresh_token.reused' };
  t.equal(await database.prisma.auditEvent.count({ where }), 4);
});

t.test('reuse after the successor was used revokes the whole grant and is audited once', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const used = tokensOf(await refresh(api, scene.application, first.refreshToken));
  const second = tokensOf(await refresh(api, scene.application, used.refreshToken));
  const elsewhere = await grantTokens(api, scene);
  clock.advanceSeconds(11);
  const replay = await refresh(api, scene.application, first.refreshToken);
  expectOAuthError(t, replay, 'invalid_grant');
  await expectTokenRejected(t, api, first.accessToken, 'invalid_token');
  await expectTokenRejected(t, api, second.accessToken, 'invalid_token');
  expectOAuthError(t, await refresh(api, scene.application, second.refreshToken), 'invalid_grant');
  await tokenAccepted(t, api, elsewhere.accessToken);

  // Further reuse gets the same response and has no effect.
  clock.advanceSeconds(11);
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  t.match(await replaysOf(scene.application.id), [
    {
      accountId: scene.accountId,
      userId: scene.user.id,
      requestId: replay.headers['x-request-id'],
      createdAt: new Date(clock().getTime() - 11_000),
    },
  ]);
  t.equal((await replaysOf(scene.application.id)).length, 1);
});

t.test(
  'reuse of a token from several rotations ago revokes the grant, also with a narrower scope',
  async (t) => {
    const scene = await createScene(database);
    const first = await grantTokens(api, scene);
    let newest = first;
    for (let rotation = 0; rotation < 3; rotation += 1) {
      clock.advanceSeconds(20);
      newest = tokensOf(await refresh(api, scene.application, newest.refreshToken));
    }
    const replay = await refresh(api, scene.application, first.refreshToken, { scope: 'user:read' });
    expectOAuthError(t, replay, 'invalid_grant');
    await expectTokenRejected(t, api, newest.accessToken, 'invalid_token');
  },
);

t.test('reuse after the grant was revoked is rejected and not audited as theft', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  await revoke(api, scene.application, second.refreshToken);
  const grantId = (await row(second.refreshToken)).grantId;
  const before = await database.prisma.grant.findFirstOrThrow({ where: { id: grantId } });
  clock.advanceSeconds(60);
  for (const token of [first.refreshToken, second.refreshToken]) {
    expectOAuthError(t, await refresh(api, scene.application, token), 'invalid_grant');
  }
  t.same(await database.prisma.grant.findFirstOrThrow({ where: { id: grantId } }), before);
  t.same(await replaysOf(scene.application.id), []);
  const where = { applicationId: scene.application.id, type: 'refresh_token.reused' };
  t.equal(await database.prisma.auditEvent.count({ where }), 0, 'nor as reuse');
});

t.test('rejects the token of a disabled user, and does not consume it', async (t) => {
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene);
  const disable = (disabledAt: Date | null) =>
    database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { disabledAt } });
  await disable(clock());
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  t.equal((await row(refreshToken)).usedAt, null);
  await disable(null);
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
});

for (const [loss, lose] of Object.entries({
  'the user may no longer grant': ({ user }: Scene) =>
    database.prisma.user.updateMany({ where: { id: user.id }, data: { role: 'member' } }),
  'the application has lost': ({ application }: Scene) => removeScope(application.id),
})) {
  t.test(`a scope that ${loss} is in no token, old or new`, async (t) => {
    const scene = await createScene(database, { role: 'admin' });
    const first = await grantTokens(api, scene);
    await tokenAccepted(t, api, first.accessToken);
    await lose(scene);
    await lacksScope(t, first.accessToken);
    const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
    t.equal(second.scope, 'user:read');
    await lacksScope(t, second.accessToken);
  });
}

async function removeScope(applicationId: string): Promise<void> {
  await database.prisma.application.updateMany({
    where: { id: applicationId },
    data: { scopes: ['user:read'] },
  });
}

t.test('a refresh with a scope that the application has lost is invalid_scope', async (t) => {
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene);
  await removeScope(scene.application.id);
  const response = await refresh(api, scene.application, refreshToken, { scope: 'reports:read' });
  expectOAuthError(t, response, 'invalid_scope');
  t.match(response.json().detail, /granted: reports:read\. Available scopes: user:read\.$/);
  t.equal((await refresh(api, scene.application, refreshToken, { scope: 'user:read' })).statusCode, 200);
});

t.test('the error of a refresh names only scopes that were granted and may still be granted', async (t) => {
  const scene = await createScene(database);
  const reading = (await grantTokens(api, scene, { scope: 'reports:read' })).refreshToken;
  const both = (await grantTokens(api, scene)).refreshToken;
  await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { role: 'member' } });
  for (const [token, changes, detail] of [
    [reading, {}, 'reports:read. Available scopes: none.'],
    [both, { scope: 'reports:read user:write' }, 'reports:read, user:write. Available scopes: user:read.'],
  ] as const) {
    const response = await refresh(api, scene.application, token, changes);
    expectOAuthError(t, response, 'invalid_scope');
    t.equal(response.json().detail, `These scopes cannot be granted: ${detail}`);
  }
});
