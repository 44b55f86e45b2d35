import type { Prisma } from '../../database/client.js';
import type { UserAuditContext } from '../audit-context.js';
import { lockAccount } from '../employees/lock-account.js';

/**
 * Locks the user who acts, and the account, until the transaction ends: changes of the settings of an account run one after the
 * other.
 *
 * @returns whether the user is an enabled owner
 */
export async function lockOwner(
  tx: Prisma.TransactionClient,
  { accountId, userId }: Pick<UserAuditContext, 'accountId' | 'userId'>,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM users
    WHERE account_id = ${accountId} AND id = ${userId} AND role = 'owner' AND disabled_at IS NULL
    FOR NO KEY UPDATE`;
  return rows.length === 1 && (await lockAccount(tx, accountId));
}
