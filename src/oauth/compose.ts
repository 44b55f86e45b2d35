import type { AuditLog } from '../platform/audit/audit-log.js';
import type { Clock } from '../platform/clock.js';
import type { Config } from '../platform/config/config.js';
import type { FailureLimit } from '../platform/limits/failure-limit.js';
import { AuthorizationEndpoint } from './authorization/authorization-endpoint.js';
import { ClientAuthentication } from './clients/client-authentication.js';
import type { ClientRegistry } from './clients/client-registry.js';
import type { SecretUse } from './clients/secret-use.js';
import type { AuthorizationCodes } from './grants/authorization-codes.js';
import type { Grants } from './grants/grants.js';
import type { SigningKeys } from './keys/signing-keys.js';
import { RevocationEndpoint } from './revocation-endpoint.js';
import { TokenEndpoint } from './token-endpoint.js';
import type { AccessTokenRevocations } from './tokens/access-token-revocations.js';
import { AccessTokens } from './tokens/access-tokens.js';
import type { RefreshTokens } from './tokens/refresh-tokens.js';

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
