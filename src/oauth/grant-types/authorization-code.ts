import { Problem } from '../../platform/problems/problem.js';
import { requireParameter } from '../parameters.js';
import { hashOpaqueToken, newOpaqueToken } from '../tokens/opaque-token.js';
import { type GrantType, issueUserTokens } from './grant-type.js';

/**
 * Exchanges an authorization code for tokens.
 *
 * @throws {Problem} 400 `invalid_request`, 401 `invalid_grant`
 * @see RFC 6749 section 4.1.3 and RFC 7636 section 4.6
 */
export const authorizationCode: GrantType = {
  type: 'authorization_code',
  requires: ['code', 'redirect_uri', 'code_verifier'],

  async handle({ form, application, origin }, services) {
    const { codes, clock, config } = services;
    const { refreshTokenTtlSeconds, replayLeewaySeconds } = config;
    const at = clock();
    const exchange = {
      codeHash: hashOpaqueToken(requireParameter('code', form.code)),
      application,
      redirectUri: requireParameter('redirect_uri', form.redirect_uri),
      codeVerifier: requireParameter('code_verifier', form.code_verifier),
      at,
      origin,
    };
    const refreshToken = newOpaqueToken();
    const expiresAt = new Date(at.getTime() + refreshTokenTtlSeconds * 1000);
    const used = await codes.use(exchange, { hash: refreshToken.hash, expiresAt });
    if (used === undefined) {
      await codes.revokeAfterReplay({ ...exchange, at: clock() }, { replayLeewaySeconds });
      throw new Problem(
        'invalid_grant',
        'The code is unknown, expired or already used, or redirect_uri or code_verifier does not match.',
      );
    }
    return issueUserTokens(services, application, used, refreshToken);
  },
};
