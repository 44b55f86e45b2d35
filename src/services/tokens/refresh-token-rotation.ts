import type { Clock } from '../../clock.js';
import { Prisma } from '../../database/client.js';
import type { Application } from '../applications/client-registry.js';
import { type AuditOrigin, auditedIn } from '../audit-log.js';
import { mayGrant } from '../grantable-scopes.js';
import { roles } from '../user.js';

export interface RotationSettings {
  readonly clock: Clock;
  readonly refreshTokenTtlSeconds: number;
}

export interface RotationRequest {
  readonly tokenHash: Buffer<ArrayBuffer>;
  readonly successorHash: Buffer<ArrayBuffer>;
  /** Scopes that the next access token is to have; absent: what was granted. */
  readonly requested: readonly string[] | undefined;
  readonly application: Application;
  readonly origin: AuditOrigin;
}

export interface Rotated {
  readonly grantId: string;
  readonly userId: string;
  /**
   * Scopes of the access token: those requested, or else what the user granted, less what the application has lost or
   * the user could no longer grant.
   */
  readonly scopes: readonly string[];
}

/**
 * The token, if it may be used now; what follows SELECT.
 *
 * The planner may take the account for one with few rows, and read all its tokens, or all grants of the application or of
 * the user. IS NOT DISTINCT FROM, which is no condition of an index, and OFFSET 0 keep it to the primary keys.
 */
export function usableToken(
  { tokenHash, requested = [], application }: RotationRequest,
  now: Date,
): Prisma.Sql {
  return Prisma.sql`
    token.grant_id, grants.account_id, grants.user_id, token.scopes AS granted,
      CASE WHEN cardinality(${requested}::text[]) > 0 THEN ${requested}::text[]
           ELSE ARRAY(SELECT scope FROM unnest(token.scopes) AS scope WHERE scope = ANY (available.scopes))
      END AS scopes
    FROM refresh_tokens token
      JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
      JOIN accounts ON accounts.id = ${application.accountId}
      CROSS JOIN LATERAL (
        SELECT ARRAY(SELECT jsonb_array_elements_text(${availableByRole(application)}::jsonb -> users.role)) AS scopes
        FROM users
        WHERE users.account_id = grants.account_id AND users.id = grants.user_id AND users.disabled_at IS NULL OFFSET 0
      ) available
    WHERE token.token_hash = ${tokenHash} AND token.used_at IS NULL AND token.expires_at > ${now}
      AND (grants.account_id, grants.application_id) IS NOT DISTINCT FROM (${application.accountId}, ${application.id})
      AND grants.revoked_at IS NULL
      AND token.scopes && available.scopes
      AND ${requested}::text[] <@ token.scopes AND ${requested}::text[] <@ available.scopes`;
}

/**
 * Everything is locked before anything is changed, and in the order in which a deletion goes on from the account to
 * the grant and the token. The successor keeps the scopes of the grant: narrowing is for one access token.
 *
 * @param whenLocked what to do about rows that another transaction has locked; empty: to wait for it
 */
export function rotation(
  request: RotationRequest,
  { clock, refreshTokenTtlSeconds }: RotationSettings,
  whenLocked: Prisma.Sql,
): Prisma.Sql {
  const { tokenHash, successorHash, application, origin } = request;
  const now = clock();
  const expiresAt = new Date(now.getTime() + refreshTokenTtlSeconds * 1000);
  const event = { type: 'token.refreshed', applicationId: application.id, origin, at: now } as const;
  return Prisma.sql`
    WITH held AS (
      SELECT ${usableToken(request, now)}
      FOR KEY SHARE OF accounts, grants ${whenLocked}
      FOR NO KEY UPDATE OF token ${whenLocked}
    ), used AS (
      UPDATE refresh_tokens token SET used_at = ${now}, successor_hash = ${successorHash}
      FROM held WHERE token.token_hash = ${tokenHash}
      RETURNING held.*
    ), successor AS (
      INSERT INTO refresh_tokens (token_hash, account_id, grant_id, scopes, created_at, expires_at)
      SELECT ${successorHash}, account_id, grant_id, granted, ${now}, ${expiresAt} FROM used
    ), audited AS (
      ${auditedIn(Prisma.sql`used`, event)}
    )
    SELECT grant_id AS "grantId", user_id AS "userId", scopes FROM used`;
}

/** Scopes of the application that a user of each role may grant, as a JSON object. */
function availableByRole({ scopes }: Application): string {
  return JSON.stringify(
    Object.fromEntries(roles.map((role) => [role, scopes.filter((scope) => mayGrant(role, scope))])),
  );
}
