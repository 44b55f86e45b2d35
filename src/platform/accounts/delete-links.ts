import type { Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';
import type { Role } from './user.js';

/** Deletes the unused links of a user, in the transaction of the caller, which has locked the user. */
export async function deleteLinksOfUser(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  userId: string,
): Promise<void> {
  await tx.oneTimeLink.deleteMany({ where: { accountId, userId, usedAt: null } });
}

/**
 * Deletes the link that confirms a new e-mail address of a user, in the transaction of the caller.
 *
 * @returns number of deleted links
 */
export async function deleteEmailLinks(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  userId: string,
): Promise<number> {
  const where = { accountId, userId, purpose: 'email', usedAt: null };
  return (await tx.oneTimeLink.deleteMany({ where })).count;
}

/**
 * Deletes the unused links that a user created for others and may no longer create. Otherwise the user could keep access to
 * the account.
 *
 * @param role the new role; `null` when the user is disabled
 */
export async function deleteLinksCreatedBy(
  tx: Prisma.TransactionClient,
  { accountId, userId, role }: { accountId: AccountId; userId: string; role: Role | null },
): Promise<void> {
  if (role === 'owner') return;
  const created = { accountId, createdById: userId, usedAt: null };
  const beyondRole = role === 'admin' ? { OR: [{ role: 'owner' }, { user: { role: 'owner' } }] } : {};
  await tx.oneTimeLink.deleteMany({ where: { ...created, ...beyondRole } });
}
