import { openElsewhere, openSharedTestDatabase } from '../support/database/database.js';
import { approve, installedScene, publishedScene } from '../support/oauth/installations.js';
import {
  authorizationRequest,
  expectOAuthError,
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
import t from '../support/tap.js';

const { database, options } = await openSharedTestDatabase(t);
// Another process has its own connections; the embedded database has one.
const elsewhere = await openElsewhere(t, options, database);
const api = await buildTestApp(t, { database });
const other = await buildTestApp(t, { database: elsewhere, clock: api.clock });
const { prisma } = database;

interface Settings {
  name?: string;
  redirectUris?: string[];
  scopes?: string[];
}

/** Changes the application in the account that has published it. */
const change = ({ application }: Scene, data: Settings) =>
  prisma.application.updateMany({ where: { clientId: application.clientId }, data });

const statusOf = async (scene: Scene, redirectUri = scene.redirectUri) => {
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest({ ...scene, redirectUri }, { scope: 'user:read' });
  const { statusCode, headers } = await browser.open(url);
  return statusCode === 302 ? String(headers.location).split('?')[0] : statusCode;
};

const approvalPath = '/approve_application';

const scopes = ['reports:read', 'user:read'];

for (const [title, settings, details] of [
  [
    'a redirect URI of another host',
    { redirectUris: ['https://client.example/callback', 'https://other.example/callback'] },
    { redirect_hosts_added: ['other.example'] },
  ],
  [
    'a redirect URI with another port',
    { redirectUris: ['https://client.example/callback', 'https://client.example:8443/callback'] },
    { redirect_hosts_added: ['client.example:8443'] },
  ],
  ['another name', { name: 'Another' }, { approved_name: 'Bridge' }],
  ['a new scope', { scopes: [...scopes, 'webhooks:read'] }, { scopes_added: ['webhooks:read'] }],
] as [string, Settings, object][]) {
  t.test(
    `${title} suspends an installation when a user authorizes the application, until it is approved again`,
    async (t) => {
      const publisher = await publishedScene(api, { name: 'Bridge', scopes });
      const [scene, neighbor] = [await installedScene(api, publisher), await installedScene(api, publisher)];
      const tokens = await grantTokens(api, scene, { scope: 'reports:read' });
      const theirs = await grantTokens(api, neighbor, { scope: 'reports:read' });
      const { form } = await grantCode(api, scene, { scope: 'reports:read' });
      t.equal(await statusOf(scene), 200);
      for (const server of [api, other]) await tokenAccepted(t, server, tokens.accessToken);

      await change(publisher, settings);
      t.equal(await statusOf(scene), approvalPath);
      for (const server of [api, other]) {
        await expectTokenRejected(t, server, tokens.accessToken, 'invalid_token');
        expectOAuthError(t, await refresh(server, scene.application, tokens.refreshToken), 'invalid_grant');
        expectOAuthError(t, await server.postForm('/v1/oauth/token', form), 'invalid_grant');
      }
      t.equal(await statusOf(scene), approvalPath, 'again');
      const events = await prisma.auditEvent.findMany({
        where: { type: 'application.suspended', applicationId: scene.application.id },
      });
      t.match(events, [{ accountId: scene.accountId, userId: scene.user.id, details }]);
      t.equal(events.length, 1);
      for (const server of [api, other]) await tokenAccepted(t, server, theirs.accessToken);

      await approve(api, publisher.application.clientId, scene.owner);
      t.equal(await statusOf(scene), 200);
      for (const server of [api, other]) await tokenAccepted(t, server, tokens.accessToken);
      tokensOf(await refresh(other, scene.application, tokens.refreshToken));
      tokensOf(await api.postForm('/v1/oauth/token', form));
    },
  );
}

t.test('stays suspended when the publisher undoes the change', async (t) => {
  const publisher = await publishedScene(api, { name: 'Bridge' });
  const scene = await installedScene(api, publisher);
  const { accessToken } = await grantTokens(api, scene);
  await change(publisher, { name: 'Another' });
  t.equal(await statusOf(scene), approvalPath);
  await change(publisher, { name: 'Bridge' });
  t.equal(await statusOf(scene), approvalPath);
  await expectTokenRejected(t, other, accessToken, 'invalid_token');
});

t.test('a new redirect URI gets no code before the account has approved its host', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const redirectUri = 'https://attacker.example/callback';
  await change(publisher, { redirectUris: [publisher.redirectUri, redirectUri] });
  t.equal(await statusOf(scene, redirectUri), approvalPath);
  t.equal(await prisma.authorizationCode.count({ where: { accountId: scene.accountId } }), 0);
  await approve(api, publisher.application.clientId, scene.owner);
  t.equal(await statusOf(scene, redirectUri), 200);
});

