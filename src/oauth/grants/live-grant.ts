import { Prisma } from '../../platform/database/client.js';

/** Condition for a live grant: a row of `grants` that is not revoked and has an unused, unexpired refresh token. */
export function liveGrant(now: Date): Prisma.Sql {
  return Prisma.sql`
    grants.revoked_at IS NULL AND EXISTS (
      SELECT FROM refresh_tokens
      WHERE refresh_tokens.account_id = grants.account_id AND refresh_tokens.grant_id = grants.id
        AND refresh_tokens.used_at IS NULL AND refresh_tokens.expires_at > ${now})`;
}
