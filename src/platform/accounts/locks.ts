import type { AuditContext, UserAuditContext } from '../audit/audit-log.js';
import type { Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';
import type { AffectedUser } from './revoke-user-access.js';
import type { Role } from './user.js';

/**
 * Locks an account until the transaction ends. A transaction that changes employees in more than one statement calls it
 * first: the triggers lock the counts after the employees of a statement, and two such transactions could deadlock. So does one
 * that deletes employees or sets managers, so that no employee gets a manager who is being deleted.
 *
 * @returns false if there is no such account
 */
export async function lockAccount(tx: Prisma.TransactionClient, accountId: AccountId): Promise<boolean> {
  const rows = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  return rows.length === 1;
}

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

/** A user whose row is locked by the transaction. */
export interface LockedUser extends AffectedUser {
  readonly role: Role;
  readonly disabledAt: Date | null;
}

/**
 * Whether a user with this role may change users with another role, or give them this role. The pages of the user's own
 * account are separate: users do not change their own role or state.
 */
export function mayAdminister(actor: Role, target: Role): boolean {
  return actor === 'owner' || (actor === 'admin' && target !== 'owner');
}

/**
 * Locks a user and the user who acts, until the transaction ends. The command line acts as no user and may change all
 * users.
 *
 * Both are locked in the order of their ids, so that users who act on each other do not deadlock. The second one to get the
 * locks sees what the first one changed.
 *
 * @returns the locked user; `forbidden` when the acting user may not change this user
 */
export async function lockUser(
  tx: Prisma.TransactionClient,
  { accountId, userId: actorId }: AuditContext,
  userId: string,
): Promise<LockedUser | 'not_found' | 'forbidden'> {
  // Not FOR UPDATE: a concurrent code exchange inserts a row that refers to the user, and would wait.
  const rows = await tx.$queryRaw<LockedUser[]>`
    SELECT id, email, role, disabled_at AS "disabledAt" FROM users
    WHERE account_id = ${accountId} AND id IN (${userId}, ${actorId ?? userId})
    ORDER BY id FOR NO KEY UPDATE`;
  const user = rows.find(({ id }) => id === userId);
  if (user === undefined) return 'not_found';
  if (actorId === undefined) return user;
  const actor = rows.find(({ id }) => id === actorId);
  const allowed =
    actor !== undefined &&
    actor !== user &&
    actor.disabledAt === null &&
    mayAdminister(actor.role, user.role);
  return allowed ? user : 'forbidden';
}

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
