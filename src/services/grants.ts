import { type Database, Prisma } from '../database/client.js';
import { type AuditEvent, recordIn } from './audit-log.js';

/**
 * Ends what a user allowed an application: its refresh tokens and every access token that came of it are
 * refused from now on. Ending it twice changes nothing.
 *
 * @param event why it ends; stored together with that
 * @returns whether it was in force until now
 */
export async function revokeGrant(
  { prisma }: Database,
  { grantId, at, event }: { grantId: string; at: Date; event: Omit<AuditEvent, 'details'> },
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const { count } = await tx.grant.updateMany({
      where: { id: grantId, revokedAt: null },
      data: { revokedAt: at },
    });
    if (count === 0) return false;
    await recordIn(tx, { ...event, details: { grant: grantId } }, at);
    return true;
  });
}

/** Condition that a row of `grants` is in force: not revoked, and with a refresh token that still works. */
export function liveGrant(now: Date): Prisma.Sql {
  return Prisma.sql`
    grants.revoked_at IS NULL AND EXISTS (
      SELECT FROM refresh_tokens WHERE refresh_tokens.grant_id = grants.id
        AND refresh_tokens.used_at IS NULL AND refresh_tokens.expires_at > ${now})`;
}
