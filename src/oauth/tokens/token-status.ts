import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import type { Role } from '../../platform/accounts/user.js';
import { type AttributeAccess, accessTo } from '../../platform/contract/attribute-access.js';
import type { Database } from '../../platform/database/client.js';
import { defineLookup } from '../../platform/database/define-lookup.js';
import { allAccounts } from '../../platform/database/scope.js';
import { parseScope } from '../scopes.js';

/** The ids in an access token. */
interface TokenKey {
  readonly tokenId: string;
  readonly clientId: string;
  /** Internal id of the installation that it was issued to; `null` in the account that has registered the application. */
  readonly installation: string | null;
  /** `null` for a token without a user. */
  readonly grantId: string | null;
}

/** The application and the user of a valid token. */
export interface LiveToken {
  readonly accountId: AccountId;
  readonly applicationId: string;
  readonly user: { readonly id: string; readonly role: Role } | null;
  /**
   * Scopes that are in the configuration of the application and in the grant of the token now, which may be fewer than when the
   * token was issued.
   */
  readonly availableScopes: readonly string[];
  /** Attributes of employees that the application may read now. */
  readonly access: AttributeAccess;
  /** Generation of the application now. It changes when all its access is revoked. */
  readonly generation: number;
}

/** Row of {@link ownerSql}. */
export type TokenOwnerRow = Readonly<
  Record<
    'accountId' | 'applicationId' | 'availableScopes' | 'readableAttributes' | 'tokenGeneration',
    string
  > &
    Record<'userId' | 'userRole', string | null>
>;

/** A query for the owner of the token of the row `request`, which has the columns of {@link toTokenRequest}. */
export const ownerSql = `
    SELECT application.account_id AS "accountId", application.id AS "applicationId",
      array_to_string(CASE
        WHEN grants.id IS NULL THEN application.scopes
        WHEN grants.scopes <@ application.scopes THEN grants.scopes
        ELSE ARRAY(SELECT scope FROM unnest(grants.scopes) AS scope WHERE scope = ANY (application.scopes))
        END, ' ') AS "availableScopes",
      array_to_string(application.readable_attributes, ' ') AS "readableAttributes", application.token_generation::text AS "tokenGeneration",
      grant_user.id AS "userId", grant_user.role AS "userRole"
    FROM applications application
    LEFT JOIN grants ON grants.account_id = application.account_id AND grants.id = request.grant_id
      AND grants.application_id IS NOT DISTINCT FROM application.id AND grants.revoked_at IS NULL
    LEFT JOIN users grant_user ON grant_user.account_id = grants.account_id AND grant_user.id = grants.user_id
      AND grant_user.disabled_at IS NULL
    WHERE application.client_id = request.client_id AND application.suspended_at IS NULL
      AND (request.grant_id IS NULL OR grant_user.id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM revoked_access_tokens revoked WHERE revoked.jti = request.jti)`;

/** The ids of a token, as {@link ownerSql} reads them. */
export function toTokenRequest({ tokenId, clientId, installation, grantId }: TokenKey) {
  return { jti: tokenId, client_id: installation ?? clientId, grant_id: grantId };
}

/** The owner in a row of {@link ownerSql}. */
export function toOwner({
  accountId,
  applicationId,
  availableScopes,
  readableAttributes,
  tokenGeneration,
  userId,
  userRole,
}: TokenOwnerRow): LiveToken {
  return {
    accountId: toAccountId(accountId),
    applicationId,
    user: userId === null ? null : { id: userId, role: userRole as Role },
    availableScopes: parseScope(availableScopes),
    access: accessTo(readableAttributes),
    generation: Number(tokenGeneration),
  };
}

/**
 * Looks up the owner of an access token that is not revoked. Every request reads it, so that an acknowledged revocation, of
 * the token or of scopes, applies in every process. It reads all accounts, because the account is not known yet.
 *
 * IS NOT DISTINCT FROM cannot use an index, so the grant is looked up by its key. With =, the planner may read all grants of
 * the application.
 *
 * Benchmarks `list` and `get`; compared with the models in test/oauth/token-owner.test.ts.
 */
export const tokenOwner = defineLookup({
  name: 'token_owner',
  columns: { jti: 'text', client_id: 'text', grant_id: 'text' },
  request: toTokenRequest,
  sql: ownerSql,
  toValue: toOwner,
  scope: () => allAccounts,
  maxBatchSize: 200,
  concurrency: 2,
});

/**
 * Finds the application and the user of a token for every request; `null` when the token is revoked, or its application, grant
 * or user was deleted or disabled. A token without a grant is revoked when its generation is not that of the application.
 */
export type FindLiveToken = (claims: TokenClaims) => Promise<LiveToken | null>;

/** The claims of an access token that decide whether it is valid. */
export interface TokenClaims extends TokenKey {
  /** Generation of the application when the token was issued. */
  readonly generation: number;
}

/** Whether a token is of the generation of its application. Tokens with a grant are revoked with the grant, so theirs is not compared. */
export function isCurrent({ grantId, generation }: TokenClaims, owner: LiveToken | null): boolean {
  return grantId !== null || generation === owner?.generation;
}

export function createTokenStatus(database: Database): FindLiveToken {
  const findOwner = tokenOwner(database);
  return (claims) => findOwner(claims).then((owner) => (isCurrent(claims, owner) ? owner : null));
}
