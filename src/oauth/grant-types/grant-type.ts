import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import type { components } from '../../platform/contract/generated.js';
import type { Application } from '../clients/client-registry.js';
import type { ClientCredentials } from '../clients/credentials.js';
import type { UsedGrant } from '../grants/grants.js';
import type { OAuthServices } from '../services.js';
import type { OpaqueToken } from '../tokens/opaque-token.js';

export type TokenForm = components['schemas']['TokenRequest'];
export type TokenResponse = components['schemas']['TokenResponse'];

export interface GrantRequest {
  readonly form: TokenForm;
  readonly credentials: ClientCredentials;
  readonly application: Application;
  readonly origin: AuditOrigin;
}

/** A grant type of the token endpoint. */
export interface GrantType {
  /** Value of `grant_type`. */
  readonly type: string;
  /** Required form parameters, in addition to those of client authentication. */
  readonly requires: readonly (keyof TokenForm)[];
  handle(request: GrantRequest, services: OAuthServices): Promise<TokenResponse>;
}

/** Token response for an application that acts on behalf of a user. */
export function issueUserTokens(
  { accessTokens }: OAuthServices,
  { clientId }: Application,
  { userId, grantId, scopes }: UsedGrant,
  refreshToken: OpaqueToken,
): TokenResponse {
  return {
    access_token: accessTokens.issue({ subject: userId, clientId, scopes, grantId }),
    token_type: 'Bearer',
    expires_in: accessTokens.ttlSeconds,
    scope: scopes.join(' '),
    refresh_token: refreshToken.value,
  };
}
