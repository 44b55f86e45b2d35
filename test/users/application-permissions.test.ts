import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { type Browser, hiddenFields } from '../support/browser/browser.js';
import { connectedPath, expectRedirect, isPage } from '../support/browser/pages.js';
import {
  createScene,
  createUser,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  grantTokens,
  refresh,
  type Scene,
  signedInBrowser,
  tokensOf,
} from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;

const scope = 'reports:read reports:write user:read';
const permissionsPath = (id: string) => `${connectedPath}/${id}/permissions`;

/** Submits the form of an opened page, with these permissions selected. */
function submit(
  browser: Browser,
  page: LightMyRequestResponse,
  { application: { id } }: Pick<Scene, 'application'>,
  scopes: readonly string[],
) {
  return browser.submit(permissionsPath(id), [
    ...Object.entries(hiddenFields(page.body)),
    ...scopes.map((name) => ['scopes', name]),
  ]);
}

/** Removes all permissions but these, as the user of the scene. */
async function keep(t: Test, scene: Scene, scopes: readonly string[]): Promise<void> {
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  isPage(t, page);
  const response = await submit(browser, page, scene, scopes);
  expectRedirect(t, response, `${connectedPath}?notice=permissions_saved`);
}

/** Status of a read of employees and of a read of the profile with an access token. */
async function statuses(accessToken: string): Promise<number[]> {
  const urls = ['/v1/employees', '/v1/users/me'];
  return Promise.all(urls.map(async (url) => (await api.get(url, accessToken)).statusCode));
}

const checkedOn = ({ body }: LightMyRequestResponse) =>
  [...body.matchAll(/<input type="checkbox" name="scopes" value="([^"]*)" checked/g)].map(([, name]) => name);

const eventsOf = ({ accountId }: Scene, type = 'grant.scopes_removed') =>
  prisma.auditEvent.findMany({ where: { accountId, type }, orderBy: { id: 'asc' } });

const scopesOf = async ({ accountId }: Scene) =>
  (await prisma.grant.findMany({ where: { accountId, revokedAt: null } })).map(({ scopes }) => scopes);

t.test(
  'a removed permission is rejected in every access token at once, and the others are kept',
  async (t) => {
    const scene = await createScene(database);
    const mine = [await grantTokens(api, scene, { scope }), await grantTokens(api, scene, { scope })];
    for (const { accessToken } of mine) t.same(await statuses(accessToken), [200, 200]);
    await keep(t, scene, ['user:read']);
    for (const { accessToken } of mine) {
      const response = await api.get('/v1/employees', accessToken);
      t.equal(response.statusCode, 403);
      t.equal(response.json().code, 'insufficient_scope');
      t.same(await statuses(accessToken), [403, 200]);
    }
    const page = await (await signedInBrowser(api, scene.user)).open(connectedPath);
    t.match(page.body, /Your|your profile/);
    t.notMatch(page.body, /saved reports/);
    t.notMatch(page.body, permissionsPath(scene.application.id), 'the last permission cannot be removed');
  },
);

t.test('a refresh returns the remaining scopes only, and a removed scope is invalid_scope', async (t) => {
  const scene = await createScene(database);
  let { refreshToken } = await grantTokens(api, scene, { scope });
  await keep(t, scene, ['reports:read', 'user:read']);
  for (const requested of ['reports:write', 'reports:read reports:write', scope]) {
    const response = await refresh(api, scene.application, refreshToken, { scope: requested });
    expectOAuthError(t, response, 'invalid_scope', { label: requested });
    t.notMatch(response.json().detail, /Available scopes: .*reports:write/);
  }
  for (const round of ['the next token', 'its successor']) {
    const tokens = tokensOf(await refresh(api, scene.application, refreshToken));
    t.equal(tokens.scope, 'reports:read user:read', round);
    t.equal(decodeJwt(tokens.accessToken).scope, 'reports:read user:read', round);
    refreshToken = tokens.refreshToken;
  }
  await keep(t, scene, ['user:read']);
  t.equal(tokensOf(await refresh(api, scene.application, refreshToken)).scope, 'user:read');
});

