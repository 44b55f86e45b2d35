import { UserAdministration } from '../../src/features/users/user-administration.js';
import type { AuditContext } from '../../src/platform/audit/audit-log.js';
import { Browser } from '../support/browser/browser.js';
import { openElsewhere, openSharedTestDatabase } from '../support/database/database.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  grantTokens,
  refresh,
  type Scene,
  signedInBrowser,
  tokenAccepted,
} from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestSecurityEmails } from '../support/server/test-security-emails.js';
import t from '../support/tap.js';

const { database, options } = await openSharedTestDatabase(t);
// On PostgreSQL a second process would have its own connections; the embedded database has one.
const elsewhere = await openElsewhere(t, options, database);

const environment = { RATE_LIMIT_FAILURES: '0' };
const api = await buildTestApp(t, { database, environment });
const other = await buildTestApp(t, { database: elsewhere, clock: api.clock, environment });
const { clock } = api;

const users = new UserAdministration(database, createTestSecurityEmails(database, clock));
const operator = ({ accountId }: Pick<Scene, 'accountId'>): AuditContext => ({ accountId, at: clock() });

/** A user whose account has another owner, so that the user is not its last owner. */
async function sceneWithColleague(options: Parameters<typeof createScene>[1] = {}) {
  const scene = await createScene(database, options);
  return { ...scene, colleague: await createUser(database, scene.accountId) };
}

const eventsOf = (accountId: string, type: { startsWith: string } | string) =>
  database.prisma.auditEvent.findMany({
    where: { accountId, type },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });

const stateOf = async ({ user }: Pick<Scene, 'user'>) => ({
  sessions: await database.prisma.session.count({ where: { userId: user.id } }),
  grants: await database.prisma.grant.count({ where: { userId: user.id, revokedAt: null } }),
  codes: await database.prisma.authorizationCode.count({ where: { userId: user.id, usedAt: null } }),
});

t.test(
  'rejects tokens, codes and sessions of a user in every process once the user is disabled',
  async (t) => {
    const scene = await sceneWithColleague();
    const { accessToken, refreshToken } = await grantTokens(api, scene);
    const { form } = await grantCode(api, scene);
    const browsers = [await signedInBrowser(api, scene.user), await signedInBrowser(other, scene.user)];
    const { url } = authorizationRequest(scene);
    for (const server of [api, other]) await tokenAccepted(t, server, accessToken);
    for (const browser of browsers) t.equal((await browser.open(url)).statusCode, 200);

    const outcome = await users.disable(operator(scene), scene.user.id);
    t.match(outcome, { kind: 'changed', revokedGrants: 1 });

    for (const server of [api, other]) await expectTokenRejected(t, server, accessToken, 'invalid_token');
    for (const browser of browsers) t.equal((await browser.open(url)).statusCode, 302);
    expectOAuthError(t, await refresh(other, scene.application, refreshToken), 'invalid_grant');
    expectOAuthError(t, await other.postForm('/v1/oauth/token', form), 'invalid_grant');
    const { email, password } = scene.user;
    t.equal((await new Browser(other.app).signIn(email, password)).statusCode, 401);
    t.same(await stateOf(scene), { sessions: 0, grants: 0, codes: 0 });
  },
);

t.test('does not restore sessions, grants or codes when a user is enabled again', async (t) => {
  const scene = await sceneWithColleague();
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const { form } = await grantCode(api, scene);
  const browser = await signedInBrowser(api, scene.user);
  await users.disable(operator(scene), scene.user.id);
  // A concurrent consent may store its code just after that.
  const code = { redirectUri: scene.redirectUri, codeChallenge: 'x', scopes: ['user:read'] };
  await database.prisma.authorizationCode.create({
    data: {
      ...code,
      codeHash: Buffer.from('late'),
      accountId: scene.accountId,
      userId: scene.user.id,
      applicationId: scene.application.id,
      expiresAt: new Date(clock().getTime() + 60_000),
    },
  });
  t.match(await users.enable(operator(scene), scene.user.id), { kind: 'changed' });

  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 302);
  t.same(await stateOf(scene), { sessions: 0, grants: 0, codes: 0 });
  const { email, password } = scene.user;
  t.equal((await new Browser(other.app).signIn(email, password)).statusCode, 303);
  await tokenAccepted(t, api, (await grantTokens(api, scene)).accessToken);
});

t.test('does not change other users and applications when a user is disabled', async (t) => {
  const scene = await sceneWithColleague();
  const { colleague, accountId } = scene;
  const theirs = await grantTokens(api, { ...scene, user: colleague });
  const browser = await signedInBrowser(api, colleague);
  const own = await api.token(await createApplication(database, accountId));
  await users.disable(operator(scene), scene.user.id);
  for (const token of [own, theirs.accessToken]) await tokenAccepted(t, api, token);
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 200);
});

