import type { Core } from '../platform/core.js';
import { createAuthenticate } from './authentication.js';
import { AuthorizationEndpoint } from './authorization/authorization-endpoint.js';
import { ClientAuthentication } from './clients/client-authentication.js';
import { ClientRegistry } from './clients/client-registry.js';
import { SecretUse } from './clients/secret-use.js';
import { ConsentHandlers } from './consent/consent.js';
import { AuthorizationCodes } from './grants/authorization-codes.js';
import { Grants } from './grants/grants.js';
import type { SigningKeys } from './keys/signing-keys.js';
import { authorizationServerMetadata } from './metadata.js';
import { OAuthHandlers } from './oauth-handlers.js';
import { createRequestLimits } from './request-limits.js';
import { RevocationEndpoint } from './revocation-endpoint.js';
import { TokenEndpoint } from './token-endpoint.js';
import { AccessTokenRevocations } from './tokens/access-token-revocations.js';
import { AccessTokens } from './tokens/access-tokens.js';
import { RefreshTokens } from './tokens/refresh-tokens.js';
import { TokenStatus } from './tokens/token-status.js';

/** Creates the authorization server: its handlers, and what other features use of it. */
export function createAuthorizationServer(core: Core, signingKeys: SigningKeys) {
  const { config, contract, database, clock, auditLog, failureLimit } = core;
  const { baseUrl: issuer, refreshTokenTtlSeconds, replayLeewaySeconds } = config;
  const clients = new ClientRegistry(database);
  const secretUse = new SecretUse(database, clock, core.logger);
  const grants = new Grants(database);
  const codes = new AuthorizationCodes(database, grants);
  const lifetimes = { refreshTokenTtlSeconds, replayLeewaySeconds };
  const refreshTokens = new RefreshTokens(database, { grants, auditLog, clock, ...lifetimes });
  const accessTokens = new AccessTokens(signingKeys, {
    issuer,
    ttlSeconds: config.accessTokenTtlSeconds,
    clock,
  });
  const clientAuthentication = new ClientAuthentication({ clients, secretUse, failureLimit, auditLog });
  const authorizationEndpoint = new AuthorizationEndpoint({
    ...{ codes, clients, auditLog, clock, issuer },
    codeTtlSeconds: config.authorizationCodeTtlSeconds,
  });
  const { api, publicLimits } = createRequestLimits(config, core.counters);
  return {
    clients,
    secretUse,
    grants,
    authorizationEndpoint,
    authenticate: createAuthenticate(accessTokens, new TokenStatus(database), api),
    publicLimits,
    handlers: new OAuthHandlers({
      tokenEndpoint: new TokenEndpoint(clientAuthentication, {
        ...{ codes, refreshTokens, accessTokens, auditLog, clock, ...lifetimes },
      }),
      revocationEndpoint: new RevocationEndpoint({
        grants,
        refreshTokens,
        revocations: new AccessTokenRevocations(database),
        clientAuthentication,
        accessTokens,
        clock,
      }),
      signingKeys,
      metadata: authorizationServerMetadata(contract, issuer),
      limits: publicLimits,
    }),
    consentHandlers: new ConsentHandlers(authorizationEndpoint, core.sessions),
  };
}
