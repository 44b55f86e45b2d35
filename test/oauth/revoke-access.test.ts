import { OAuthApplications } from '../../src/features/oauth-clients/oauth-applications.js';
import { AccessTokens } from '../../src/oauth/tokens/access-tokens.js';
import { openElsewhere, openSharedTestDatabase, testServer } from '../support/database/database.js';
import { untilWaiting } from '../support/database/transaction.js';
import {
  createScene,
  createUser,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  grantTokens,
  hashOf,
  refresh,
  tokenAccepted,
} from '../support/oauth/users.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, createTenant, type TestApplication } from '../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const { database, options } = await openSharedTestDatabase(t);
// Another process has its own connections; the embedded database has one.
const elsewhere = await openElsewhere(t, options, database);
const api = await buildTestApp(t, { database });
const other = await buildTestApp(t, { database: elsewhere, clock: api.clock });
const servers = [api, other] as const;
// The clock is fixed: all tokens of a test are issued in the same second.
const { clock } = api;

/** Revokes access as a separate process. */
const revoke = (accountId: string, { id }: TestApplication) =>
  new OAuthApplications(elsewhere).revokeAccess({ accountId: accountId as never, at: clock() }, id);

const statusOf = async (server: TestApp, token: string) =>
  (await server.get('/v1/employees?page%5Bsize%5D=1', token)).statusCode;

t.test(
  'rejects tokens that were issued before and accepts tokens that are requested after, within one second',
  async (t) => {
    const { accountId, application } = await createTenant(database);
    for (let round = 0; round < 2; round += 1) {
      const [one, another] = round % 2 === 0 ? [api, other] : [other, api];
      const before = [await one.token(application), await another.token(application)];
      for (const token of before) for (const server of servers) await tokenAccepted(t, server, token);
      t.same(await revoke(accountId, application), { revokedGrants: 0, pausedEndpoints: 0 });
      const after = [await one.token(application), await another.token(application)];
      for (const server of servers) {
        for (const token of before) await expectTokenRejected(t, server, token, 'invalid_token');
        for (const token of after) await tokenAccepted(t, server, token);
      }
    }
  },
);

t.test('rejects exactly the earlier tokens while tokens are requested continuously', async (t) => {
  const { accountId, application } = await createTenant(database);
  let phase: 'before' | 'during' | 'after' = 'before';
  const issued: { token: string; requested: string; received: string }[] = [];
  const request = async (server: TestApp) => {
    while (phase !== 'after' || issued.filter(({ requested }) => requested === 'after').length < 6) {
      const requested = phase;
      const token = await server.token(application);
      issued.push({ token, requested, received: phase });
    }
  };
  const requesting = Promise.all([request(api), request(other), request(api), request(other)]);
  await until(() => issued.length >= 8);
  phase = 'during';
  await revoke(accountId, application);
  phase = 'after';
  await requesting;
  const wrong: unknown[] = [];
  for (const { token, requested, received } of issued) {
    const statuses = await Promise.all(servers.map((server) => statusOf(server, token)));
    if (received === 'before' && statuses.some((status) => status !== 401)) wrong.push([received, statuses]);
    if (requested === 'after' && statuses.some((status) => status !== 200)) wrong.push([requested, statuses]);
  }
  t.same(wrong, []);
});

t.test('revokes the grants, refresh tokens and codes of all users', async (t) => {
  const scene = await createScene(database);
  const colleague = await createUser(database, scene.accountId, { role: 'member' });
  const tokens = [
    await grantTokens(api, scene),
    await grantTokens(other, { ...scene, user: colleague }, { scope: 'user:read' }),
  ];
  const { form } = await grantCode(api, scene);
  t.same(await revoke(scene.accountId, scene.application), { revokedGrants: 2, pausedEndpoints: 0 });
  for (const { accessToken, refreshToken } of tokens) {
    for (const server of servers) await expectTokenRejected(t, server, accessToken, 'invalid_token');
    expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  }
  expectOAuthError(t, await other.postForm('/v1/oauth/token', form), 'invalid_grant');
  const again = await grantTokens(api, scene);
  for (const server of servers) await tokenAccepted(t, server, again.accessToken);
  t.equal((await refresh(other, scene.application, again.refreshToken)).statusCode, 200);
});

t.test('does not change other applications of the account', async (t) => {
  const { accountId, application } = await createTenant(database);
  const neighbor = await createApplication(database, accountId);
  const token = await api.token(neighbor);
  await revoke(accountId, application);
  await tokenAccepted(t, other, token);
});

t.test('does not know an application of another account', async (t) => {
  const [mine, theirs] = [await createTenant(database), await createTenant(database)];
  const token = await api.token(theirs.application);
  t.equal(await revoke(mine.accountId, theirs.application), null);
  t.equal(await revoke(mine.accountId, { ...theirs.application, id: 'nothing' }), null);
  await tokenAccepted(t, other, token);
  const where = { type: 'application.access_revoked', accountId: { in: [mine.accountId, theirs.accountId] } };
  t.equal(await database.prisma.auditEvent.count({ where }), 0);
});

