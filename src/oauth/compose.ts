import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import type { ClientRegistry } from '../services/applications/client-registry.js';
import type { SecretUse } from '../services/applications/secret-use.js';
import type { AuditLog } from '../services/audit-log.js';
import type { FailureLimit } from '../services/failure-limit.js';
import type { AuthorizationCodes } from '../services/grants/authorization-codes.js';
import type { Grants } from '../services/grants/grants.js';
import type { AccessTokenRevocations } from '../services/tokens/access-token-revocations.js';
import type { RefreshTokens } from '../services/tokens/refresh-tokens.js';
import { AccessTokens } from './access-tokens.js';
import { AuthorizationEndpoint } from './authorization/authorization-endpoint.js';
import { ClientAuthentication } from './client-authentication.js';
import { RevocationEndpoint } from './revocation-endpoint.js';
import type { SigningKeys } from './signing-keys.js';
import { TokenEndpoint } from './token-endpoint.js';

export interface AuthorizationServerDependencies {
  readonly config: Config;
  readonly codes: AuthorizationCodes;
  readonly refreshTokens: RefreshTokens;
  readonly revocations: AccessTokenRevocations;
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

/** Creates the endpoints of the authorization server and their private dependencies. */
export function composeAuthorizationServer(
  dependencies: AuthorizationServerDependencies,
): AuthorizationServer {
  const { config, signingKeys, clock, codes, refreshTokens, revocations } = dependencies;
  const { applications, secretUse, failureLimit, auditLog, grants } = dependencies;
  const { baseUrl: issuer, refreshTokenTtlSeconds, replayLeewaySeconds } = config;
  const ttlSeconds = config.accessTokenTtlSeconds;
  const accessTokens = new AccessTokens(signingKeys, { issuer, ttlSeconds, clock });
  const clientAuthentication = new ClientAuthentication({ applications, secretUse, failureLimit, auditLog });
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
      revocations,
      clientAuthentication,
      accessTokens,
      clock,
    }),
  };
}
