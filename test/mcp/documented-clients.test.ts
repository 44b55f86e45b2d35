import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  Client,
  ClientCredentialsProvider,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { packageRoot } from '../../src/platform/package-root.js';
import { createThroughPage, credentialsOn } from '../support/browser/pages.js';
import { listenForMcp } from '../support/mcp/mcp-app.js';
import { connect, textOf } from '../support/mcp/mcp-client.js';
import { createScene, signedInBrowser, type TestUser } from '../support/oauth/users.js';
import t, { type Test } from '../support/tap.js';

const api = await listenForMcp(t);
const { prisma } = api.database;
const url = new URL(`${api.baseUrl}/mcp`);
const scopes = ['reports:read', 'user:read'];

/** The section of docs/mcp.md for a client. */
function sectionFor(client: string): string {
  const text = readFileSync(path.join(packageRoot, 'docs', 'mcp.md'), 'utf8');
  const section = text.split(`### ${client}\n`)[1]?.split('\n### ')[0];
  if (section === undefined) throw new Error(`docs/mcp.md has no section for ${client}`);
  return section;
}

interface ServerSettings {
  readonly type: string;
  readonly url: string;
  readonly oauth: { readonly clientId: string; readonly callbackPort?: number; readonly scopes?: string };
}

/** The settings of the client in its section, and the redirect URI of its application. */
function settingsIn(section: string) {
  const settings = JSON.parse(/```json\n([^`]*)```/.exec(section)?.[1] ?? '');
  const { people } = (settings.mcpServers ?? settings.servers) as { people: ServerSettings };
  const redirectUri = /redirect URI `([^`]*)`|redirect\s+URI `([^`]*)`/.exec(section);
  return { ...people, redirectUri: redirectUri?.[1] ?? redirectUri?.[2] ?? '' };
}

/** Creates the application of a section with the form of the settings, and returns its client ID. */
async function createPublic(user: TestUser, redirectUri: string, more: string[][]): Promise<string> {
  const fields = { name: 'Assistant', client_type: 'public', redirect_uris: [redirectUri], scopes };
  await createThroughPage(await signedInBrowser(api, user), fields, more);
  const where = { accountId: user.accountId, name: 'Assistant' };
  return (await prisma.application.findFirstOrThrow({ where })).clientId;
}

/** A client with these settings, whose user selects Allow. */
function createProvider(user: TestUser, clientId: string, redirectUrl: string, scope?: string) {
  const stored: { tokens?: StoredOAuthTokens; verifier?: string } = {};
  const seen: { scopes: (string | null)[]; callback: URLSearchParams } = {
    scopes: [],
    callback: new URLSearchParams(),
  };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      ...(scope !== undefined && { scope }),
    },
    clientInformation: () => ({ client_id: clientId }),
    state: () => 'a state of the client',
    tokens: () => stored.tokens,
    saveTokens: (tokens) => void Object.assign(stored, { tokens }),
    codeVerifier: () => stored.verifier ?? '',
    saveCodeVerifier: (verifier) => void Object.assign(stored, { verifier }),
    async redirectToAuthorization(authorization) {
      const browser = await signedInBrowser(api, user);
      const address = `${authorization.pathname}${authorization.search}`;
      const page = await browser.open(address);
      const response = await browser.submitForm(page, address, { decision: 'allow' });
      const location = String(response.headers.location);
      if (!location.startsWith(`${redirectUrl}?`)) throw new Error(`${response.statusCode} ${location}`);
      seen.scopes.push(authorization.searchParams.get('scope'));
      seen.callback = new URL(location).searchParams;
    },
  };
  return { provider, seen };
}

/** Connects as a client that has no token, calls a tool, and then one that needs the other scope. */
async function useBothScopes(t: Test, user: TestUser, { provider, seen }: ReturnType<typeof createProvider>) {
  const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
  await t.rejects(new Client({ name: 'test', version: '1' }).connect(first), { name: 'UnauthorizedError' });
  await first.finishAuth(seen.callback);
  const reading = new StreamableHTTPClientTransport(url, { authProvider: provider });
  const reader = new Client({ name: 'test', version: '1' });
  await reader.connect(reading);
  t.teardown(() => reader.close());
  const { tools } = await reader.listTools();
  t.ok(tools.some(({ name }) => name === 'listEmployees'));
  t.notOk((await reader.callTool({ name: 'listEmployees', arguments: { page_size: 5 } })).isError);
  if (seen.scopes[0] !== scopes.join(' ')) {
    await t.rejects(reader.callTool({ name: 'getCurrentUser', arguments: {} }));
    await reading.finishAuth(seen.callback);
  }
  const client = await connect(t, api.baseUrl, provider);
  await client.listTools();
  const result = await client.callTool({ name: 'getCurrentUser', arguments: {} });
  t.match(result.structuredContent, { data: { id: user.id } });
}

t.test('Claude Code connects with the steps of its section', async (t) => {
  const section = sectionFor('Claude Code');
  const { type, oauth, redirectUri } = settingsIn(section);
  t.equal(type, 'http');
  t.match(section, /setting \[In development\]/);
  const { user } = await createScene(api.database);
  const clientId = await createPublic(user, redirectUri, [['in_development', 'yes']]);
  const callback = redirectUri.replace('http://localhost', `http://localhost:${oauth.callbackPort}`);
  t.not(callback, redirectUri);
  const client = createProvider(user, clientId, callback, oauth.scopes);
  await useBothScopes(t, user, client);
  // The client of the test requests the scope of the challenge first, whatever its settings are.
  t.ok(client.seen.scopes.includes(oauth.scopes ?? ''));
});

t.test(
  'Visual Studio Code connects with the steps of its section, and asks again for the second scope',
  async (t) => {
    const { type, oauth, redirectUri } = settingsIn(sectionFor('Visual Studio Code'));
    t.equal(type, 'http');
    t.same(Object.keys(oauth), ['clientId']);
    const { user } = await createScene(api.database);
    const clientId = await createPublic(user, redirectUri, []);
    const client = createProvider(user, clientId, redirectUri);
    await useBothScopes(t, user, client);
    t.same(client.seen.scopes, ['reports:read', 'reports:read user:read']);
  },
);

t.test('a server agent connects with the steps of its section, and has no user', async (t) => {
  const section = sectionFor('A server agent');
  const [, scope = ''] = /scope: '([^']*)'/.exec(section) ?? [];
  const { user } = await createScene(api.database);
  const fields = { name: 'Agent', client_type: 'confidential', redirect_uris: [], scopes };
  const page = await createThroughPage(await signedInBrowser(api, user), fields);
  const authProvider = new ClientCredentialsProvider({
    ...credentialsOn(page),
    expectedIssuer: api.baseUrl,
    scope,
  });
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  t.teardown(() => client.close());
  const { tools } = await client.listTools();
  t.ok(tools.every(({ annotations }) => annotations?.readOnlyHint));
  t.notOk((await client.callTool({ name: 'listEmployees', arguments: { page_size: 5 } })).isError);
  const both = await connect(
    t,
    api.baseUrl,
    new ClientCredentialsProvider({
      ...credentialsOn(page),
      expectedIssuer: api.baseUrl,
      scope: scopes.join(' '),
    }),
  );
  const rejected = await both.callTool({ name: 'getCurrentUser', arguments: {} });
  t.equal(rejected.isError, true);
  t.match(textOf(rejected), /user_context_required/);
});
