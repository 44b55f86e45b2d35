import { change } from '../platform/changes/change.js';
import { lock } from '../platform/changes/locks.js';
import type { components } from '../platform/contract/generated.js';
import { hashSecret } from '../platform/crypto/keyring.js';
import { Problem } from '../platform/problems/problem.js';
import { type Application, type Client, isApplication } from './clients/client-registry.js';
import {
  type ClientCall,
  readClientCredentials,
  requireAuthentication,
  requireParameter,
} from './clients/credentials.js';
import type { OAuthServices } from './services.js';

type RevocationForm = components['schemas']['TokenRevocationRequest'];

/**
 * Revokes a token for the application that it was issued to. Revoking a refresh token, current or superseded, revokes its whole grant.
 * Unknown and expired tokens are not an error.
 *
 * @throws {Problem} 400 `invalid_request`, 401 `invalid_client`, 400 `unauthorized_client` for the token of
 *   another application, 429 `rate_limit_exceeded`
 * @see RFC 7009 section 2
 */
export async function revokeToken(
  services: OAuthServices,
  form: RevocationForm,
  call: ClientCall,
): Promise<void> {
  const token = requireParameter('token', form.token);
  const credentials = readClientCredentials(form, call.authorization);
  const client = await services.clientAuthentication.identify(credentials, call);
  if (client.clientType === 'confidential') requireAuthentication(credentials);
  // The format of the token shows its type, so token_type_hint is not needed.
  if (await revokeRefreshToken(services, token, client, call)) return;
  await revokeAccessToken(services, token, client, call);
}

async function revokeRefreshToken(
  { grants, refreshTokens, installations, clock }: OAuthServices,
  value: string,
  client: Client,
  call: ClientCall,
): Promise<boolean> {
  const hash = hashSecret(value);
  const grant = await refreshTokens.findGrant(hash);
  if (grant === undefined) return false;
  const application = client.shared
    ? await installations.findBySecret({ kind: 'refresh_token', hash }, client)
    : client;
  const { accountId, id: applicationId } = requireApplication(application, call);
  if (grant.accountId !== accountId || grant.applicationId !== applicationId)
    throw tokenOfAnotherApplication();
  await grants.revoke({
    grantId: grant.id,
    at: clock(),
    event: { type: 'grant.revoked', accountId, applicationId, userId: grant.userId, origin: call.origin },
  });
  return true;
}

async function revokeAccessToken(
  { database, accessTokens, installations, clock }: OAuthServices,
  value: string,
  client: Client,
  call: ClientCall,
): Promise<void> {
  const claims = await accessTokens.read(value);
  if (claims === null) return;
  if (claims.clientId !== client.clientId) throw tokenOfAnotherApplication();
  const { installation } = claims;
  // Without the installation the token is rejected already.
  const application =
    installation === null ? client : await installations.findByInternalId(installation, client);
  if (application === null) return;
  const { accountId, id: applicationId } = requireApplication(application, call);
  const userId = claims.grantId === null ? null : claims.subject;
  const context = { accountId, applicationId, userId, origin: call.origin, at: clock() };
  await change(database.prisma, context, lock.nothing, async (unit) => {
    const { count } = await unit.tx.revokedAccessToken.createMany({
      data: [{ jti: claims.tokenId, accountId, expiresAt: new Date(claims.expiresAt * 1000) }],
      skipDuplicates: true,
    });
    // Not when the token is already revoked.
    if (count > 0) await unit.record('token.revoked');
  });
}

/**
 * The application in the account in which the token was issued, which the request is counted for.
 *
 * @throws {Problem} 400 `unauthorized_client` when the token was issued in no account of the client
 */
function requireApplication(client: Client | null, { onAuthenticated }: ClientCall): Application {
  if (client === null || !isApplication(client)) throw tokenOfAnotherApplication();
  onAuthenticated(client);
  return client;
}

function tokenOfAnotherApplication(): Problem {
  return new Problem('unauthorized_client', 'The token was issued to another application.');
}
