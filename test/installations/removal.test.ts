import { Approvals } from '../../src/features/installations/approvals.js';
import { OAuthApplications } from '../../src/features/oauth-clients/oauth-applications.js';
import { ClientRegistry } from '../../src/oauth/clients/client-registry.js';
import { openElsewhere, openSharedTestDatabase } from '../support/database/database.js';
import {
  approve,
  type InstallationScene,
  installedScene,
  origin,
  publish,
  publishedScene,
  withdraw,
} from '../support/oauth/installations.js';
import {
  authorizationRequest,
  createScene,
  expectOAuthError,
  expectTokenRejected,
  type GrantedTokens,
  grantCode,
  grantTokens,
  refresh,
  revoke,
  type Scene,
  signedInBrowser,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { sendJson } from '../support/records/send-json.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

const { database, options } = await openSharedTestDatabase(t);
// Another process has its own connections; the embedded database has one.
const elsewhere = await openElsewhere(t, options, database);
const api = await buildTestApp(t, { database });
const other = await buildTestApp(t, { database: elsewhere, clock: api.clock });
const servers = [api, other] as const;
const { prisma } = database;
const { clock } = api;

/** Deletes the application of an account in another process, as the pages do. */
const remove = ({ accountId, application, user }: Scene) =>
  new OAuthApplications(elsewhere).delete(
    { accountId, userId: user.id, origin, at: clock() },
    application.id,
  );

async function expectEnded(t: Test, scene: Scene, { accessToken, refreshToken }: GrantedTokens) {
  for (const server of servers) {
    await expectTokenRejected(t, server, accessToken, 'invalid_token');
    expectOAuthError(t, await refresh(server, scene.application, refreshToken), 'invalid_grant');
  }
}

async function expectUsable(t: Test, scene: Scene, { accessToken, refreshToken }: GrantedTokens) {
  for (const server of servers) await tokenAccepted(t, server, accessToken);
  tokensOf(await refresh(other, scene.application, refreshToken));
}

/** Rows of an account that belong to an application. */
async function rowsOf({ accountId, application }: Scene) {
  const where = { accountId, applicationId: application.id };
  return {
    grants: await prisma.grant.count({ where }),
    codes: await prisma.authorizationCode.count({ where }),
    endpoints: await prisma.webhookEndpoint.count({ where }),
    keys: await prisma.idempotencyKey.count({ where }),
    tokens: await prisma.refreshToken.count({ where: { accountId } }),
  };
}

const noRows = { grants: 0, codes: 0, endpoints: 0, keys: 0, tokens: 0 };

/** Tokens of an installation, and rows that belong to it. */
async function useInstallation(t: Test, scene: InstallationScene): Promise<GrantedTokens> {
  const tokens = await grantTokens(api, scene, { scope: 'reports:read reports:write webhooks:write' });
  await grantCode(api, scene, { scope: 'reports:read' });
  const created = await sendJson(api, {
    url: '/v1/webhook_endpoints',
    token: tokens.accessToken,
    body: { url: 'https://partner.example/hook' },
  });
  t.equal(created.statusCode, 201, created.body);
  const report = await api.app.inject({
    method: 'POST',
    url: '/v1/reports',
    headers: { authorization: `Bearer ${tokens.accessToken}`, 'idempotency-key': scene.accountId },
    payload: { title: 'Headcount' },
  });
  t.equal(report.statusCode, 201, report.body);
  t.match(await rowsOf(scene), { grants: 1, codes: 2, endpoints: 1, keys: 1 });
  return tokens;
}

t.test(
  'the removal in an account ends its tokens in all processes, and changes no other account',
  async (t) => {
    const publisher = await publishedScene(api, { clientType: 'confidential' });
    const [scene, neighbor] = [await installedScene(api, publisher), await installedScene(api, publisher)];
    const tokens = await useInstallation(t, scene);
    const theirs = await useInstallation(t, neighbor);
    const own = await grantTokens(api, publisher, { scope: 'reports:read' });
    t.equal(await remove(scene), true);
    await expectEnded(t, scene, tokens);
    t.same(await rowsOf(scene), noRows);
    await expectUsable(t, neighbor, theirs);
    await expectUsable(t, publisher, own);
    const [event] = await prisma.auditEvent.findMany({
      where: { accountId: scene.accountId, type: 'application.deleted' },
    });
    t.match(event?.details, { client_id: publisher.application.clientId });
    for (const { accountId } of [publisher, neighbor]) {
      const where = {
        accountId,
        type: { startsWith: 'application.' },
        NOT: { type: 'application.approved' },
      };
      const types = (await prisma.auditEvent.findMany({ where })).map(({ type }) => type);
      t.same(types, accountId === publisher.accountId ? ['application.published'] : []);
    }
  },
);

t.test(
  'the tokens of a removed installation stay rejected when the application is approved again',
  async (t) => {
    const publisher = await publishedScene(api);
    const scene = await installedScene(api, publisher);
    const tokens = await grantTokens(api, scene, { scope: 'reports:read' });
    const { form } = await grantCode(api, scene, { scope: 'reports:read' });
    await remove(scene);
    await approve(api, publisher.application.clientId, scene.owner);
    await expectEnded(t, scene, tokens);
    expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
  },
);

t.test('tokens of a removed installation can be sent to the revocation endpoint', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  await remove(scene);
  for (const token of [accessToken, refreshToken])
    t.equal((await revoke(api, publisher.application, token)).statusCode, 200);
});

