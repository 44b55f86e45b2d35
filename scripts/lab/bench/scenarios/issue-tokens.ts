import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { withClient } from '../../kit/database/postgresql.js';
import { scopes, type Tenant, tenants } from '../../kit/database/tenants.js';
import { HttpClient, jsonOf } from '../../kit/http/client.js';
import { clientCredentials, get } from '../../kit/http/requests.js';
import type { Job } from '../../kit/load/load.js';
import { baseUrl } from '../../kit/paths.js';
import type { ServerProcess } from '../../kit/server/process.js';
import type { GrantRequest } from '../baselines/oidc-provider.js';
import { startOidcProvider } from '../baselines/start.js';
import type { Scenario } from '../context.js';
import { sizes, tenantData } from '../databases.js';
import type { Target } from '../rounds.js';
import { comparison } from './comparison.js';
import type { Setting } from './setting.js';

const oidcProvider = 'oidc-provider, JWT, in memory';
const connections = 32;
const clients = tenants(sizes.tenants.tenants);

type JobOf = (setting: Setting, server: ServerProcess) => Promise<Job>;

/** Scenarios that issue tokens, compared with a common authorization server for Node.js. */
export const tokenScenarios: readonly Scenario[] = [
  comparison({
    name: 'token',
    title: 'Client credentials token (32 connections)',
    database: 'tenants',
    connections,
    ours: ours(credentialsJob('/v1/oauth/token')),
    baselines: [baseline(credentialsJob('/token'))],
    bars: { [oidcProvider]: 1.6 },
  }),
  comparison({
    name: 'refresh',
    title: 'Refresh token rotation (32 connections, a chain each)',
    database: 'tenants',
    connections,
    ours: ours(ourChainsJob),
    baselines: [baseline(baselineChainsJob)],
    bars: { [oidcProvider]: 1.2 },
  }),
];

function ours(createJob: JobOf) {
  return async (setting: Setting): Promise<Target> => {
    const server = await setting.startOurs();
    return {
      name: 'our server',
      role: 'ours',
      service: server,
      job: () => createJob(setting, server),
      verify: ({ tokens }) => callApi(server, tokens),
    };
  };
}

function baseline(createJob: JobOf) {
  return async (setting: Setting): Promise<Target> => {
    const server = await setting.start(startOidcProvider(clients));
    return {
      name: oidcProvider,
      role: 'oidc-provider',
      service: server,
      job: () => createJob(setting, server),
      verify: ({ tokens }) => verifySignatures(server, tokens),
    };
  };
}

function credentialsJob(path: string): JobOf {
  const requests = clients.map((client) => ({
    request: clientCredentials(client, scopes.join(' '), path),
    shape: 'token' as const,
  }));
  return async () => ({ load: 'fixedRequests', input: { requests } });
}

/** Each round has new chains, so that they are equally long in all rounds. */
async function ourChainsJob({ database, schemaRoot }: Setting): Promise<Job> {
  const { addGrants } = await tenantData(schemaRoot);
  const refreshTokens = Array.from({ length: connections }, () => randomBytes(25).toString('hex'));
  const owners = await withClient(database.url, async (client) => {
    const owners = await addGrants(client, { tenantCount: clients.length, refreshTokens });
    // As autovacuum does. A server that was first to use the empty tables would keep the plan for them.
    await client.query('ANALYZE grants, refresh_tokens');
    return owners;
  });
  return chainsJob('/v1/oauth/token', refreshTokens, owners);
}

async function baselineChainsJob(_setting: Setting, server: ServerProcess): Promise<Job> {
  const owners = clients.slice(0, connections);
  const grants: GrantRequest[] = owners.map(({ clientId }, index) => ({ clientId, user: `user${index}` }));
  const { refreshTokens } = await server.message<{ refreshTokens: string[] }>({ grants });
  return chainsJob('/token', refreshTokens, owners);
}

function chainsJob(path: string, refreshTokens: readonly string[], owners: readonly Tenant[]): Job {
  const chains = refreshTokens.map((refreshToken, index) => ({ refreshToken, client: owners[index] }));
  return { load: 'tokenChains', input: { path, chains } };
}

/** Calls the API with issued tokens. */
async function callApi({ port }: ServerProcess, tokens: readonly string[]): Promise<void> {
  const client = new HttpClient(port);
  for (const token of tokens) {
    const { status, body } = await client.send(get('/v1/employees', token));
    if (status !== 200) throw new Error(`The API rejects a token that was just issued: ${status} ${body}`);
  }
  client.close();
}

/** Verifies issued tokens with the published keys of the server. */
async function verifySignatures({ port }: ServerProcess, tokens: readonly string[]): Promise<void> {
  const client = new HttpClient(port);
  const keys = createLocalJWKSet(jsonOf(await client.send({ path: '/jwks' })));
  client.close();
  for (const token of tokens) {
    await jwtVerify(token, keys, { issuer: baseUrl, algorithms: ['ES256'], typ: 'at+jwt' });
  }
}
