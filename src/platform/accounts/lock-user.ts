import type { AuditContext } from '../audit/audit-context.js';
import type { Prisma } from '../database/client.js';
import type { AffectedUser } from './revoke-user-access.js';
import type { Role } from './user.js';

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
