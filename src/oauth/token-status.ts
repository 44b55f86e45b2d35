import type { Database } from '../database/client.js';
import { type AccountId, toAccountId } from '../services/account-id.js';
import { createBatcher } from '../services/batcher.js';
import type { Role } from '../services/users.js';
import type { AccessTokenClaims } from './access-tokens.js';

/** What stands behind a token that may be used at this moment. */
export interface LiveToken {
  readonly accountId: AccountId;
  readonly applicationId: string;
  readonly user: { readonly id: string; readonly role: Role } | null;
  /** Scopes that the application is configured with now, which may be fewer than when the token was issued. */
  readonly applicationScopes: readonly string[];
}

interface Row {
  ordinal: number;
  account_id: string;
  application_id: string;
  user_id: string | null;
  user_role: Role;
  scopes: string;
}

/**
 * Asks the database whether tokens may be used. It asks anew for every request, so that a revocation counts
 * in every process from the moment that it is acknowledged; requests that arrive together share one query.
 */
export class TokenStatus {
  readonly #find: (claims: AccessTokenClaims) => Promise<LiveToken | null>;

  constructor(database: Database) {
    this.#find = createBatcher((claims) => lookUp(database, claims), { maximum: 200, atOnce: 2 });
  }

  /** `null` when the token was revoked, or its application, grant or user is gone. */
  find(claims: AccessTokenClaims): Promise<LiveToken | null> {
    return this.#find(claims);
  }
}

const query = `
  SELECT token.ordinal::int AS ordinal, application.account_id, application.id AS application_id,
         grant_user.id AS user_id, grant_user.role AS user_role,
         array_to_string(application.scopes, ' ') AS scopes
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
  const rows = await database.query<Row>(query, [
    tokens.map(({ tokenId }) => tokenId),
    tokens.map(({ clientId }) => clientId),
    tokens.map(({ grantId }) => grantId ?? ''),
  ]);
  const found = new Map(rows.map((row) => [tokens[row.ordinal - 1]?.tokenId, toLiveToken(row)]));
  return claims.map(({ tokenId }) => found.get(tokenId) ?? null);
}

function toLiveToken({ account_id, application_id, user_id, user_role, scopes }: Row): LiveToken {
  return {
    accountId: toAccountId(account_id),
    applicationId: application_id,
    user: user_id === null ? null : { id: user_id, role: user_role },
    applicationScopes: scopes === '' ? [] : scopes.split(' '),
  };
}
