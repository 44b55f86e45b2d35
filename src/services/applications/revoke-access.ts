import type { Database } from '../../database/client.js';
import type { AuditContext } from '../audit-context.js';
import { recordIn } from '../audit-log.js';
import { lockApplication } from './lock-application.js';

/**
 * Revokes everything that an application was granted or issued until now: the grants of all users with their tokens, the
 * unused authorization codes, and the access tokens that it got for itself. Its secrets and settings stay.
 *
 * A token without a grant names the generation of its application at the time of the request for it. A generation is
 * exact where a time is not: tokens carry whole seconds, and one that is issued right afterwards has to work.
 *
 * @returns how many grants were revoked; `null` when the account has no such application
 */
export async function revokeAccess(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, userId, origin, at }: AuditContext,
  id: string,
): Promise<{ revokedGrants: number } | null> {
  return prisma.$transaction(async (tx) => {
    const application = await lockApplication(tx, accountId, id);
    if (application === null) return null;
    await tx.application.update({
      where: { id, accountId },
      data: { generation: { increment: 1 }, updatedAt: at },
    });
    // Codes first: an exchange that is under way holds its code, and its grant is visible once it is finished.
    await tx.authorizationCode.deleteMany({
      where: { applicationId: id, usedAt: null, application: { accountId } },
    });
    const { count: revokedGrants } = await tx.grant.updateMany({
      where: { accountId, applicationId: id, revokedAt: null },
      data: { revokedAt: at },
    });
    const { name, clientId } = application;
    const details = { name, client_id: clientId, revoked_grants: String(revokedGrants) };
    await recordIn(
      tx,
      { type: 'application.access_revoked', accountId, userId, applicationId: id, origin, details },
      at,
    );
    return { revokedGrants };
  });
}
