import { Housekeeping } from '../../src/process/housekeeping.js';
import { testServer } from '../support/database/database.js';
import {
  createScene,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  grantTokens,
  hashOf,
  refresh,
  type Scene,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const exchange = (form: Record<string, string>) => api.postForm('/v1/oauth/token', form);

type Replay = 'refresh_token.replayed' | 'authorization_code.replayed';

/** Expects that the grants of the application are not revoked, and that no replay was audited. */
async function inForce(t: Test, { application }: Scene, accessToken: string): Promise<void> {
  await tokenAccepted(t, api, accessToken);
  const where = { applicationId: application.id };
  t.equal(await database.prisma.grant.count({ where: { ...where, revokedAt: { not: null } } }), 0);
  const type = { in: ['refresh_token.replayed', 'authorization_code.replayed'] };
  t.equal(await database.prisma.auditEvent.count({ where: { ...where, type } }), 0);
}

/** Expects that the only grant of the application was revoked, and that the replay was audited once. */
async function revokedFor(t: Test, scene: Scene, type: Replay, accessToken: string): Promise<void> {
  const { application, accountId, user } = scene;
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  const [grant, ...more] = await database.prisma.grant.findMany({ where: { applicationId: application.id } });
  t.same(more, []);
  t.same(grant?.revokedAt, clock());
  const events = await database.prisma.auditEvent.findMany({
    where: { applicationId: application.id, type: { in: [type, 'grant.revoked'] } },
  });
  t.match(events, [{ type, accountId, userId: user.id, createdAt: clock(), details: { grant: grant?.id } }]);
  t.equal(events.length, 1, 'once');
}

t.test(
  'reuse of a refresh token within the leeway revokes the grant once its successor was used',
  async (t) => {
    const scene = await createScene(database);
    const first = await grantTokens(api, scene);
    const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
    for (const seconds of [0, 5]) {
      clock.advanceSeconds(seconds);
      expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
      await inForce(t, scene, second.accessToken);
    }
    const third = tokensOf(await refresh(api, scene.application, second.refreshToken));
    await inForce(t, scene, third.accessToken);
    clock.advanceSeconds(1);
    expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
    await revokedFor(t, scene, 'refresh_token.replayed', third.accessToken);
    expectOAuthError(t, await refresh(api, scene.application, third.refreshToken), 'invalid_grant');
    expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
    await revokedFor(t, scene, 'refresh_token.replayed', third.accessToken);
  },
);

t.test('reuse of a refresh token at the time of its rotation revokes the grant too', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  const third = tokensOf(await refresh(api, scene.application, second.refreshToken));
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  await revokedFor(t, scene, 'refresh_token.replayed', third.accessToken);
});

t.test('reuse of the newest used token within the leeway is a retry, however many came before', async (t) => {
  const scene = await createScene(database);
  let tokens = await grantTokens(api, scene);
  let previous = tokens;
  for (let rotation = 0; rotation < 3; rotation += 1) {
    previous = tokens;
    tokens = tokensOf(await refresh(api, scene.application, previous.refreshToken));
    expectOAuthError(t, await refresh(api, scene.application, previous.refreshToken), 'invalid_grant');
  }
  await inForce(t, scene, tokens.accessToken);
  t.equal((await refresh(api, scene.application, tokens.refreshToken)).statusCode, 200);
});

t.test('a failed use of the successor does not count as use', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene, { scope: 'user:read' });
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  const tooMuch = await refresh(api, scene.application, second.refreshToken, { scope: 'reports:read' });
  expectOAuthError(t, tooMuch, 'invalid_scope');
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  t.equal((await refresh(api, scene.application, second.refreshToken)).statusCode, 200);
});

t.test(
  'reuse by another client within the leeway revokes nothing, whatever happened to the successor',
  async (t) => {
    const scene = await createScene(database);
    const stranger = (await createScene(database)).application;
    const first = await grantTokens(api, scene);
    const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
    const third = tokensOf(await refresh(api, scene.application, second.refreshToken));
    expectOAuthError(t, await refresh(api, stranger, first.refreshToken), 'invalid_grant');
    await inForce(t, scene, third.accessToken);
  },
);

t.test('a token that was used before successors were stored is checked by the leeway alone', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  await database.prisma.refreshToken.update({
    where: { tokenHash: hashOf(first.refreshToken) },
    data: { successorHash: null },
  });
  const third = tokensOf(await refresh(api, scene.application, second.refreshToken));
  for (const seconds of [0, 10]) {
    clock.advanceSeconds(seconds);
    expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
    await inForce(t, scene, third.accessToken);
  }
  clock.advanceSeconds(0.001);
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  await revokedFor(t, scene, 'refresh_token.replayed', third.accessToken);
});

