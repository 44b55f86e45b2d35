import type { Database } from '../../database/client.js';
import type { UserAuditContext } from '../audit-context.js';
import { recordIn } from '../audit-log.js';
import { lockApplication } from './lock-application.js';

/**
 * Deletes an application with its secrets, codes, grants and refresh tokens. Its access tokens are refused from
 * then on, because they name an application that does not exist.
 *
 * @returns whether the account had it
 */
export async function deleteApplication(
  { prisma }: Database,
  { accountId, userId, origin, at }: UserAuditContext,
  id: string,
): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const application = await lockApplication(tx, accountId, id);
    if (application === null) return false;
    await tx.application.delete({ where: { id, accountId } });
    const { name, clientId } = application;
    const details = { name, client_id: clientId };
    await recordIn(
      tx,
      { type: 'application.deleted', accountId, userId, applicationId: id, origin, details },
      at,
    );
    return true;
  });
}
