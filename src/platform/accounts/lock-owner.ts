import type { UserAuditContext } from '../audit/audit-context.js';
import type { Prisma } from '../database/client.js';
import { lockAccount } from './lock-account.js';
import type { LockedUser } from './lock-user.js';

/**
 * Locks the users of the account and the account until the transaction ends, for an owner who changes how users sign in. Such
 * changes run one after the other. A sign-in or a consent of a user either commits before and is found, or waits.
 *
 * @returns the users; `null` when the user who acts is not an enabled owner
 */
export async function lockOwner(
  tx: Prisma.TransactionClient,
  { accountId, userId }: Pick<UserAuditContext, 'accountId' | 'userId'>,
): Promise<LockedUser[] | null> {
  const users = await tx.$queryRaw<LockedUser[]>`
    SELECT id, email, role, disabled_at AS "disabledAt" FROM users
    WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE`;
  const actor = users.find(({ id }) => id === userId);
  if (actor?.role !== 'owner' || actor.disabledAt !== null) return null;
  return (await lockAccount(tx, accountId)) ? users : null;
}
