import type { Database } from '../database/client.js';
import { allAccounts } from '../database/scope.js';
import { type AccountId, toAccountId } from '../services/account-id.js';
import { createBatcher } from '../services/batcher.js';
import type { Role } from '../services/users.js';
import type { AccessTokenClaims } from './access-tokens.js';
import { parseScope } from './scopes.js';

/** What stands behind a token that may be used at this moment. */
export interface LiveToken {
  readonly accountId: AccountId;
  readonly applicationId: string;
  readonly user: { readonly id: string; readonly role: Role } | null;
  /** Scopes that the application is configured with now, which may be fewer than when the token was issued. */
  readonly applicationScopes: readonly string[];
}

type Row = [
  ordinal: string,
  accountId: string,
  applicationId: string,
  userId: string | null,
  userRole: string | null,
  scopes: string,
  generation: string,
];

/**
 * Asks the database whether tokens may be used. It asks anew for every request, so that a revocation counts
 * in every process from the moment that it is acknowledged; requests that arrive together share one query.
 */
export class TokenStatus {
  readonly #find: (claims: AccessTokenClaims) => Promise<LiveToken | null>;

  constructor(database: Database) {
    this.#find = createBatcher((claims) => lookUp(database, claims), { maximum: 200, atOnce: 2 });
  }

  /**
   * `null` when the token was revoked, or its application, grant or user is gone. A token without a grant is revoked when
   * it names an earlier generation than its application has.
   */
  find(claims: AccessTokenClaims): Promise<LiveToken | null> {
    return this.#find(claims);
  }
}

const query = `
  SELECT token.ordinal::text, application.account_id, application.id, grant_user.id, grant_user.role,
         array_to_string(application.scopes, ' '), application.token_generation::text
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS token (jti, client_id, grant_id, ordinal)
  JOIN applications application ON application.client_id = token.client_id
  LEFT JOIN grants ON grants.id = token.grant_id
    AND grants.application_id = application.id AND grants.revoked_at IS NULL
  LEFT JOIN users grant_user ON grant_user.id = grants.user_id AND grant_user.disabled_at IS NULL
  WHERE (token.grant_id = '' OR grant_user.id IS NOT NULL)
    AND NOT EXISTS (SELECT FROM revoked_access_tokens revoked WHERE revoked.jti = token.jti)`;

async function lookUp(
  database: Database,
  claims: readonly AccessTokenClaims[],
): Promise<(LiveToken | null)[]> {
  // One client often sends many requests with the same token.
  const tokens = [...new Map(claims.map((claim) => [claim.tokenId, claim])).values()];
  const values = [
    tokens.map(({ tokenId }) => tokenId),
    tokens.map(({ clientId }) => clientId),
    tokens.map(({ grantId }) => grantId ?? ''),
  ];
  // This is how it becomes known whose requests they are.
  const rows = await database.queryText<Row>(query, values, allAccounts);
  const found = new Map<string, LiveToken>();
  for (const row of rows) {
    const token = tokens[Number(row[0]) - 1];
    if (token !== undefined && isOfGeneration(token, row)) found.set(token.tokenId, toLiveToken(row));
  }
  return claims.map(({ tokenId }) => found.get(tokenId) ?? null);
}

/** A grant is revoked by itself. */
function isOfGeneration({ grantId, generation }: AccessTokenClaims, row: Row): boolean {
  return grantId !== null || String(generation) === row[6];
}

function toLiveToken([, accountId, applicationId, userId, userRole, scopes]: Row): LiveToken {
  return {
    accountId: toAccountId(accountId),
    applicationId,
    user: userId === null ? null : { id: userId, role: userRole as Role },
    applicationScopes: parseScope(scopes),
  };
}
