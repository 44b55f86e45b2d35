import type { Role } from '../platform/accounts/user.js';
import { toEpochSeconds } from '../platform/clock.js';
import type { components } from '../platform/contract/generated.js';
import { hashSecret } from '../platform/crypto/keyring.js';
import type { Database } from '../platform/database/client.js';
import { accountScope, withScope } from '../platform/database/scope.js';
import { isStillGranted } from './authentication.js';
import { type Application, type Client, isApplication } from './clients/client-registry.js';
import {
  type ClientCall,
  invalidClient,
  readClientCredentials,
  requireAuthentication,
  requireParameter,
} from './clients/credentials.js';
import { mayGrant } from './scopes.js';
import type { OAuthServices } from './services.js';
import { tokenType } from './tokens/access-tokens.js';

type IntrospectionForm = components['schemas']['TokenIntrospectionRequest'];
type Introspection = components['schemas']['TokenIntrospection'];

/** For every token that is not active, whatever the reason, so that it reveals nothing about a token of another application. */
const inactive: Introspection = { active: false };

/**
 * Describes a token to the application that it was issued to: whether it can be used now, and for what. The scopes are those that a
 * request with the token has.
 *
 * @throws {Problem} 400 `invalid_request`; 401 `invalid_client`, also for a public client, which cannot authenticate; 429
 *   `rate_limit_exceeded`
 * @see RFC 7662 section 2
 */
export async function introspectToken(
  services: OAuthServices,
  form: IntrospectionForm,
  call: ClientCall,
): Promise<Introspection> {
  const token = requireParameter('token', form.token);
  const credentials = readClientCredentials(form, call.authorization);
  const client = await services.clientAuthentication.identify(credentials, call);
  if (client.clientType === 'public')
    throw invalidClient(
      credentials,
      'Introspection requires client authentication. A public client has none.',
    );
  requireAuthentication(credentials);
  // The format of the token shows its type, so token_type_hint is not needed.
  return (
    (await describeAccessToken(services, token, client, call)) ??
    (await describeRefreshToken(services, token, client, call)) ??
    inactive
  );
}

async function describeAccessToken(
  { accessTokens, findLiveToken }: OAuthServices,
  token: string,
  client: Client,
  { onAuthenticated }: ClientCall,
): Promise<Introspection | null> {
  const claims = await accessTokens.read(token);
  if (claims === null || claims.clientId !== client.clientId) return null;
  const live = await findLiveToken(claims);
  if (live === null) return null;
  const { accountId, applicationId: id, user, generation: tokenGeneration } = live;
  const { clientId, installation, jkt } = claims;
  // The request belongs to the account in which the token was issued.
  const application: Application = { ...client, id, accountId, tokenGeneration, installation };
  onAuthenticated(application);
  return {
    active: true,
    scope: claims.scopes.filter((scope) => isStillGranted(scope, live)).join(' '),
    client_id: clientId,
    account: accountId,
    ...(user !== null && { sub: user.id }),
    token_type: tokenType(jkt),
    ...(jkt !== null && { cnf: { jkt } }),
    exp: claims.expiresAt,
    iat: claims.issuedAt,
  };
}

async function describeRefreshToken(
  { database, clock, installations }: OAuthServices,
  token: string,
  client: Client,
  { onAuthenticated }: ClientCall,
): Promise<Introspection | null> {
  const hash = hashSecret(token);
  const application = await findApplication(installations, hash, client);
  if (application === null) return null;
  const found = await findLiveRefreshToken(database, application, { hash, now: clock() });
  if (found === null) return null;
  onAuthenticated(application);
  const { userId, role, scopes, createdAt, expiresAt } = found;
  const granted = scopes.filter((scope) => application.scopes.includes(scope) && mayGrant(role, scope));
  // A refresh needs one at least.
  if (granted.length === 0) return null;
  return {
    active: true,
    scope: granted.join(' '),
    client_id: client.clientId,
    account: application.accountId,
    sub: userId,
    token_type: 'N_A',
    exp: toEpochSeconds(expiresAt),
    iat: toEpochSeconds(createdAt),
  };
}

/** The application in the account in which a refresh token was issued; `null` when it must be approved again. */
async function findApplication(
  installations: OAuthServices['installations'],
  hash: Buffer,
  client: Client,
): Promise<Application | null> {
  if (!client.shared) return isApplication(client) ? client : null;
  const found = await installations.findBySecret({ kind: 'refresh_token', hash }, client);
  return found === null || found.suspended ? null : found;
}

/** A refresh token that can be used, with its grant and user. */
interface LiveRefreshToken {
  readonly userId: string;
  readonly role: Role;
  /** Scopes of the grant now. */
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * Finds a refresh token that was issued to this application and can be used; `null` when it is unknown, expired, superseded or
 * revoked, or its user is disabled.
 */
async function findLiveRefreshToken(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, id: applicationId }: Application,
  { hash, now }: { readonly hash: Buffer; readonly now: Date },
): Promise<LiveRefreshToken | null> {
  const [token] = await withScope(
    accountScope(accountId),
    () => prisma.$queryRaw<LiveRefreshToken[]>`
      SELECT users.id AS "userId", users.role, grants.scopes, token.created_at AS "createdAt", token.expires_at AS "expiresAt"
      FROM refresh_tokens token
        JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
        JOIN users ON users.account_id = grants.account_id AND users.id = grants.user_id
      WHERE token.token_hash = ${hash} AND token.account_id = ${accountId} AND grants.application_id = ${applicationId}
        AND token.used_at IS NULL AND token.expires_at > ${now}
        AND grants.revoked_at IS NULL AND users.disabled_at IS NULL`,
  );
  return token ?? null;
}
