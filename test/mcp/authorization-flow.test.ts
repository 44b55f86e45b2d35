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

t.test('a client discovers the authorization server, and its user allows access with PKCE', async (t) => {
  const scene = await createScene(api.database);
  const { provider: authProvider, seen } = createProvider(scene);
  const url = new URL(`${api.baseUrl}/mcp`);
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  await t.rejects(new Client({ name: 'test', version: '1' }).connect(first), { name: 'UnauthorizedError' });
  const asked = seen.url?.searchParams;
  t.equal(seen.url?.origin, api.baseUrl);
  t.equal(asked?.get('code_challenge_method'), 'S256');
  t.equal(asked?.get('resource'), `${api.baseUrl}/mcp`);
  await first.finishAuth(seen.callback ?? new URLSearchParams());

  const client = await connect(t, api.baseUrl, authProvider);
  const result = await client.callTool({ name: 'getCurrentUser', arguments: {} });
  t.notOk(result.isError);
  t.match(result.structuredContent, { data: { id: scene.user.id } });
});
