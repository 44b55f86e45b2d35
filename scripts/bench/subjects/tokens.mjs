import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { exchangeAll } from '../load/connection.mjs';
import { baseUrl } from '../root.mjs';
import { tokenRequest } from './ours.mjs';

/**
 * Gets an access token for each tenant, as its application does.
 *
 * @param {import('./subject.mjs').Subject} ours
 * @param {import('../database/tenants.mjs').Tenant[]} tenants
 * @returns {Promise<Map<string, string>>} by account
 */
export async function requestTokens({ ports: [port] }, tenants) {
  const answers = await exchangeAll({ port }, tenants.map(tokenRequest));
  return new Map(
    answers.map(({ status, body }, index) => {
      if (status !== 200) throw new Error(`No token for ${tenants[index].clientId}: ${body}`);
      return [tenants[index].accountId, JSON.parse(body.toString()).access_token];
    }),
  );
}

/**
 * Makes tokens like ours for a server that does not issue any; they say which account they are for.
 *
 * @param {import('../database/tenants.mjs').Tenant[]} tenants
 * @returns {Promise<{ keys: object, tokens: Map<string, string> }>} keys: what checks the tokens
 */
export async function makeTokens(tenants) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const tokens = new Map();
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
