import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import { scopes, type Tenant } from '../../kit/database/tenants.js';
import { HttpClient, jsonOf } from '../../kit/http/client.js';
import { clientCredentials } from '../../kit/http/requests.js';
import { baseUrl } from '../../kit/paths.js';
import type { ServerProcess } from '../../kit/server/process.js';

/** Requests an access token for the application of each tenant. @returns tokens by account */
export async function requestTokens(
  { port }: ServerProcess,
  tenants: readonly Tenant[],
): Promise<Map<string, string>> {
  const client = new HttpClient(port);
  const tokens = new Map<string, string>();
  for (const tenant of tenants) {
    const response = await client.send(clientCredentials(tenant, scopes.join(' ')));
    if (response.status !== 200) throw new Error(`No token for ${tenant.clientId}: ${response.body}`);
    tokens.set(tenant.accountId, jsonOf(response).access_token);
  }
  client.close();
  return tokens;
}

/**
 * Signs tokens like ours for a server that issues none. They contain the account.
 *
 * @returns keys: public keys that verify the tokens; tokens: by account
 */
export async function signTokens(
  tenants: readonly Tenant[],
): Promise<{ keys: JSONWebKeySet; tokens: Map<string, string> }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const tokens = new Map<string, string>();
  for (const { accountId, clientId } of tenants) {
    const token = await new SignJWT({ client_id: clientId, scope: 'reports:read', account_id: accountId })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
      .setIssuer(baseUrl)
      .setAudience(baseUrl)
      .setSubject(clientId)
      .setIssuedAt()
      .setExpirationTime('1h')
      .setJti(clientId)
      .sign(privateKey);
    tokens.set(accountId, token);
  }
  return { keys: { keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256' }] }, tokens };
}
