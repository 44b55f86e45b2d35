import DataLoader from 'dataloader';
import type { Database } from '../database/client.js';
import { type AccountId, toAccountId } from '../services/account-id.js';
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
  scopes: string[];
}

const maximumBatch = 200;

/**
 * Asks the database whether tokens may be used. It asks anew for every request, so that a revocation counts
 * in every process from the moment that it is acknowledged; requests that arrive together share one query.
 */
export class TokenStatus {
  readonly #loader: DataLoader<AccessTokenClaims, LiveToken | null>;

  constructor(database: Database) {
    this.#loader = new DataLoader((claims) => lookUp(database, claims), {
      cache: false,
      maxBatchSize: maximumBatch,
      batchScheduleFn: (dispatch) => setImmediate(dispatch),
    });
  }

  /** `null` when the token was revoked, or its application, grant or user is gone. */
  find(claims: AccessTokenClaims): Promise<LiveToken | null> {
    return this.#loader.load(claims);
  }
}

async function lookUp(
  database: Database,
  claims: readonly AccessTokenClaims[],
): Promise<(LiveToken | null)[]> {
  const rows = await database.prisma.$queryRaw<Row[]>`
    SELECT token.ordinal::int AS ordinal, application.account_id, application.id AS application_id,
           grant_user.id AS user_id, grant_user.role AS user_role, application.scopes
    FROM unnest(
      ${claims.map(({ tokenId }) => tokenId)}::text[],
      ${claims.map(({ clientId }) => clientId)}::text[],
      ${claims.map(({ grantId }) => grantId ?? '')}::text[]
    ) WITH ORDINALITY AS token (jti, client_id, grant_id, ordinal)
    JOIN applications application ON application.client_id = token.client_id
    LEFT JOIN grants ON grants.id = token.grant_id
      AND grants.application_id = application.id AND grants.revoked_at IS NULL
    LEFT JOIN users grant_user ON grant_user.id = grants.user_id AND grant_user.disabled_at IS NULL
    WHERE (token.grant_id = '' OR grant_user.id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM revoked_access_tokens revoked WHERE revoked.jti = token.jti)`;
  const found = new Map(rows.map((row) => [row.ordinal, row]));
  return claims.map((_, index) => {
    const row = found.get(index + 1);
    return row === undefined
      ? null
      : {
          accountId: toAccountId(row.account_id),
          applicationId: row.application_id,
          user: row.user_id === null ? null : { id: row.user_id, role: row.user_role },
          applicationScopes: row.scopes,
        };
  });
}