t.test('a token is rejected in every process from the removal on, while requests run', async (t) => {
  const publisher = await publishedScene(api);
  const [scene, neighbor] = [await installedScene(api, publisher), await installedScene(api, publisher)];
  const tokens = await grantTokens(api, scene, { scope: 'reports:read' });
  const theirs = await grantTokens(api, neighbor, { scope: 'reports:read' });
  let phase: 'before' | 'during' | 'after' = 'before';
  const results: { sent: string; received: string; status: number; isTheirs: boolean }[] = [];
  const sentAfter = () => results.filter(({ sent }) => sent === 'after').length;
  const send = async (server: TestApp, { accessToken }: GrantedTokens) => {
    while (phase !== 'after' || sentAfter() < 12) {
      const sent = phase;
      const { statusCode: status } = await server.get('/v1/employees', accessToken);
      results.push({ sent, received: phase, status, isTheirs: accessToken === theirs.accessToken });
    }
  };
  const sending = Promise.all(servers.flatMap((server) => [send(server, tokens), send(server, theirs)]));
  await until(() => results.length >= 8);
  phase = 'during';
  await remove(scene);
  phase = 'after';
  await sending;
  const wrong = results.filter(({ sent, received, status, isTheirs }) => {
    if (isTheirs || received === 'before') return status !== 200;
    return sent === 'after' && status !== 401;
  });
  t.same(wrong, []);
});

t.test('the removal while tokens are refreshed leaves no usable token', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const granted = await Promise.all(
    [1, 2, 3, 4].map(() => grantTokens(api, scene, { scope: 'reports:read' })),
  );
  const last = new Map<number, GrantedTokens>(granted.entries());
  const refreshing = granted.map(async ({ refreshToken }, index) => {
    let current = refreshToken;
    for (;;) {
      const response = await refresh(servers[index % 2] ?? api, scene.application, current);
      if (response.statusCode !== 200) return response;
      const next = tokensOf(response);
      last.set(index, next);
      current = next.refreshToken;
    }
  });
  await until(() =>
    [...last.values()].every(({ refreshToken }, index) => refreshToken !== granted[index]?.refreshToken),
  );
  await remove(scene);
  for (const response of await Promise.all(refreshing)) expectOAuthError(t, response, 'invalid_grant');
  for (const tokens of last.values()) await expectEnded(t, scene, tokens);
  t.same(await rowsOf(scene), noRows);
});

