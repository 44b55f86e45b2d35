import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import type { Tenant } from '../../kit/database/tenants.js';
import { scopes } from '../../kit/database/tenants.js';
import { HttpClient, jsonOf } from '../../kit/http/client.js';
import { type ProofSettings, signProof } from '../../kit/http/dpop.js';
import { clientCredentials } from '../../kit/http/requests.js';
import type { FixedRequest } from '../../kit/load/fixed-requests.js';
import type { ServerProcess } from '../../kit/server/process.js';
import type { Target } from '../rounds.js';
import type { Read } from './reads.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicJwk = publicKey.export({ format: 'jwk' }) as JWK;
const privateJwk = privateKey.export({ format: 'jwk' }) as JWK;
const proofsWith = (nonce: string): ProofSettings => ({ privateKey, publicJwk, nonce });

/**
 * Requests with access tokens that are bound to a key, each with a proof of its own. The responses are verified once. Each round
 * starts with a new nonce.
 */
export async function dpopReadTarget(
  label: Pick<Target, 'name' | 'role'>,
  server: ServerProcess,
  reads: readonly Read[],
): Promise<Target> {
  const client = new HttpClient(server.port);
  const callers = [...new Map(reads.map(({ tenant }) => [tenant.accountId, tenant])).values()];
  const first = callers[0];
  if (first === undefined) throw new Error('There are no reads');
  const nonce = await requestNonce(client, first);
  const tokens = new Map<string, string>();
  for (const tenant of callers) tokens.set(tenant.accountId, await requestToken(client, tenant, nonce));
  const requests: FixedRequest[] = [];
  for (const { tenant, path, isCorrect } of reads) {
    const request = { path, headers: { authorization: `DPoP ${tokens.get(tenant.accountId)}` } };
    const dpop = signProof(request, proofsWith(nonce));
    const { status, body } = await client.send({ ...request, headers: { ...request.headers, dpop } });
    if (status !== 200 || !isCorrect(JSON.parse(body.toString())))
      throw new Error(
        `${label.name}: wrong response to ${path}: ${status} ${body.toString().slice(0, 1000)}`,
      );
    requests.push({ request, expected: body });
  }
  client.close();
  return {
    ...label,
    service: server,
    job: async () => {
      const connection = new HttpClient(server.port);
      const proofs = { privateJwk, publicJwk, nonce: await requestNonce(connection, first) };
      connection.close();
      return { load: 'dpopRequests', input: { requests, proofs } };
    },
  };
}

/** A nonce of the server, from the response to a proof without one. */
async function requestNonce(client: HttpClient, tenant: Tenant): Promise<string> {
  const { headers } = await sendTokenRequest(client, tenant, '');
  const nonce = headers['dpop-nonce'];
  if (nonce === undefined) throw new Error('A response without a nonce');
  return String(nonce);
}

async function requestToken(client: HttpClient, tenant: Tenant, nonce: string): Promise<string> {
  const response = await sendTokenRequest(client, tenant, nonce);
  if (response.status !== 200) throw new Error(`No token for ${tenant.clientId}: ${response.body}`);
  return jsonOf(response).access_token;
}

function sendTokenRequest(client: HttpClient, tenant: Tenant, nonce: string) {
  const request = clientCredentials(tenant, scopes.join(' '));
  const dpop = signProof(request, proofsWith(nonce));
  return client.send({ ...request, headers: { ...request.headers, dpop } });
}