t.test('refreshes that run at the same time give no token the removed scope', async (t) => {
  const scene = await createScene(database);
  const grants = await Promise.all(Array.from({ length: 8 }, () => grantTokens(api, scene, { scope })));
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  const [removed, ...refreshed] = await Promise.all([
    submit(browser, page, scene, ['user:read']),
    ...grants.map(({ refreshToken }) => refresh(api, scene.application, refreshToken)),
  ]);
  expectRedirect(t, removed, /permissions_saved/);
  for (const response of refreshed) {
    const { accessToken, refreshToken } = tokensOf(response);
    t.same(await statuses(accessToken), [403, 200]);
    t.equal(tokensOf(await refresh(api, scene.application, refreshToken)).scope, 'user:read');
  }
});

t.test('each changed grant has an audit event with the scopes before and after', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope });
  await grantTokens(api, scene, { scope: 'user:read' });
  await keep(t, scene, ['reports:read', 'user:read']);
  const events = await eventsOf(scene);
  t.equal(events.length, 1);
  t.match(events, [
    {
      userId: scene.user.id,
      applicationId: scene.application.id,
      details: {
        before: ['reports:read', 'reports:write', 'user:read'],
        after: ['reports:read', 'user:read'],
      },
    },
  ]);
  t.ok(events[0]?.requestId);
});

t.test('a grant without remaining scopes is revoked', async (t) => {
  const scene = await createScene(database);
  const reading = await grantTokens(api, scene, { scope: 'reports:read' });
  const profile = await grantTokens(api, scene, { scope: 'user:read' });
  await keep(t, scene, ['user:read']);
  await expectTokenRejected(t, api, reading.accessToken, 'invalid_token');
  const rejected = await refresh(api, scene.application, reading.refreshToken);
  expectOAuthError(t, rejected, 'invalid_grant');
  t.same(await statuses(profile.accessToken), [403, 200]);
  const events = await eventsOf(scene, 'grant.revoked');
  t.equal(events.length, 1);
  t.same(Object.keys(events[0]?.details ?? {}), ['grant']);
  t.equal((await eventsOf(scene)).length, 0);
});

t.test('an unused code with a removed scope issues no tokens', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope });
  const wide = await grantCode(api, scene, { scope });
  const narrow = await grantCode(api, scene, { scope: 'user:read' });
  await keep(t, scene, ['user:read']);
  expectOAuthError(t, await api.postForm('/v1/oauth/token', wide.form), 'invalid_grant');
  t.equal((await api.postForm('/v1/oauth/token', narrow.form)).json().scope, 'user:read');
});

t.test('an application that exchanges a code meanwhile gets no removed scope', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope });
  const codes = await Promise.all(Array.from({ length: 8 }, () => grantCode(api, scene, { scope })));
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  const [removed, ...exchanged] = await Promise.all([
    submit(browser, page, scene, ['user:read']),
    ...codes.map(({ form }) => api.postForm('/v1/oauth/token', form)),
  ]);
  expectRedirect(t, removed, /permissions_saved/);
  for (const response of exchanged) {
    if (response.statusCode === 200) t.same(await statuses(tokensOf(response).accessToken), [403, 200]);
    else expectOAuthError(t, response, 'invalid_grant');
  }
});

t.test('a scope that the application lost is removed too, and does not return with it', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene, { scope });
  const configure = (scopes: string[]) =>
    prisma.application.updateMany({ where: { id: scene.application.id }, data: { scopes } });
  await configure(['reports:write', 'user:read']);
  await keep(t, scene, ['user:read']);
  await configure(scope.split(' '));
  t.same(await statuses(accessToken), [403, 200]);
  t.same(await scopesOf(scene), [['user:read']]);
});

