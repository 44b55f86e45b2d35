import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { listenForMcp } from '../support/mcp/mcp-app.js';
import { connect } from '../support/mcp/mcp-client.js';
import { createScene, type Scene, signedInBrowser } from '../support/oauth/users.js';
import t from '../support/tap.js';

const api = await listenForMcp(t);

/** A client that knows only its client id, and whose user selects Allow. */
function createProvider({ user, application, redirectUri }: Scene) {
  const stored: { tokens?: StoredOAuthTokens; verifier?: string } = {};
  const seen: { url?: URL; callback?: URLSearchParams } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadata: { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    clientInformation: () => ({ client_id: application.clientId }),
    state: () => 'a state of the client',
    tokens: () => stored.tokens,
    saveTokens: (tokens) => void Object.assign(stored, { tokens }),
    codeVerifier: () => stored.verifier ?? '',
    saveCodeVerifier: (verifier) => void Object.assign(stored, { verifier }),
    async redirectToAuthorization(url) {
      const browser = await signedInBrowser(api, user);
      const path = `${url.pathname}${url.search}`;
      const response = await browser.submitForm(await browser.open(path), path, { decision: 'allow' });
      Object.assign(seen, { url, callback: new URL(String(response.headers.location)).searchParams });
    },
  };
  return { provider, seen };
}

t.test(
  'a client of an application with two scopes connects, and asks for the second when it needs it',
  async (t) => {
    const scene = await createScene(api.database, { scopes: ['reports:read', 'user:read'] });
    const { provider: authProvider, seen } = createProvider(scene);
    const url = new URL(`${api.baseUrl}/mcp`);
    const first = new StreamableHTTPClientTransport(url, { authProvider });
    await t.rejects(new Client({ name: 'test', version: '1' }).connect(first), { name: 'UnauthorizedError' });
    const asked = seen.url?.searchParams;
    t.equal(seen.url?.origin, api.baseUrl);
    t.equal(asked?.get('code_challenge_method'), 'S256');
    t.equal(asked?.get('resource'), `${api.baseUrl}/mcp`);
    t.equal(asked?.get('scope'), 'reports:read');
    await first.finishAuth(seen.callback ?? new URLSearchParams());
    const reading = new StreamableHTTPClientTransport(url, { authProvider });
    const reader = new Client({ name: 'test', version: '1' });
    await reader.connect(reading);
    t.teardown(() => reader.close());
    t.notOk((await reader.callTool({ name: 'listEmployees', arguments: {} })).isError);
    await t.rejects(reader.callTool({ name: 'getCurrentUser', arguments: {} }));
    t.equal(seen.url?.searchParams.get('scope'), 'reports:read user:read');
    await reading.finishAuth(seen.callback ?? new URLSearchParams());

    const client = await connect(t, api.baseUrl, authProvider);
    const result = await client.callTool({ name: 'getCurrentUser', arguments: {} });
    t.notOk(result.isError);
    t.match(result.structuredContent, { data: { id: scene.user.id } });
  },
);
