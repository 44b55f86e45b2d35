import type { Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';
import type { Role } from './user.js';

/**
 * Reads the role of an enabled user and locks the user until the transaction ends.
 *
 * @returns `null` when the account has no such user or the user is disabled
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