t.test('no permission, or one that was not granted, is not saved', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  for (const scopes of [[], ['webhooks:write'], ['user:write', 'reports'], ['']]) {
    const response = await submit(browser, page, scene, scopes);
    isPage(t, response, 400, scopes.join());
    t.match(response.body, /Keep at least one permission/);
  }
  const added = await submit(browser, page, scene, [...scope.split(' '), 'user:write', 'webhooks:read']);
  expectRedirect(t, added, /permissions_saved/);
  t.same(await scopesOf(scene), [scope.split(' ')]);
  t.equal((await eventsOf(scene)).length, 0, 'an unchanged form is not an event');
});

t.test('no other user can change the permissions, and an unknown application looks the same', async (t) => {
  const scene = await createScene(database, { role: 'admin' });
  const { accessToken } = await grantTokens(api, scene, { scope });
  const elsewhere = await createScene(database);
  for (const stranger of [await createUser(database, scene.accountId), elsewhere.user]) {
    const browser = await signedInBrowser(api, stranger);
    const page = await browser.open(connectedPath);
    const unknown = await browser.open(permissionsPath('x'.repeat(24)));
    const own = await createApplication(database, stranger.accountId);
    for (const id of [scene.application.id, own.id]) {
      const opened = await browser.open(permissionsPath(id));
      isPage(t, opened, 404);
      const text = ({ body }: LightMyRequestResponse) => /<main.*<\/main>/s.exec(body)?.[0];
      t.equal(text(opened)?.replaceAll(/[\w-]{16,}/g, ''), text(unknown)?.replaceAll(/[\w-]{16,}/g, ''));
      isPage(t, await submit(browser, page, { application: { ...own, id } }, ['user:read']), 404);
    }
  }
  t.same(await statuses(accessToken), [200, 200]);
  t.same(await scopesOf(scene), [scope.split(' ')]);
});

t.test('a form without the token of its session changes nothing', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  const { csrf_token: _, ...fields } = hiddenFields(page.body);
  const response = await browser.submit(permissionsPath(scene.application.id), {
    ...fields,
    scopes: 'user:read',
  });
  t.equal(response.statusCode, 403);
  t.same(await scopesOf(scene), [scope.split(' ')]);
});

t.test('a second form that was opened before a removal conflicts, and shows both', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  t.same(checkedOn(page), scope.split(' '));
  await keep(t, scene, ['reports:read', 'user:read']);

  const unchanged = await submit(browser, page, scene, scope.split(' '));
  expectRedirect(t, unchanged, /permissions_saved/);
  t.same(await scopesOf(scene), [['reports:read', 'user:read']], 'an unchanged form restores nothing');

  const conflict = await submit(browser, page, scene, ['reports:read', 'reports:write']);
  isPage(t, conflict, 409);
  t.match(conflict.body, /Permissions: another user changed this/);
  t.same(checkedOn(conflict), ['reports:read'], 'a removed permission cannot be kept');
  t.same(await scopesOf(scene), [['reports:read', 'user:read']]);
  expectRedirect(t, await submit(browser, conflict, scene, ['reports:read']), /permissions_saved/);
  t.same(await scopesOf(scene), [['reports:read']]);
});

t.test('a permission that was granted meanwhile is not removed without having been shown', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope: 'reports:read user:read' });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  await grantTokens(api, scene, { scope: 'user:write' });
  const conflict = await submit(browser, page, scene, ['user:read']);
  isPage(t, conflict, 409);
  t.same((await scopesOf(scene)).toSorted(), [['reports:read', 'user:read'], ['user:write']]);
});

t.test('an application that was disconnected meanwhile is not found', async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene, { scope });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(permissionsPath(scene.application.id));
  await prisma.grant.updateMany({ where: { accountId: scene.accountId }, data: { revokedAt: new Date() } });
  isPage(t, await submit(browser, page, scene, ['user:read']), 404);
});
