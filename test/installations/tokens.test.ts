import { hiddenFields } from '../support/browser/browser.js';
import { responseParameters } from '../support/oauth/authorize-responses.js';
import { installedScene, publishedScene } from '../support/oauth/installations.js';
import {
  authorizationRequest,
  createScene,
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
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const { prisma } = database;

const address = '/v1/oauth/token';

const idsOf = async (token: string): Promise<string[]> => {
  const response = await api.get('/v1/employees', token);
  t.equal(response.statusCode, 200, response.body);
  return response.json().data.map(({ id }: { id: string }) => id);
};

t.test(
  'a token of the code grant acts in the account that approved the application, and in no other',
  async (t) => {
    const publisher = await publishedScene(api, { clientType: 'confidential' });
    const own = await insertEmployees(prisma, publisher.accountId, makeEmployees(2));
    const scenes = [await installedScene(api, publisher), await installedScene(api, publisher)];
    const tokens: string[] = [];
    for (const scene of scenes) {
      const browser = await signedInBrowser(api, scene.user);
      const { url, parameters, verifier } = authorizationRequest(scene, {
        scope: 'reports:read user:read',
      });
      const page = await browser.open(url);
      t.equal(page.statusCode, 200, page.body);
      const allowed = await browser.submitForm(page, url, { decision: 'allow' });
      const returned = responseParameters(t, allowed, scene.redirectUri);
      t.equal(returned.get('state'), parameters.state);
      const { clientId, clientSecret } = publisher.application;
      const issued = await api.postForm(address, {
        grant_type: 'authorization_code',
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: scene.redirectUri,
        code: returned.get('code') ?? '',
        code_verifier: verifier,
      });
      const { accessToken } = tokensOf(issued);
      t.same((await idsOf(accessToken)).toSorted(), [...scene.employeeIds].toSorted());
      const profile = await api.get('/v1/users/me', accessToken);
      t.equal(profile.json().data.id, scene.user.id);
      const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
      t.match(claims, { client_id: clientId, installation: scene.internalId });
      tokens.push(accessToken);
    }
    for (const [index, token] of tokens.entries()) {
      const others = [...own, ...(scenes[1 - index]?.employeeIds ?? [])];
      for (const id of others) t.equal((await api.get(`/v1/employees/${id}`, token)).statusCode, 404);
    }
  },
);

t.test('client credentials act in the account of the publisher only', async (t) => {
  const publisher = await publishedScene(api, { clientType: 'confidential' });
  const own = await insertEmployees(prisma, publisher.accountId, makeEmployees(2));
  const { internalId, employeeIds } = await installedScene(api, publisher);
  const token = await api.token(publisher.application);
  t.same((await idsOf(token)).toSorted(), [...own].toSorted());
  for (const id of employeeIds) t.equal((await api.get(`/v1/employees/${id}`, token)).statusCode, 404);
  const { clientSecret } = publisher.application;
  const form = { grant_type: 'client_credentials', client_id: internalId, client_secret: clientSecret };
  expectOAuthError(t, await api.postForm(address, form), 'invalid_client');
});

t.test('a refresh token of an installation rotates, and a replay revokes its grant only', async (t) => {
  const publisher = await publishedScene(api);
  const [scene, other] = [await installedScene(api, publisher), await installedScene(api, publisher)];
  const untouched = await grantTokens(api, other, { scope: 'reports:read' });
  const first = await grantTokens(api, scene, { scope: 'reports:read' });
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  const third = tokensOf(await refresh(api, scene.application, second.refreshToken));
  t.same((await idsOf(third.accessToken)).toSorted(), [...scene.employeeIds].toSorted());
  clock.advanceSeconds(3600);
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  expectOAuthError(t, await refresh(api, scene.application, third.refreshToken), 'invalid_grant');
  const replays = { type: 'refresh_token.replayed' };
  t.equal(await prisma.auditEvent.count({ where: { ...replays, accountId: scene.accountId } }), 1);
  t.equal(await prisma.auditEvent.count({ where: { ...replays, accountId: publisher.accountId } }), 0);
  tokensOf(await refresh(api, other.application, untouched.refreshToken));
});

t.test('a code of an installation is used once, and its replay revokes the grant', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const { form } = await grantCode(api, scene, { scope: 'reports:read' });
  const { accessToken, refreshToken } = tokensOf(await api.postForm(address, form));
  tokensOf(await refresh(api, scene.application, refreshToken));
  expectOAuthError(t, await api.postForm(address, form), 'invalid_grant');
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
});

t.test('the revocation endpoint revokes an access token of an installation, and nothing else', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const [one, two] = [
    await grantTokens(api, scene, { scope: 'reports:read' }),
    await grantTokens(api, scene, { scope: 'reports:read' }),
  ];
  t.equal((await revoke(api, scene.application, one.accessToken)).statusCode, 200);
  t.equal((await revoke(api, scene.application, one.accessToken)).statusCode, 200, 'again');
  await expectTokenRejected(t, api, one.accessToken, 'invalid_token');
  await tokenAccepted(t, api, two.accessToken);
  tokensOf(await refresh(api, scene.application, one.refreshToken));
  const events = await prisma.auditEvent.findMany({ where: { type: 'token.revoked' } });
  const own = events.filter(({ applicationId }) => applicationId === scene.application.id);
  t.match(own, [{ accountId: scene.accountId, userId: scene.user.id }]);
  t.equal(own.length, 1);
});

