import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { withClient } from '../database/server.mjs';
import { addGrants, tenants } from '../database/tenants.mjs';
import { exchangeAll, exchangeOnce, requestBytes } from '../load/connection.mjs';
import { baseUrl } from '../root.mjs';
import { clientForm, tokenRequest } from '../subjects/ours.mjs';
import { startOidcProvider } from '../subjects/peers.mjs';
import { comparison } from './comparison.mjs';
import { sizes } from './sizes.mjs';

const oidcProvider = 'oidc-provider, JWT, in memory';
const connections = 32;
const clients = tenants(sizes.tenants.tenants);

/** Works that issue tokens, against the authorization server that Node programs mostly use. */
export const tokenWorks = [
  {
    name: 'token',
    title: 'Client credentials token (32 connections)',
    ours: ours(credentialsJob('/v1/oauth/token')),
    peers: [peer(credentialsJob('/token'))],
    bars: { [oidcProvider]: 1.6 },
  },
  {
    name: 'refresh',
    title: 'Refresh token rotation (32 connections, a chain each)',
    ours: ours(ourChainsJob),
    peers: [peer(peerChainsJob)],
    bars: { [oidcProvider]: 1.2 },
  },
].map((work) => comparison({ ...work, database: 'tenants', connections }));

function ours(makeJob) {
  return async ({ database, startOurs }) => {
    const subject = await startOurs();
    return { name: 'our server', subject, job: () => makeJob({ database }), verify: useTokens(subject) };
  };
}

function peer(makeJob) {
  return async ({ start }) => {
    const subject = await start(startOidcProvider(clients));
    return { name: oidcProvider, subject, job: () => makeJob({ subject }), verify: checkTokens(subject) };
  };
}

function credentialsJob(path) {
  const requests = clients.map((client) => ({ bytes: tokenRequest({ ...client, path }), shape: 'token' }));
  return async () => ({ driver: 'fixedRequests', input: { requests } });
}

/** Chains are new in each round, so that none gets longer than those of the others. */
async function ourChainsJob({ database }) {
  const refreshTokens = Array.from({ length: connections }, () => randomBytes(25).toString('hex'));
  const owners = await withClient(database.url, (client) =>
    addGrants({ client, tenantCount: clients.length, refreshTokens }),
  );
  return chainsJob('/v1/oauth/token', refreshTokens, owners);
}

async function peerChainsJob({ subject }) {
  const owners = clients.slice(0, connections);
  const grants = owners.map(({ clientId }, index) => ({ clientId, user: `user${index}` }));
  const { refreshTokens } = await subject.ask({ grants });
  return chainsJob('/token', refreshTokens, owners);
}

function chainsJob(path, refreshTokens, owners) {
  const chains = refreshTokens.map((refreshToken, index) => ({
    refreshToken,
    client: clientForm(owners[index]),
  }));
  return { driver: 'tokenChains', input: { path, chains } };
}

/** Calls the API with the tokens that were handed out. */
function useTokens({ ports: [port] }) {
  return async ({ tokens }) => {
    const requests = tokens.map((token) =>
      requestBytes({ path: '/v1/employees', headers: { authorization: `Bearer ${token}` } }),
    );
    for (const { status, body } of await exchangeAll({ port }, requests)) {
      if (status !== 200) throw new Error(`A token that was just issued is answered with ${status}: ${body}`);
    }
  };
}

/** Checks the tokens with the keys that the server publishes. */
function checkTokens({ ports: [port] }) {
  return async ({ tokens }) => {
    const { body } = await exchangeOnce({ port }, requestBytes({ path: '/jwks' }));
    const keys = createLocalJWKSet(JSON.parse(body.toString()));
    for (const token of tokens) {
      await jwtVerify(token, keys, { issuer: baseUrl, algorithms: ['ES256'], typ: 'at+jwt' });
    }
  };
}
