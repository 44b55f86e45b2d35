import type { Database } from '../database/client.js';

/**
 * Ends what a user allowed an application: its refresh tokens and every access token that came of it are
 * refused from now on. Ending it twice changes nothing.
 *
 * @returns whether it was in force until now
 */
export async function revokeGrant(
  { prisma }: Database,
  { grantId, at }: { grantId: string; at: Date },
): Promise<boolean> {
  const { count } = await prisma.grant.updateMany({
    where: { id: grantId, revokedAt: null },
    data: { revokedAt: at },
  });
  return count > 0;
}