t.test('a new scope is not issued before the account has approved it', async (t) => {
  const publisher = await publishedScene(api, { scopes: ['user:read'] });
  const scene = await installedScene(api, publisher);
  await change(publisher, { scopes: ['user:read', 'reports:read'] });
  // As if the grant had the scope.
  const { accessToken } = await grantTokens(api, scene, { scope: 'user:read reports:read' });
  t.equal((await api.get('/v1/users/me', accessToken)).statusCode, 200);
  t.match((await api.get('/v1/employees', accessToken)).json(), { code: 'insufficient_scope' });
});

for (const [title, settings] of [
  ['a removed redirect URI', { redirectUris: ['https://client.example/callback'] }],
  [
    'a new path of an approved host',
    { redirectUris: ['https://client.example/callback', 'https://client.example/new?a=b'] },
  ],
  ['a removed scope', { scopes: ['user:read'] }],
] as [string, Settings][]) {
  t.test(`${title} does not suspend an installation`, async (t) => {
    const publisher = await publishedScene(api, { scopes });
    await change(publisher, { redirectUris: ['https://client.example/callback', 'https://old.example/'] });
    const scene = await installedScene(api, publisher);
    const { accessToken, refreshToken } = await grantTokens(api, scene, { scope: 'reports:read user:read' });
    await change(publisher, settings);
    t.equal(await statusOf(scene), 200);
    for (const server of [api, other])
      t.equal((await server.get('/v1/users/me', accessToken)).statusCode, 200);
    tokensOf(await refresh(other, scene.application, refreshToken));
  });
}

t.test(
  'tokens of a suspended installation can be revoked, and stay revoked after the approval',
  async (t) => {
    const publisher = await publishedScene(api, { name: 'Bridge' });
    const scene = await installedScene(api, publisher);
    const [one, two] = [await grantTokens(api, scene), await grantTokens(api, scene)];
    await change(publisher, { name: 'Another' });
    t.equal(await statusOf(scene), approvalPath);
    for (const token of [one.accessToken, two.refreshToken])
      t.equal((await revoke(other, scene.application, token)).statusCode, 200);
    await approve(api, publisher.application.clientId, scene.owner);
    await expectTokenRejected(t, api, one.accessToken, 'invalid_token');
    await expectTokenRejected(t, api, two.accessToken, 'invalid_token');
    expectOAuthError(t, await refresh(api, scene.application, two.refreshToken), 'invalid_grant');
    tokensOf(await refresh(api, scene.application, one.refreshToken));
  },
);

t.test('an approval with fewer scopes removes them from issued tokens', async (t) => {
  const publisher = await publishedScene(api, { scopes });
  const scene = await installedScene(api, publisher);
  const { accessToken, refreshToken } = await grantTokens(api, scene, { scope: 'reports:read user:read' });
  await approve(api, publisher.application.clientId, scene.owner, ['user:read']);
  for (const server of [api, other]) {
    t.equal((await server.get('/v1/employees', accessToken)).statusCode, 403);
    t.equal((await server.get('/v1/users/me', accessToken)).statusCode, 200);
  }
  t.equal(tokensOf(await refresh(other, scene.application, refreshToken)).scope, 'user:read');
});

t.test('concurrent requests suspend an installation once', async (t) => {
  const publisher = await publishedScene(api, { name: 'Bridge' });
  const scene = await installedScene(api, publisher);
  await change(publisher, { name: 'Another' });
  const statuses = await Promise.all([1, 2, 3, 4].map(() => statusOf(scene)));
  t.same(statuses, Array(4).fill(approvalPath));
  const where = { type: 'application.suspended', accountId: scene.accountId };
  t.equal(await prisma.auditEvent.count({ where }), 1);
});