t.test('the revocation endpoint revokes the grant of a refresh token of an installation', async (t) => {
  const publisher = await publishedScene(api);
  const [scene, other] = [await installedScene(api, publisher), await installedScene(api, publisher)];
  const untouched = await grantTokens(api, other, { scope: 'reports:read' });
  const { accessToken, refreshToken } = await grantTokens(api, scene, { scope: 'reports:read' });
  t.equal((await revoke(api, scene.application, refreshToken)).statusCode, 200);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  await tokenAccepted(t, api, untouched.accessToken);
});

t.test('another client can neither use nor revoke the codes and tokens of an installation', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const strangers: Scene[] = [
    await createScene(database),
    await publishedScene(api),
    // An application that the account of the installation has registered itself.
    { ...scene, application: (await createScene(database)).application },
  ];
  for (const { application } of strangers) {
    const { form } = await grantCode(api, scene, { scope: 'reports:read' });
    const { accessToken, refreshToken } = await grantTokens(api, scene, { scope: 'reports:read' });
    const stolen = { ...form, client_id: application.clientId };
    expectOAuthError(t, await api.postForm(address, stolen), 'invalid_grant');
    expectOAuthError(t, await refresh(api, application, refreshToken), 'invalid_grant');
    for (const token of [accessToken, refreshToken])
      expectOAuthError(t, await revoke(api, application, token), 'unauthorized_client');
    await tokenAccepted(t, api, accessToken);
    tokensOf(await refresh(api, scene.application, refreshToken));
    tokensOf(await api.postForm(address, form));
  }
});

t.test('the internal client id is an unknown client at the token and revocation endpoints', async (t) => {
  const publisher = await publishedScene(api, { clientType: 'confidential' });
  const { application, internalId, ...scene } = await installedScene(api, publisher);
  const { form } = await grantCode(api, { ...scene, application }, { scope: 'reports:read' });
  const { accessToken, refreshToken } = await grantTokens(
    api,
    { ...scene, application },
    { scope: 'reports:read' },
  );
  const unknown = await api.postForm(address, { ...form, client_id: 'unknown' });
  for (const secret of [{}, { client_secret: application.clientSecret }, { client_secret: 'x' }]) {
    const internal = { ...application, clientId: internalId };
    const responses = [
      await api.postForm(address, { ...form, ...secret, client_id: internalId }),
      await refresh(api, internal, refreshToken, secret),
      await revoke(api, internal, refreshToken, secret),
      await revoke(api, internal, accessToken, secret),
    ];
    for (const response of responses) {
      expectOAuthError(t, response, 'invalid_client');
      t.equal(response.json().detail, unknown.json().detail);
    }
  }
  await tokenAccepted(t, api, accessToken);
  const secret = { client_secret: application.clientSecret };
  tokensOf(await refresh(api, application, refreshToken, secret));
});

t.test('a wrong secret of the publisher exchanges no code of an installation', async (t) => {
  const publisher = await publishedScene(api, { clientType: 'confidential' });
  const scene = await installedScene(api, publisher);
  const { form } = await grantCode(api, scene, { scope: 'reports:read' });
  expectOAuthError(t, await api.postForm(address, { ...form, client_secret: 'x' }), 'invalid_client');
  tokensOf(await api.postForm(address, { ...form, client_secret: publisher.application.clientSecret }));
});

t.test('the publisher requires the secret for the token requests of installations as well', async (t) => {
  const publisher = await publishedScene(api, { clientType: 'confidential' });
  const scene = await installedScene(api, publisher);
  await prisma.application.updateMany({
    where: { clientId: publisher.application.clientId },
    data: { requireClientSecret: true },
  });
  const secret = { client_secret: publisher.application.clientSecret };
  const { form } = await grantCode(api, scene, { scope: 'reports:read' });
  expectOAuthError(t, await api.postForm(address, form), 'invalid_client');
  const { refreshToken } = tokensOf(await api.postForm(address, { ...form, ...secret }));
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_client');
  tokensOf(await refresh(api, scene.application, refreshToken, secret));
});

t.test(
  'an application in development gets no tokens of an account that forbids them, or when its own does',
  async (t) => {
    const publisher = await publishedScene(api);
    const scene = await installedScene(api, publisher);
    const { refreshToken } = await grantTokens(api, scene, { scope: 'reports:read' });
    await prisma.application.updateMany({
      where: { clientId: publisher.application.clientId },
      data: { inDevelopment: true },
    });
    const allow = (accountId: string, developmentAllowed: boolean) =>
      prisma.account.update({ where: { id: accountId }, data: { developmentAllowed } });
    for (const [installing, publishing] of [
      [false, true],
      [true, false],
      [false, false],
    ] as const) {
      await allow(scene.accountId, installing);
      await allow(publisher.accountId, publishing);
      expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'unauthorized_client');
    }
    for (const { accountId } of [scene, publisher]) await allow(accountId, true);
    tokensOf(await refresh(api, scene.application, refreshToken));
  },
);