t.test('replay of a code within the leeway revokes the grant once its refresh token was used', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const first = tokensOf(await exchange(form));
  clock.advanceSeconds(5);
  expectOAuthError(t, await exchange(form), 'invalid_grant');
  await inForce(t, scene, first.accessToken);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  expectOAuthError(t, await exchange({ ...form, code_verifier: 'x'.repeat(43) }), 'invalid_grant');
  await inForce(t, scene, second.accessToken);
  expectOAuthError(t, await exchange(form), 'invalid_grant');
  await revokedFor(t, scene, 'authorization_code.replayed', second.accessToken);
  expectOAuthError(t, await refresh(api, scene.application, second.refreshToken), 'invalid_grant');
});

const many = testServer === undefined ? 8 : 100;

/** Sends the same request many times at once, and returns the statuses of the responses. */
async function atOnce(send: () => Promise<{ statusCode: number; body: string }>) {
  const responses = await Promise.all(Array.from({ length: many }, send));
  return {
    winners: responses.filter(({ statusCode }) => statusCode === 200),
    losers: responses.filter(({ statusCode }) => statusCode === 401),
  };
}

for (const kind of ['refresh token', 'code'] as const) {
  t.test(`one of many concurrent uses of a ${kind} succeeds, and no other revokes the grant`, async (t) => {
    const scene = await createScene(database);
    const { form } = await grantCode(api, scene);
    const first = kind === 'code' ? undefined : tokensOf(await exchange(form));
    const use = () =>
      first === undefined ? exchange(form) : refresh(api, scene.application, first.refreshToken);
    const { winners, losers } = await atOnce(use);
    t.equal(winners.length, 1);
    t.equal(losers.length, many - 1);
    const { access_token, refresh_token } = JSON.parse(winners[0]?.body ?? '{}');
    await inForce(t, scene, access_token);

    const next = tokensOf(await refresh(api, scene.application, refresh_token));
    await inForce(t, scene, next.accessToken);
    const replays = await atOnce(use);
    t.equal(replays.losers.length, many);
    const type = first === undefined ? 'authorization_code.replayed' : 'refresh_token.replayed';
    await revokedFor(t, scene, type, next.accessToken);
  });
}

t.test(
  'concurrent uses of a token and its successor leave no valid token after the grant was revoked',
  async (t) => {
    for (let round = 0; round < (testServer === undefined ? 2 : 10); round += 1) {
      const scene = await createScene(database);
      const first = await grantTokens(api, scene);
      const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
      const [replay, next] = await Promise.all([
        refresh(api, scene.application, first.refreshToken),
        refresh(api, scene.application, second.refreshToken),
      ]);
      expectOAuthError(t, replay, 'invalid_grant');
      // In either order: the grant and its new tokens are valid, or all its tokens are invalid.
      const where = { applicationId: scene.application.id, revokedAt: { not: null } };
      const revoked = (await database.prisma.grant.count({ where })) > 0;
      const last = next.statusCode === 200 ? tokensOf(next) : second;
      const expected = next.statusCode === 200 && !revoked ? 200 : 401;
      t.equal((await refresh(api, scene.application, last.refreshToken)).statusCode, expected);
      t.equal((await api.get('/v1/employees', last.accessToken)).statusCode, revoked ? 401 : 200);
    }
  },
);

t.test('housekeeping deletes tokens with their successors', async (t) => {
  const scene = await createScene(database);
  let { refreshToken } = await grantTokens(api, scene);
  for (let rotation = 0; rotation < 2; rotation += 1) {
    clock.advanceSeconds(86_400);
    ({ refreshToken } = tokensOf(await refresh(api, scene.application, refreshToken)));
  }
  const where = { grant: { applicationId: scene.application.id } };
  t.equal(await database.prisma.refreshToken.count({ where }), 3);
  for (const left of [2, 1, 0]) {
    const [next] = await database.prisma.refreshToken.findMany({ where, orderBy: { expiresAt: 'asc' } });
    const overSince = (next?.expiresAt ?? clock()).getTime() + 86_400_000;
    await new Housekeeping(database, { eventRetentionDays: 30, historyRetentionDays: 30 }).prune(
      new Date(overSince + 1000),
    );
    t.equal(await database.prisma.refreshToken.count({ where }), left);
  }
  t.equal(await database.prisma.grant.count({ where: { applicationId: scene.application.id } }), 0);
});
