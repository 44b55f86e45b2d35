import { createServer } from 'node:http';
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { startDocumentServer } from '../../support/oauth/document-server.js';
import { createScene } from '../../support/oauth/users.js';
import { freePort } from '../../support/server/free-port.js';
import type { Test } from '../../support/tap.js';
import { signIn } from './browser-steps.js';
import { browserTest } from './chromium.js';

/** Receives the response of the authorization server on a free port, as clients on a computer do. */
async function startCallback(t: Test) {
  const port = await freePort();
  const received: URLSearchParams[] = [];
  const url = `http://localhost:${port}/callback`;
  const server = createServer((request, response) => {
    received.push(new URL(request.url ?? '', url).searchParams);
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Connected</title><link rel="icon" href="data:,"><p>Connected');
  }).listen(port);
  t.teardown(() => server.close());
  return { url, received };
}

/** A client that knows only the URL of its metadata document, and shows the user the addresses that it is sent to. */
function createProvider(clientMetadataUrl: string, redirectUrl: string) {
  const stored: { tokens?: StoredOAuthTokens; verifier?: string; client?: { client_id: string } } = {};
  const addresses: URL[] = [];
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadataUrl,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    clientInformation: () => stored.client,
    saveClientInformation: (client) => void Object.assign(stored, { client }),
    state: () => 'a state of the client',
    tokens: () => stored.tokens,
    saveTokens: (tokens) => void Object.assign(stored, { tokens }),
    codeVerifier: () => stored.verifier ?? '',
    saveCodeVerifier: (verifier) => void Object.assign(stored, { verifier }),
    redirectToAuthorization: (address) => void addresses.push(address),
  };
  return { provider, addresses, stored };
}

browserTest(
  'a client that no one has registered connects with the URL of the endpoint and its metadata document',
  async (t, page, { api, baseUrl }) => {
    const documents = await startDocumentServer(t);
    const callback = await startCallback(t);
    documents.document.redirect_uris = ['http://localhost/callback'];
    documents.document.client_name = 'Assistant';
    const { user } = await createScene(api.database);
    const { provider, addresses, stored } = createProvider(documents.url, callback.url);
    const endpoint = new URL(`${baseUrl}/mcp`);
    const first = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
    await t.rejects(new Client({ name: 'test', version: '1' }).connect(first), { name: 'UnauthorizedError' });
    t.equal(stored.client?.client_id, documents.url);

    await signIn(page, user, String(addresses[0]));
    await page.getByRole('heading', { name: 'Approve Assistant for your account?' }).waitFor();
    t.match(await page.getByRole('main').innerText(), /client\.localhost/);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('heading', { name: /^Authorize Assistant/ }).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(`${callback.url}?**`);

    await first.finishAuth(callback.received[0] ?? new URLSearchParams());
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider: provider }));
    t.teardown(() => client.close());
    const { tools } = await client.listTools();
    t.ok(tools.some(({ name }) => name === 'listEmployees'));
    t.notOk((await client.callTool({ name: 'listEmployees', arguments: { page_size: 1 } })).isError);
  },
);
