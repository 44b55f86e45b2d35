import { Problem } from '../../platform/problems/problem.js';
import { requireParameter } from '../parameters.js';
import { selectScopes } from '../scopes.js';
import type { GrantType } from './grant-type.js';

/**
 * Issues an access token to a confidential client on its own behalf, without a refresh token.
 *
 * @throws {Problem} 400 `unauthorized_client` for a public client, 400 `invalid_request` without the secret,
 *   400 `invalid_scope`
 * @see RFC 6749 section 4.4
 */
export const clientCredentials: GrantType = {
  type: 'client_credentials',
  requires: [],

  async handle({ form, credentials, application, origin }, { accessTokens, auditLog }) {
    if (application.clientType === 'public') {
      throw new Problem(
        'unauthorized_client',
        'A public client cannot use client_credentials; use authorization_code with PKCE.',
      );
    }
    requireParameter('client_secret', credentials.clientSecret);
    const scopes = selectScopes(form.scope, application.scopes);
    const { id: applicationId, accountId, clientId, tokenGeneration: generation } = application;
    await auditLog.record({ type: 'token.issued', accountId, applicationId, origin, details: { scopes } });
    return {
      access_token: accessTokens.issue({ subject: clientId, clientId, scopes, generation }),
      token_type: 'Bearer',
      expires_in: accessTokens.ttlSeconds,
      scope: scopes.join(' '),
    };
  },
};
