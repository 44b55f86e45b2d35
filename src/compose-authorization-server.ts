import type { Clock } from './clock.js';
import type { Config } from './config/config.js';
import type { Database } from './database/client.js';
import { AccessTokens } from './oauth/access-tokens.js';
import { AuthorizationEndpoint } from './oauth/authorization/authorization-endpoint.js';
import { ClientAuthentication } from './oauth/client-authentication.js';
import { RevocationEndpoint } from './oauth/revocation-endpoint.js';
import type { SigningKeys } from './oauth/signing-keys.js';
import { TokenEndpoint } from './oauth/token-endpoint.js';
import type { ClientRegistry } from './services/applications/client-registry.js';
import type { SecretUse } from './services/applications/secret-use.js';
import type { AuditLog } from './services/audit-log.js';
import type { FailureLimit } from './services/failure-limit.js';
import { AuthorizationCodes } from './services/grants/authorization-codes.js';
import type { Grants } from './services/grants/grants.js';
import { AccessTokenRevocations } from './services/tokens/access-token-revocations.js';
import { RefreshTokens } from './services/tokens/refresh-tokens.js';

interface Dependencies {
  readonly config: Config;
  readonly database: Database;
  readonly signingKeys: SigningKeys;
  readonly clock: Clock;
  readonly applications: ClientRegistry;
  readonly secretUse: SecretUse;
  readonly failureLimit: FailureLimit;
  readonly auditLog: AuditLog;
  readonly grants: Grants;
}

/** Endpoints and access tokens of the authorization server. */
export interface AuthorizationServer {
  readonly accessTokens: AccessTokens;
  readonly authorizationEndpoint: AuthorizationEndpoint;
  readonly tokenEndpoint: TokenEndpoint;
  readonly revocationEndpoint: RevocationEndpoint;
}

/** Creates the endpoints of the authorization server and the services that only they use. */
export function composeAuthorizationServer(dependencies: Dependencies): AuthorizationServer {
  const { config, database, signingKeys, clock } = dependencies;
  const { applications, secretUse, failureLimit, auditLog, grants } = dependencies;
  const { baseUrl: issuer, refreshTokenTtlSeconds, replayLeewaySeconds } = config;
  const ttlSeconds = config.accessTokenTtlSeconds;
  const accessTokens = new AccessTokens(signingKeys, { issuer, ttlSeconds, clock });
  const clientAuthentication = new ClientAuthentication({ applications, secretUse, failureLimit, auditLog });
  const codes = new AuthorizationCodes(database, grants);
  const refreshTokens = new RefreshTokens(database, {
    grants,
    clock,
    refreshTokenTtlSeconds,
    replayLeewaySeconds,
  });
  return {
    accessTokens,
    authorizationEndpoint: new AuthorizationEndpoint({
      codes,
      applications,
      auditLog,
      clock,
      issuer,
      codeTtlSeconds: config.authorizationCodeTtlSeconds,
    }),
    tokenEndpoint: new TokenEndpoint(clientAuthentication, {
      codes,
      refreshTokens,
      accessTokens,
      auditLog,
      clock,
      refreshTokenTtlSeconds,
      replayLeewaySeconds,
    }),
    revocationEndpoint: new RevocationEndpoint({
      grants,
      refreshTokens,
      revocations: new AccessTokenRevocations(database),
      clientAuthentication,
      accessTokens,
      clock,
    }),
  };
}
