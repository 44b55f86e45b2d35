import type { Application } from '../clients/client-registry.js';
import type { OpaqueToken } from '../tokens/opaque-token.js';
import type { GrantContext, TokenResponse } from './grant.js';

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
  { accessTokens }: GrantContext,
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
