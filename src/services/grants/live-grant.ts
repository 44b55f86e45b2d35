import { Prisma } from '../../database/client.js';

/** Condition that a row of `grants` is in force: not revoked, and with a refresh token that still works. */
export function liveGrant(now: Date): Prisma.Sql {
  return Prisma.sql`
    grants.revoked_at IS NULL AND EXISTS (
      SELECT FROM refresh_tokens
      WHERE refresh_tokens.account_id = grants.account_id AND refresh_tokens.grant_id = grants.id
        AND refresh_tokens.used_at IS NULL AND refresh_tokens.expires_at > ${now})`;
}
