import type { LightMyRequestResponse } from 'fastify';
import { Grants } from '../../src/oauth/grants/grants.js';
import { isPage } from '../support/browser/pages.js';
import { asOwner } from '../support/database/owner.js';
import {
  authorizationRequest,
  createScene,
  expectTokenRejected,
  grantCode,
  grantTokens,
  refresh,
  revoke,
  type Scene,
  signedInBrowser,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock, signingKeys } = api;
const { prisma } = database;

/** Runs work while the database rejects events of this type, of this account or without an account. */
async function whileRejecting<Result>(
  type: string,
  accountId: string | null,
  act: () => Promise<Result>,
): Promise<Result> {
  const table = accountId === null ? 'system_events' : 'audit_events';
  const account = accountId === null ? 'true' : `account_id = '${accountId}'`;
  await asOwner(
    database,
    `ALTER TABLE ${table} ADD CONSTRAINT refused CHECK (NOT (type = '${type}' AND ${account})) NOT VALID`,
  );
  try {
    return await act();
  } finally {
    await asOwner(database, `ALTER TABLE ${table} DROP CONSTRAINT refused`);
  }
}

async function expectEvents(t: Test, accountId: string | null, type: string, times: number): Promise<void> {
  const count =
    accountId === null
      ? await prisma.systemEvent.count({ where: { type } })
      : await prisma.auditEvent.count({ where: { accountId, type } });
  t.equal(count, times, `${type} ${times} times`);
}

interface Revocation {
  /** Type of the event. */
  readonly type: string;
  readonly accessToken: string;
  readonly act: () => Promise<LightMyRequestResponse>;
  readonly status: 200 | 401;
}

const revocations: Readonly<Record<string, (scene: Scene) => Promise<Revocation>>> = {
  'revokes a grant together with its event or not at all': async (scene) => {
    const { accessToken, refreshToken } = await grantTokens(api, scene);
    const act = () => revoke(api, scene.application, refreshToken);
    return { type: 'grant.revoked', accessToken, act, status: 200 };
  },
  'revokes an access token together with its event or not at all': async (scene) => {
    const { accessToken } = await grantTokens(api, scene);
    const act = () => revoke(api, scene.application, accessToken);
    return { type: 'token.revoked', accessToken, act, status: 200 };
  },
  'the replay of a refresh token revokes the grant together with its event or not at all': async (scene) => {
    const { refreshToken: stolen } = await grantTokens(api, scene);
    const second = tokensOf(await refresh(api, scene.application, stolen));
    const { accessToken } = tokensOf(await refresh(api, scene.application, second.refreshToken));
    const act = () => refresh(api, scene.application, stolen);
    return { type: 'refresh_token.replayed', accessToken, act, status: 401 };
  },
  'the replay of a code revokes the grant together with its event or not at all': async (scene) => {
    const { form } = await grantCode(api, scene);
    const act = () => api.postForm('/v1/oauth/token', form);
    const { accessToken } = tokensOf(await act());
    clock.advanceSeconds(11);
    return { type: 'authorization_code.replayed', accessToken, act, status: 401 };
  },
};

for (const [title, prepare] of Object.entries(revocations)) {
  t.test(title, async (t) => {
    const scene = await createScene(database);
    const { accountId } = scene;
    const { type, accessToken, act, status } = await prepare(scene);
    t.equal((await whileRejecting(type, accountId, act)).statusCode, 500);
    await tokenAccepted(t, api, accessToken);
    await expectEvents(t, accountId, type, 0);

    for (const time of ['the retry', 'once more']) {
      t.equal((await act()).statusCode, status, time);
      await expectTokenRejected(t, api, accessToken, 'invalid_token');
      await expectEvents(t, accountId, type, 1);
    }
  });
}

t.test('removes permissions together with their event or not at all', async (t) => {
  const scene = await createScene(database);
  const { accountId, application, user } = scene;
  await grantTokens(api, scene);
  const removed = () =>
    new Grants(database).removeScopes(
      { accountId, userId: user.id, at: clock(), origin: { address: '192.0.2.1', requestId: 'request' } },
      { applicationId: application.id, scopes: ['user:read'], expected: ['reports:read', 'user:read'] },
    );
  const granted = async () => (await prisma.grant.findFirstOrThrow({ where: { accountId } })).scopes;
  await whileRejecting('grant.scopes_removed', accountId, () => t.rejects(removed()));
  t.same(await granted(), ['reports:read', 'user:read']);
  await expectEvents(t, accountId, 'grant.scopes_removed', 0);
  t.equal(await removed(), 'removed');
  t.same(await granted(), ['user:read']);
  await expectEvents(t, accountId, 'grant.scopes_removed', 1);
});

t.test('stores a code together with both events of the consent or not at all', async (t) => {
  const events = ['consent.allowed', 'authorization_code.issued'];
  for (const refused of events) {
    const scene = await createScene(database);
    const { accountId, application, user } = scene;
    const browser = await signedInBrowser(api, user);
    const { url } = authorizationRequest(scene);
    const page = await browser.open(url);
    const allow = () => browser.submitForm(page, url, { decision: 'allow' });
    const codes = () => prisma.authorizationCode.count({ where: { applicationId: application.id } });
    isPage(t, await whileRejecting(refused, accountId, allow), 500);
    t.equal(await codes(), 0);
    for (const type of events) await expectEvents(t, accountId, type, 0);

    t.match((await allow()).headers.location, /[?&]code=/);
    t.equal(await codes(), 1);
    for (const type of events) await expectEvents(t, accountId, type, 1);
  }
});

t.test('revokes a session together with the event of the sign-out or not at all', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const page = await browser.open('/people');
  const leave = () => browser.submitForm(page, '/sign_out', {});
  isPage(t, await whileRejecting('sign_out', accountId, leave), 500);
  isPage(t, await browser.open('/people'));
  await expectEvents(t, accountId, 'sign_out', 0);

  t.equal((await leave()).statusCode, 303);
  t.equal(await prisma.session.count({ where: { userId: user.id } }), 0);
  await expectEvents(t, accountId, 'sign_out', 1);
});

t.test('rotates signing keys together with their event or not at all', async (t) => {
  const rotate = () => signingKeys.rotate({ tokenTtlSeconds: 3600 });
  const before = await prisma.signingKey.findMany();
  await t.rejects(whileRejecting('signing_key.rotated', null, rotate), /refused/);
  t.same(await prisma.signingKey.findMany(), before);
  await expectEvents(t, null, 'signing_key.rotated', 0);

  const kid = await rotate();
  t.match(await prisma.signingKey.findMany({ where: { retiredAt: null } }), [{ kid }]);
  await expectEvents(t, null, 'signing_key.rotated', 1);
});
