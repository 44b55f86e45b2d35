import type { Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';
import type { Role } from './user.js';

/**
 * The role of an enabled user, which does not change until the transaction ends; `null` when the account has no such user
 * or the user is disabled.
 */
export async function lockUserRole(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  userId: string,
): Promise<Role | null> {
  const [row] = await tx.$queryRaw<{ role: Role }[]>`
    SELECT role FROM users
    WHERE id = ${userId} AND account_id = ${accountId} AND disabled_at IS NULL FOR SHARE`;
  return row?.role ?? null;
}
