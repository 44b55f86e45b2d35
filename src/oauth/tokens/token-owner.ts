import { defineLookup } from '../../platform/database/hot/define-lookup.js';
import { allAccounts } from '../../platform/database/scope.js';

/** The ids in an access token. */
export interface TokenKey {
  readonly tokenId: string;
  readonly clientId: string;
  /** `null` for a token without a user. */
  readonly grantId: string | null;
}

/** The application of an access token, and the user who granted it. */
export interface TokenOwner {
  readonly accountId: string;
  readonly applicationId: string;
  readonly applicationScopes: string;
  readonly tokenGeneration: number;
  readonly userId: string | null;
  readonly userRole: string | null;
}

/**
 * Looks up the owner of an access token that is not revoked. Every request reads it, so that an acknowledged revocation
 * applies in every process. It reads all accounts, because the account is not known yet.
 *
 * IS NOT DISTINCT FROM cannot use an index, so the grant is looked up by its key. With =, the planner may read all grants of
 * the application.
 *
 * Benchmarks `list` and `get`; compared with the models in test/oauth/token-owner.test.ts.
 */
export const tokenOwner = defineLookup<TokenKey, 'jti' | 'client_id' | 'grant_id', TokenOwner>({
  name: 'token_owner',
  columns: { jti: 'text', client_id: 'text', grant_id: 'text' },
  request: ({ tokenId, clientId, grantId }) => ({ jti: tokenId, client_id: clientId, grant_id: grantId }),
  sql: `
    SELECT application.account_id, application.id, array_to_string(application.scopes, ' '),
           application.token_generation::text, grant_user.id, grant_user.role
    FROM applications application
    LEFT JOIN grants ON grants.account_id = application.account_id AND grants.id = request.grant_id
      AND grants.application_id IS NOT DISTINCT FROM application.id AND grants.revoked_at IS NULL
    LEFT JOIN users grant_user ON grant_user.account_id = grants.account_id AND grant_user.id = grants.user_id
      AND grant_user.disabled_at IS NULL
    WHERE application.client_id = request.client_id
      AND (request.grant_id IS NULL OR grant_user.id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM revoked_access_tokens revoked WHERE revoked.jti = request.jti)`,
  toValue: ([accountId, applicationId, scopes, generation, userId, userRole]) => ({
    accountId: accountId ?? '',
    applicationId: applicationId ?? '',
    applicationScopes: scopes ?? '',
    tokenGeneration: Number(generation),
    userId: userId ?? null,
    userRole: userRole ?? null,
  }),
  scope: () => allAccounts,
  maximum: 200,
  atOnce: 2,
});