t.test('rejects tokens from before there were generations', async (t) => {
  const { accountId, application } = await createTenant(database);
  const { clientId } = application;
  const earlier = new AccessTokens(api.signingKeys, { issuer: 'http://api.test', ttlSeconds: 3600, clock });
  const token = earlier.issue({ subject: clientId, clientId, scopes: ['reports:read'], resources: ['api'] });
  t.notMatch(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(), /generation/);
  await tokenAccepted(t, api, token);
  await revoke(accountId, application);
  for (const server of servers) await expectTokenRejected(t, server, token, 'invalid_token');
});

t.test('stores one event with what was revoked', async (t) => {
  const scene = await createScene(database, { name: 'Bridge' });
  await grantTokens(api, scene);
  clock.advanceSeconds(1);
  await revoke(scene.accountId, scene.application);
  const { id: applicationId, clientId } = scene.application;
  const events = await database.prisma.auditEvent.findMany({
    where: { applicationId, createdAt: clock() },
  });
  t.match(events, [
    {
      type: 'application.access_revoked',
      accountId: scene.accountId,
      userId: null,
      details: { name: 'Bridge', client_id: clientId, revoked_grants: '1', paused_webhook_endpoints: '0' },
    },
  ]);
  t.equal(events.length, 1);
});

t.test('pauses the webhook endpoints of the application, and no others', async (t) => {
  const { accountId, application } = await createTenant(database);
  const neighbor = await createApplication(database, accountId);
  const create = async (owner: TestApplication) => {
    const body = { url: 'https://partner.example/hook' };
    const created = await sendJson(api, {
      url: '/v1/webhook_endpoints',
      token: await api.token(owner),
      body,
    });
    return created.json().data.id as string;
  };
  const ids = [await create(application), await create(application), await create(neighbor)];
  const failing = { pausedAt: clock(), pauseReason: 'failing' };
  const where = { accountId, id: ids[1] ?? '' };
  await database.prisma.webhookEndpoint.updateMany({ where, data: failing });
  t.same(await revoke(accountId, application), { revokedGrants: 0, pausedEndpoints: 1 });
  const stored = await database.prisma.webhookEndpoint.findMany({ where: { accountId } });
  const reasons = ids.map((id) => stored.find((endpoint) => endpoint.id === id)?.pauseReason);
  t.same(reasons, ['revoked', 'failing', null]);
  const event = await database.prisma.auditEvent.findFirstOrThrow({
    where: { accountId, type: 'application.access_revoked' },
  });
  t.match(event.details, { paused_webhook_endpoints: '1' });
});

t.test(
  'a request that was authenticated before the revocation neither creates nor changes a webhook endpoint',
  async (t) => {
    const { accountId, application } = await createTenant(database);
    let isArmed = false;
    // Before the transaction of the request.
    const $transaction: typeof database.prisma.$transaction = async (...args: [never]) => {
      if (isArmed) await revoke(accountId, application);
      return database.prisma.$transaction(...args);
    };
    const prisma = Object.create(database.prisma, { $transaction: { value: $transaction } });
    const held = await buildTestApp(t, { database: { ...database, prisma }, clock });
    const send = async (method: 'POST' | 'PATCH', path: string, body: object) => {
      const token = await held.token(application);
      isArmed = true;
      const response = await sendJson(held, { method, url: `/v1/webhook_endpoints${path}`, token, body });
      isArmed = false;
      return response;
    };
    const url = 'https://partner.example/hook';
    const created = await sendJson(api, {
      url: '/v1/webhook_endpoints',
      token: await api.token(application),
      body: { url },
    });
    const { id } = created.json().data;
    t.match((await send('POST', '', { url })).json(), { status: 401, code: 'invalid_token' });
    t.equal((await send('POST', `/${id}/resumptions`, {})).statusCode, 404);
    t.equal((await send('PATCH', `/${id}`, { url: 'https://attacker.example/' })).statusCode, 404);
    const stored = await database.prisma.webhookEndpoint.findMany({ where: { accountId } });
    t.match(stored, [{ id, url, pauseReason: 'revoked' }]);
    t.equal(stored.length, 1);
  },
);

t.test(
  'revokes the grant of an exchange that was under way',
  { skip: testServer === undefined && 'transactions of the embedded database take turns' },
  async (t) => {
    const scene = await createScene(database);
    const { code } = await grantCode(api, scene);
    const [userId, applicationId] = [scene.user.id, scene.application.id];
    const { revoked } = await database.prisma.$transaction(async (tx) => {
      // The effects of the statement of the exchange.
      const grant = { id: `grant${userId}`, accountId: scene.accountId, applicationId, userId };
      await tx.grant.create({ data: grant });
      await tx.authorizationCode.update({
        where: { codeHash: hashOf(code) },
        data: { usedAt: clock(), grantId: grant.id },
      });
      const revoked = revoke(scene.accountId, scene.application);
      await untilWaiting(database, 1);
      return { revoked };
    });
    t.same(await revoked, { revokedGrants: 1, pausedEndpoints: 0 });
    t.equal(await database.prisma.grant.count({ where: { applicationId, revokedAt: null } }), 0);
  },
);