for (const [title, end] of [
  ['the deletion of the application', remove],
  ['the withdrawal of the application', (scene: Scene) => withdraw(other, scene)],
] as [string, (publisher: Scene) => Promise<unknown>][]) {
  t.test(`${title} ends its installations in all accounts`, async (t) => {
    const publisher = await publishedScene(api, { name: 'Bridge', clientType: 'confidential' });
    const scenes = [await installedScene(api, publisher), await installedScene(api, publisher)];
    const bystander = await installedScene(api, await publishedScene(api));
    const tokens = [];
    for (const scene of scenes) tokens.push(await useInstallation(t, scene));
    const others = await grantTokens(api, bystander, { scope: 'reports:read' });
    const own = await grantTokens(api, publisher, { scope: 'reports:read' });
    await end(publisher);
    const isDeleted = (await prisma.application.count({ where: { accountId: publisher.accountId } })) === 1;
    for (const [index, scene] of scenes.entries()) {
      for (const server of servers) {
        await expectTokenRejected(t, server, tokens[index]?.accessToken ?? '', 'invalid_token');
        const refreshed = await refresh(server, scene.application, tokens[index]?.refreshToken ?? '');
        expectOAuthError(t, refreshed, isDeleted ? 'invalid_client' : 'invalid_grant');
      }
      t.same(await rowsOf(scene), noRows);
      t.equal(
        await prisma.application.count({ where: { installedClientId: publisher.application.clientId } }),
        0,
      );
      const events = await prisma.auditEvent.findMany({
        where: { accountId: scene.accountId, type: 'application.withdrawn' },
      });
      t.equal(events.length, 1);
      t.match(events, [{ userId: null, address: null, applicationId: scene.application.id }]);
      t.same(events[0]?.details, { name: 'Bridge', client_id: publisher.application.clientId });
      const browser = await signedInBrowser(api, scene.user);
      const page = await browser.open(authorizationRequest(scene).url);
      t.equal(page.statusCode, isDeleted ? 401 : 403);
    }
    await expectUsable(t, bystander, others);
    if (isDeleted) await expectTokenRejected(t, other, own.accessToken, 'invalid_token');
    else await expectUsable(t, publisher, own);
    const [event] = await prisma.auditEvent.findMany({
      where: { accountId: publisher.accountId, type: 'application.withdrawn' },
    });
    t.match(event?.details, { accounts: '2' });
  });
}

t.test('an approval of an application that was withdrawn meanwhile is rejected', async (t) => {
  const publisher = await publishedScene(api);
  const { user, accountId } = await createScene(database);
  const client = await new ClientRegistry(database).find(publisher.application.clientId);
  if (client === null) throw new Error('unknown');
  await withdraw(api, publisher);
  const context = { accountId, userId: user.id, origin, at: clock() };
  const request = { client, scopes: ['reports:read'], readableAttributes: [] };
  t.same(await new Approvals(database).approve(context, request), { kind: 'forbidden' });
  t.same(await new Approvals(database).request(context, request), { kind: 'forbidden' });
});

t.test('concurrent approvals and withdrawals leave no installation of a withdrawn application', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const publisher = await publishedScene(api);
    const { clientId } = publisher.application;
    const accounts = await Promise.all([1, 2, 3, 4].map(() => createScene(database)));
    const outcomes = await Promise.all(
      [
        ...accounts.slice(0, 2).map(({ user }) => approve(api, clientId, user)),
        withdraw(other, publisher),
        ...accounts.slice(2).map(({ user }) => approve(other, clientId, user)),
      ].map((work) =>
        (work as Promise<unknown>).then(
          () => 'done',
          (error: Error) => error.message,
        ),
      ),
    );
    t.ok(
      outcomes.every((outcome) => outcome === 'done' || outcome === 'forbidden'),
      outcomes.join(', '),
    );
    t.equal(await prisma.application.count({ where: { installedClientId: clientId } }), 0);
    t.equal(await publish(api, publisher), 'published');
  }
});
