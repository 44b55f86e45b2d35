import { allowInsecureRequests, discoveryRequest, resourceDiscoveryRequest } from 'oauth4webapi';
import { mcpToken, sendMessage } from '../support/mcp/call-tool.js';
import { listenForMcp } from '../support/mcp/mcp-app.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await listenForMcp(t);
const insecure = { [allowInsecureRequests]: true };
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

t.test('the metadata of a resource names the authorization server and the scopes to request', async (t) => {
  for (const [resource, scopes] of [
    [`${api.baseUrl}/mcp`, ['reports:read']],
    [api.baseUrl, Object.keys(contract.scopes).sort()],
  ] as const) {
    const response = await resourceDiscoveryRequest(new URL(resource), insecure);
    t.equal(response.headers.get('access-control-allow-origin'), '*');
    const { scopes_supported, ...metadata } = (await response.json()) as { scopes_supported: string[] };
    t.same(scopes_supported.sort(), scopes);
    t.same(metadata, {
      resource,
      authorization_servers: [api.baseUrl],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
      resource_name: 'People API',
      resource_documentation: `${api.baseUrl}/docs`,
    });
  }
  const server = await discoveryRequest(new URL(api.baseUrl), { algorithm: 'oauth2', ...insecure });
  t.match(await server.json(), { issuer: api.baseUrl, code_challenge_methods_supported: ['S256'] });
});

t.test('a preflight request for each document of metadata allows the header with the revision', async (t) => {
  for (const url of [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
  ]) {
    const headers = {
      origin: 'https://client.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'mcp-protocol-version',
    };
    const response = await api.app.inject({ method: 'OPTIONS', url, headers });
    t.equal(response.statusCode, 204, url);
    t.equal(response.headers['access-control-allow-origin'], '*');
    t.match(response.headers['access-control-allow-headers'], /\bmcp-protocol-version\b/);
  }
});

t.test(
  'a missing, malformed, foreign, expired or revoked token is 401 and names the scope and the metadata',
  async (t) => {
    const other = await buildTestApp(t);
    const foreign = await mcpToken(other, (await createTenant(other.database)).application);
    const { application } = await createTenant(api.database);
    const expired = await mcpToken(api, application);
    api.clock.advanceSeconds(24 * 3600);
    const revoked = await mcpToken(api, application);
    const { clientId: client_id, clientSecret: client_secret } = application;
    await api.postForm('/v1/oauth/revoke', { client_id, client_secret, token: revoked });
    const metadata = `scope="reports:read", resource_metadata="${api.baseUrl}/.well-known/oauth-protected-resource/mcp"`;
    for (const [token, code] of [
      [undefined, 'unauthorized'],
      ['not-a-token', 'invalid_token'],
      [foreign, 'invalid_token'],
      [expired, 'token_expired'],
      [revoked, 'invalid_token'],
    ] as const) {
      const response = await sendMessage(api, token, ping);
      t.equal(response.statusCode, 401, code);
      t.equal(response.json().code, code);
      const challenge = String(response.headers['www-authenticate']);
      t.match(challenge, /^Bearer realm="People API"/);
      t.ok(challenge.endsWith(metadata), challenge);
      t.equal(challenge.includes('error='), token !== undefined);
    }
  },
);

t.test('a token is checked before the body is read', async (t) => {
  const response = await sendMessage(api, undefined, '{ not JSON');
  t.equal(response.statusCode, 401);
});