t.test('revokes what the new role may not grant, and nothing else, when a user is demoted', async (t) => {
  const scene = await sceneWithColleague();
  const wide = await grantTokens(api, scene, { scope: 'reports:read user:read' });
  const narrow = await grantTokens(api, scene, { scope: 'user:read' });
  const wideCode = await grantCode(api, scene, { scope: 'reports:read' });
  const narrowCode = await grantCode(api, scene, { scope: 'user:read' });

  const toAdmin = await users.setRole(operator(scene), scene.user.id, 'admin');
  t.match(toAdmin, { kind: 'changed', revokedGrants: 0 }, 'an administrator may grant the same');
  clock.advanceSeconds(1);
  const outcome = await users.setRole(operator(scene), scene.user.id, 'member');
  t.match(outcome, { kind: 'changed', revokedGrants: 1, revokedSessions: 0 });

  await expectTokenRejected(t, other, wide.accessToken, 'invalid_token');
  expectOAuthError(t, await refresh(other, scene.application, wide.refreshToken), 'invalid_grant');
  expectOAuthError(t, await other.postForm('/v1/oauth/token', wideCode.form), 'invalid_grant');
  t.equal((await other.get('/v1/users/me', narrow.accessToken)).statusCode, 200);
  t.equal((await refresh(other, scene.application, narrow.refreshToken)).statusCode, 200);
  t.equal((await other.postForm('/v1/oauth/token', narrowCode.form)).statusCode, 200);

  clock.advanceSeconds(1);
  t.match(await users.setRole(operator(scene), scene.user.id, 'owner'), {
    kind: 'changed',
    revokedGrants: 0,
  });
  await expectTokenRejected(t, api, wide.accessToken, 'invalid_token');
  t.same(
    (await eventsOf(scene.accountId, 'user.role_changed')).map(({ details }) => details).map(withoutUser),
    [
      { from: 'owner', to: 'admin' },
      { from: 'admin', to: 'member' },
      { from: 'member', to: 'owner' },
    ],
  );
});

function withoutUser(details: unknown): object {
  const { user, email, ...rest } = details as Record<string, string>;
  return rest;
}

t.test('revokes the sessions and keeps the grants when a password is replaced', async (t) => {
  const scene = await createScene(database);
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const browser = await signedInBrowser(other, scene.user);
  const password = 'another long password';
  const outcome = await users.setPassword(operator(scene), scene.user.id, password);
  t.match(outcome, { kind: 'changed', revokedGrants: 0 });
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 302);
  t.equal((await new Browser(other.app).signIn(scene.user.email, scene.user.password)).statusCode, 401);
  t.equal((await new Browser(other.app).signIn(scene.user.email, password)).statusCode, 303);
  await tokenAccepted(t, other, accessToken);
  t.equal((await refresh(other, scene.application, refreshToken)).statusCode, 200);
  t.match(await users.setPassword(operator(scene), scene.user.id, 'too short'), {
    kind: 'invalid_password',
    error: { rule: 'minimum_length', params: { minimum: 12 } },
  });
  t.equal((await new Browser(api.app).signIn(scene.user.email, password)).statusCode, 303);
});

t.test('keeps the last enabled owner of an account', async (t) => {
  const scene = await createScene(database);
  const { id } = scene.user;
  const retired = await createUser(database, scene.accountId);
  await users.disable(operator(scene), retired.id);
  await createUser(database, scene.accountId, { role: 'admin' });
  // An owner of another account does not count.
  await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  t.same(await users.disable(operator(scene), id), { kind: 'last_owner' });
  for (const role of ['admin', 'member'] as const) {
    t.same(await users.setRole(operator(scene), id, role), { kind: 'last_owner' });
  }
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 200, 'nothing was revoked');
  t.same(await eventsOf(scene.accountId, { startsWith: 'user.role' }), []);
  t.match(
    await users.setRole(operator(scene), retired.id, 'member'),
    { kind: 'changed' },
    'a disabled owner can be demoted',
  );
  t.same(await users.disable(operator(scene), id), { kind: 'last_owner' });
});

t.test('does not take an application without a user for the operator', async (t) => {
  const { accountId, user, application } = await sceneWithColleague();
  const context = { ...operator({ accountId }), applicationId: application.id, userId: null };
  t.same(await users.disable(context, user.id), { kind: 'forbidden' });
});

t.test('does not know a user of another account', async (t) => {
  const scene = await sceneWithColleague();
  const stranger = operator(await createScene(database));
  const browser = await signedInBrowser(api, scene.user);
  for (const outcome of [
    await users.disable(stranger, scene.user.id),
    await users.enable(stranger, scene.user.id),
    await users.setRole(stranger, scene.user.id, 'member'),
    await users.setPassword(stranger, scene.user.id, 'another long password'),
    await users.revokeSessions(stranger, scene.user.id),
    await users.disable(operator(scene), 'nobody'),
  ]) {
    t.same(outcome, { kind: 'not_found' });
  }
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 200);
});

t.test('audits each change with the user, and each grant that is revoked', async (t) => {
  const scene = await sceneWithColleague();
  const { colleague, accountId } = scene;
  const { id: user, email } = scene.user;
  await grantTokens(api, scene);
  const origin = { address: '192.0.2.44', requestId: 'the-request' };
  const context = () => ({ accountId, userId: colleague.id, origin, at: clock() });
  const who = { accountId, userId: colleague.id, address: origin.address, requestId: origin.requestId };
  for (const [type, change, details] of [
    ['user.disabled', () => users.disable(context(), user), {}],
    ['user.enabled', () => users.enable(context(), user), {}],
    ['user.role_changed', () => users.setRole(context(), user, 'member'), { from: 'owner', to: 'member' }],
    ['user.password_changed', () => users.setPassword(context(), user, 'another long password'), {}],
  ] as const) {
    clock.advanceSeconds(1);
    await change();
    const events = await eventsOf(accountId, type);
    t.equal(events.length, 1, type);
    t.match(events[0], { ...who, createdAt: clock() });
    t.same(events[0]?.details, { user, email, ...details });
  }
  const [grant] = await database.prisma.grant.findMany({ where: { userId: user } });
  const revoked = await eventsOf(accountId, 'grant.revoked');
  t.equal(revoked.length, 1);
  t.match(revoked[0], { ...who, applicationId: scene.application.id });
  t.same(revoked[0]?.details, { grant: grant?.id, user, email });
});