t.test('a code for a redirect URI that the publisher has removed is rejected', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const { form } = await grantCode(api, scene, { scope: 'reports:read' });
  const { clientId } = publisher.application;
  const setUris = (redirectUris: string[]) =>
    prisma.application.updateMany({ where: { clientId }, data: { redirectUris } });
  await setUris(['https://client.example/other']);
  expectOAuthError(t, await api.postForm(address, form), 'invalid_grant');
  await setUris(['https://client.example/other', scene.redirectUri]);
  tokensOf(await api.postForm(address, form));
});

t.test(
  'the role of a user, and whether the user is disabled, apply to tokens of installations',
  async (t) => {
    const publisher = await publishedScene(api);
    const scene = await installedScene(api, publisher, { role: 'admin' });
    const { accessToken, refreshToken } = await grantTokens(api, scene, {
      scope: 'reports:read user:read webhooks:write',
    });
    const setUser = (data: { role?: string; disabledAt?: Date | null }) =>
      prisma.user.updateMany({ where: { id: scene.user.id }, data });
    const endpoints = () =>
      api.app.inject({
        method: 'POST',
        url: '/v1/webhook_endpoints',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        payload: '{}',
      });
    t.equal((await endpoints()).statusCode, 400);
    await setUser({ role: 'member' });
    t.match((await endpoints()).json(), { status: 403, code: 'insufficient_scope' });
    const narrowed = tokensOf(await refresh(api, scene.application, refreshToken));
    t.equal(narrowed.scope, 'user:read');
    await setUser({ disabledAt: clock() });
    for (const token of [accessToken, narrowed.accessToken])
      t.equal((await api.get('/v1/users/me', token)).statusCode, 401);
    expectOAuthError(t, await refresh(api, scene.application, narrowed.refreshToken), 'invalid_grant');
    await setUser({ disabledAt: null });
    t.equal((await api.get('/v1/users/me', narrowed.accessToken)).statusCode, 200);
  },
);

t.test('tokens of an installation have no scope that the account has not approved', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher, { scopes: ['user:read', 'webhooks:write'] });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { scope: 'user:read reports:read' });
  const rejected = await browser.open(url);
  t.equal(rejected.statusCode, 302);
  t.equal(responseParameters(t, rejected, scene.redirectUri).get('error'), 'invalid_scope');
  // As if the grant was of an earlier approval with more scopes.
  const { accessToken, scope } = await grantTokens(api, scene, { scope: 'user:read reports:read' });
  t.match((await api.get('/v1/employees', accessToken)).json(), { status: 403, code: 'insufficient_scope' });
  t.equal((await api.get('/v1/users/me', accessToken)).statusCode, 200, scope);
});

t.test('a scope that the publisher removes is not issued again', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const { refreshToken } = await grantTokens(api, scene, { scope: 'user:read reports:read' });
  await prisma.application.updateMany({
    where: { clientId: publisher.application.clientId },
    data: { scopes: ['user:read'] },
  });
  t.equal(tokensOf(await refresh(api, scene.application, refreshToken)).scope, 'user:read');
});

t.test('a user narrows and disconnects an installation in Connected applications', async (t) => {
  const publisher = await publishedScene(api, { name: 'Bridge' });
  const [scene, other] = [await installedScene(api, publisher), await installedScene(api, publisher)];
  const untouched = await grantTokens(api, other, { scope: 'reports:read' });
  const { accessToken, refreshToken } = await grantTokens(api, scene, {
    scope: 'reports:read user:read',
  });
  const browser = await signedInBrowser(api, scene.user);
  const path = `/people/settings/connected_applications/${scene.application.id}`;
  const list = await browser.open('/people/settings/connected_applications');
  t.match(list.body, 'Bridge');
  t.notMatch(list.body, scene.internalId);
  const page = await browser.open(`${path}/permissions`);
  t.equal(page.statusCode, 200, page.body);
  const narrowed = await browser.submit(`${path}/permissions`, [
    ...Object.entries(hiddenFields(page.body)),
    ['scopes', 'user:read'],
  ]);
  t.equal(narrowed.statusCode, 303, narrowed.body);
  t.equal((await api.get('/v1/employees', accessToken)).statusCode, 403);
  t.equal((await api.get('/v1/users/me', accessToken)).statusCode, 200);
  const question = await browser.open(`${path}/disconnect`);
  const gone = await browser.submitForm(question, `${path}/disconnect`, {});
  t.equal(gone.statusCode, 303, gone.body);
  t.equal((await api.get('/v1/users/me', accessToken)).statusCode, 401);
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  await tokenAccepted(t, api, untouched.accessToken);
});
