import type { AuditLog, AuditOrigin } from '../../platform/audit/audit-log.js';
import type { Clock } from '../../platform/clock.js';
import type { components } from '../../platform/contract/generated.js';
import type { Application } from '../clients/client-registry.js';
import type { ClientCredentials } from '../clients/credentials.js';
import type { AuthorizationCodes } from '../grants/authorization-codes.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import type { OpaqueToken } from '../tokens/opaque-token.js';
import type { RefreshTokens } from '../tokens/refresh-tokens.js';

export type TokenForm = components['schemas']['TokenRequest'];
export type TokenResponse = components['schemas']['TokenResponse'];

export interface GrantTypeContext {
  readonly codes: AuthorizationCodes;
  readonly refreshTokens: RefreshTokens;
  readonly accessTokens: AccessTokens;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly refreshTokenTtlSeconds: number;
  /** How long a replay counts as a retry and not as theft, unless the token of the first use was already used. */
  readonly replayLeewaySeconds: number;
}

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
  handle(request: GrantRequest, context: GrantTypeContext): Promise<TokenResponse>;
}

/** Token response for an application that acts on behalf of a user. */
export function issueUserTokens(
  {
    application,
    userId,
    grantId,
    scopes,
    refreshToken,
  }: {
    application: Application;
    userId: string;
    grantId: string;
    scopes: readonly string[];
    refreshToken: OpaqueToken;
  },
  { accessTokens }: GrantTypeContext,
): TokenResponse {
  return {
    access_token: accessTokens.issue({
      subject: userId,
      clientId: application.clientId,
      scopes,
      grantId,
    }),
    token_type: 'Bearer',
    expires_in: accessTokens.ttlSeconds,
    scope: scopes.join(' '),
    refresh_token: refreshToken.value,
  };
}
