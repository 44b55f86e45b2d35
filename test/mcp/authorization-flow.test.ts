import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { listenForMcp } from '../support/mcp/mcp-app.js';
import { createScene, type Scene, signedInBrowser } from '../support/oauth/users.js';
import type { TestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await listenForMcp(t);

/** A client that knows only its client id, and whose user selects Allow. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata;
  readonly #api: TestApp;
  readonly #scene: Scene;
  authorizationUrl?: URL;
  callback?: URLSearchParams;
  #tokens?: StoredOAuthTokens;
  #verifier = '';

  constructor(served: TestApp, scene: Scene) {
    this.#api = served;
    this.#scene = scene;
    this.redirectUrl = scene.redirectUri;
    this.clientMetadata = { redirect_uris: [scene.redirectUri], token_endpoint_auth_method: 'none' };
  }

  clientInformation() {
    return { client_id: this.#scene.application.clientId };
  }

  state() {
    return 'a state of the client';
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens) {
    this.#tokens = tokens;
  }

  codeVerifier() {
    return this.#verifier;
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }

  async redirectToAuthorization(url: URL) {
    this.authorizationUrl = url;
    const browser = await signedInBrowser(this.#api, this.#scene.user);
    const path = `${url.pathname}${url.search}`;
    const response = await browser.submitForm(await browser.open(path), path, { decision: 'allow' });
    this.callback = new URL(String(response.headers.location)).searchParams;
  }
}

t.test('a client discovers the authorization server, and its user allows access with PKCE', async (t) => {
  const scene = await createScene(api.database);
  const provider = new Provider(api, scene);
  const url = new URL(`${api.baseUrl}/mcp`);
  const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
  await t.rejects(new Client({ name: 'test', version: '1' }).connect(first), { name: 'UnauthorizedError' });
  const asked = provider.authorizationUrl?.searchParams;
  t.equal(provider.authorizationUrl?.origin, api.baseUrl);
  t.equal(asked?.get('code_challenge_method'), 'S256');
  t.equal(asked?.get('resource'), `${api.baseUrl}/mcp`);
  await first.finishAuth(provider.callback ?? new URLSearchParams());

  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
  t.teardown(() => client.close());
  const result = await client.callTool({ name: 'getCurrentUser', arguments: {} });
  t.notOk(result.isError);
  t.match(result.structuredContent, { data: { id: scene.user.id } });
});
