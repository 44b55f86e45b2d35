import { callTool, mcpToken, sendMessage } from '../support/mcp/call-tool.js';
import {
  authorizationRequest,
  createScene,
  expectOAuthError,
  grantCode,
  grantTokens,
  refresh,
  signedInBrowser,
  tokensOf,
} from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { baseUrl } = api.config;
const mcp = `${baseUrl}/mcp`;
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Values that name no resource of this server. */
const unknown = [
  'https://other.example',
  `${baseUrl}/v1`,
  `${mcp}/`,
  `${mcp}#tools`,
  `${baseUrl}#`,
  `${baseUrl}?a=b`,
  '/mcp',
  'mcp',
  mcp.toUpperCase(),
  ` ${mcp}`,
];

function audienceOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).aud;
}

/** The statuses of a request to the API and of one to the endpoint of the Model Context Protocol. */
async function accepted(token: string): Promise<number[]> {
  const responses = [await api.get('/v1/reports', token), await sendMessage(api, token, ping)];
  return responses.map(({ statusCode }) => statusCode);
}

t.test('a token is accepted by the resource in its audience only, by default the API', async (t) => {
  const { application } = await createTenant(api.database);
  const forApi = [await api.token(application), await api.token(application, undefined, `${baseUrl}/`)];
  for (const token of forApi) {
    t.equal(audienceOf(token), baseUrl);
    t.same(await accepted(token), [200, 401]);
  }
  const forMcp = await mcpToken(api, application);
  t.equal(audienceOf(forMcp), mcp);
  t.same(await accepted(forMcp), [401, 200]);
  t.equal((await api.get('/v1/reports', forMcp)).json().code, 'invalid_token');
  t.notOk((await callTool(api, forMcp, 'listReports')).json().result.isError, 'a tool reaches the API');
});

t.test('an unknown or repeated resource is invalid_target, and nothing is issued', async (t) => {
  const { application } = await createTenant(api.database);
  const credentials = {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
  };
  for (const resource of unknown)
    expectOAuthError(
      t,
      await api.postForm('/v1/oauth/token', { ...credentials, resource }),
      'invalid_target',
    );
  const twice = `${new URLSearchParams(credentials)}&resource=${baseUrl}&resource=${mcp}`;
  const response = await api.app.inject({
    method: 'POST',
    url: '/v1/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: twice,
  });
  expectOAuthError(t, response, 'invalid_target');
  t.match(response.json().detail, mcp, 'names the valid values');
  t.equal(
    await api.database.prisma.auditEvent.count({
      where: { applicationId: application.id, type: 'token.issued' },
    }),
    0,
  );
});

t.test('an unknown or repeated resource redirects to the application, after sign-in only', async (t) => {
  const scene = await createScene(api.database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const requests = unknown.map((resource) => authorizationRequest(scene, { resource }).url);
  for (const request of [...requests, `${url}&resource=${baseUrl}&resource=${mcp}`]) {
    const { statusCode, headers } = await browser.open(request);
    t.equal(statusCode, 302, request);
    const location = new URL(String(headers.location));
    t.ok(location.href.startsWith(scene.redirectUri));
    t.equal(location.searchParams.get('error'), 'invalid_target');
    const without = await api.app.inject({ url: request });
    t.match(without.headers.location, /^\/sign_in/);
  }
});

t.test('the resource of the authorization request is that of all tokens of its grant', async (t) => {
  const scene = await createScene(api.database);
  const browser = await signedInBrowser(api, scene.user);
  const { url, verifier } = authorizationRequest(scene, { resource: mcp });
  const page = await browser.open(url);
  const allowed = await browser.submitForm(page, url, { decision: 'allow' });
  const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: scene.application.clientId,
    redirect_uri: scene.redirectUri,
    code,
    code_verifier: verifier,
  };
  const other = await api.postForm('/v1/oauth/token', { ...form, resource: baseUrl });
  expectOAuthError(t, other, 'invalid_target');
  const wrong = { ...form, resource: baseUrl, code_verifier: 'x'.repeat(43) };
  expectOAuthError(t, await api.postForm('/v1/oauth/token', wrong), 'invalid_grant');
  const first = tokensOf(await api.postForm('/v1/oauth/token', form));
  t.same(await accepted(first.accessToken), [401, 200]);

  const outside = await refresh(api, scene.application, first.refreshToken, { resource: baseUrl });
  expectOAuthError(t, outside, 'invalid_target');
  const next = tokensOf(await refresh(api, scene.application, first.refreshToken, { resource: mcp }));
  t.same(await accepted(next.accessToken), [401, 200], 'the rejected request did not consume the token');
  const last = tokensOf(await refresh(api, scene.application, next.refreshToken));
  t.equal(audienceOf(last.accessToken), mcp);
});

t.test('an expired code is invalid_grant for another resource too, from its expiry on', async (t) => {
  const scene = await createScene(api.database);
  const { form } = await grantCode(api, scene, { resource: mcp });
  const exchange = () => api.postForm('/v1/oauth/token', { ...form, resource: baseUrl });
  api.clock.advanceSeconds(299);
  expectOAuthError(t, await exchange(), 'invalid_target');
  api.clock.advanceSeconds(1);
  expectOAuthError(t, await exchange(), 'invalid_grant');
});

t.test(
  'codes and grants of versions without resources have access to both, or to the one requested',
  async (t) => {
    const scene = await createScene(api.database);
    const { accountId } = scene;
    const { form } = await grantCode(api, scene);
    await api.database.prisma.authorizationCode.updateMany({
      where: { accountId },
      data: { resource: null },
    });
    const first = tokensOf(await api.postForm('/v1/oauth/token', form));
    t.same(audienceOf(first.accessToken), [baseUrl, mcp]);
    t.same(await accepted(first.accessToken), [200, 200]);
    const narrowed = tokensOf(await refresh(api, scene.application, first.refreshToken, { resource: mcp }));
    t.same(await accepted(narrowed.accessToken), [401, 200]);
    const both = tokensOf(await refresh(api, scene.application, narrowed.refreshToken));
    t.same(await accepted(both.accessToken), [200, 200]);
  },
);

t.test('refresh requests for different resources that share a statement get their own outcome', async (t) => {
  const scene = await createScene(api.database);
  const tokens = await Promise.all([grantTokens(api, scene), grantTokens(api, scene, { resource: mcp })]);
  const responses = await Promise.all(
    tokens.map(({ refreshToken }) => refresh(api, scene.application, refreshToken, { resource: mcp })),
  );
  t.same(
    responses.map((response) => response.json().code ?? response.statusCode),
    ['invalid_target', 200],
  );
});
