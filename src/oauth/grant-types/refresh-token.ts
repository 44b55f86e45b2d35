import { Problem } from '../../platform/problems/problem.js';
import { requireParameter } from '../parameters.js';
import { mayGrant, noScope, parseScope, unavailableScopes } from '../scopes.js';
import { hashOpaqueToken, newOpaqueToken } from '../tokens/opaque-token.js';
import type { StoredToken } from '../tokens/refresh-tokens.js';
import { type GrantType, issueUserTokens } from './grant-type.js';

/**
 * Exchanges a refresh token for new tokens. Every use rotates the refresh token.
 *
 * @throws {Problem} 400 `invalid_request`, 400 `invalid_scope` when more is requested than was granted, 401
 *   `invalid_grant`
 * @see RFC 6749 section 6 and RFC 9700 section 4.14.2
 */
export const refreshToken: GrantType = {
  type: 'refresh_token',
  requires: ['refresh_token'],

  async handle({ form, application, origin }, services) {
    const { refreshTokens } = services;
    const tokenHash = hashOpaqueToken(requireParameter('refresh_token', form.refresh_token));
    const requested = form.scope === undefined ? undefined : parseScope(form.scope);
    if (requested?.length === 0) throw new Problem('invalid_scope', noScope);
    const successor = newOpaqueToken();
    const use = { tokenHash, application, origin };
    const rotated = await refreshTokens.rotate({ ...use, successorHash: successor.hash, requested });
    if (rotated === undefined) {
      throw rejection(await refreshTokens.readRejected(use), requested, application.scopes);
    }
    return issueUserTokens(services, application, rotated, successor);
  },
};

/** Why a token was rejected. */
function rejection(
  token: StoredToken | undefined,
  requested: readonly string[] | undefined,
  applicationScopes: readonly string[],
): Problem {
  if (token === undefined || token.usedAt !== null || !token.usable) {
    return new Problem('invalid_grant', 'The refresh token is unknown, expired, revoked or already used.');
  }
  const available = token.scopes.filter(
    (scope) => applicationScopes.includes(scope) && mayGrant(token.role, scope),
  );
  return new Problem('invalid_scope', unavailableScopes(requested ?? token.scopes, available));
}
