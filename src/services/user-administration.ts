import type { Database, Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';
import type { AuditContext } from './audit-context.js';
import { type AuditEventType, recordIn } from './audit-log.js';
import { lockAccount } from './employees/lock-account.js';
import { mayGrant } from './grantable-scopes.js';
import { hashPassword } from './passwords.js';
import { type AffectedUser, endSessions, revokeUserGrants } from './revoke-user-access.js';
import type { Role } from './user.js';
import { passwordRule } from './user-rules.js';

/** The outcome of a change to a user. */
export type UserChange =
  | { readonly kind: 'changed'; readonly endedSessions: number; readonly revokedGrants: number }
  /** The user is in that state already. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'not_found' }
  /** An account always has an enabled owner. */
  | { readonly kind: 'last_owner' };

/** `fault` completes a sentence that begins with "The password". */
export type PasswordChange = UserChange | { readonly kind: 'invalid_password'; readonly fault: string };

interface LockedUser extends AffectedUser {
  readonly role: Role;
  readonly disabledAt: Date | null;
}

const unchanged: UserChange = { kind: 'unchanged' };

/**
 * Changes who may sign in to an account and what they may do. Each change is one transaction together with its audit
 * events, and takes effect in all processes once it is committed.
 */
export class UserAdministration {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /** Lets a user no longer sign in, and ends what the user has: sessions, grants, and unused authorization codes. */
  disable(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      if (user.disabledAt !== null) return unchanged;
      if (await isLastOwner(tx, context.accountId, user)) return { kind: 'last_owner' };
      await update(tx, context, user, { disabledAt: context.at });
      await record(tx, context, user, 'user.disabled');
      return endAll(tx, context, user);
    });
  }

  /** Lets a disabled user sign in again. Nothing that the user had before comes back. */
  enable(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      if (user.disabledAt === null) return unchanged;
      await update(tx, context, user, { disabledAt: null });
      await record(tx, context, user, 'user.enabled');
      // A consent that was under way while the user was disabled may have left a code behind.
      return endAll(tx, context, user);
    });
  }

  /** Changes the role of a user, and revokes the grants of scopes that the new role may not grant. */
  setRole(context: AuditContext, userId: string, role: Role): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      if (user.role === role) return unchanged;
      if (await isLastOwner(tx, context.accountId, user)) return { kind: 'last_owner' };
      await update(tx, context, user, { role });
      await record(tx, context, user, 'user.role_changed', { from: user.role, to: role });
      const beyondRole = (scopes: readonly string[]) => scopes.some((scope) => !mayGrant(role, scope));
      return {
        kind: 'changed',
        endedSessions: 0,
        revokedGrants: await revokeUserGrants(tx, context, user, beyondRole),
      };
    });
  }

  /** Replaces the password of a user and ends the sessions. Grants stay: applications do not know the password. */
  async setPassword(context: AuditContext, userId: string, password: string): Promise<PasswordChange> {
    const fault = passwordRule(password);
    if (fault !== undefined) return { kind: 'invalid_password', fault };
    // Before the transaction: hashing is slow on purpose.
    const passwordHash = await hashPassword(password);
    return this.#change(context, userId, async (tx, user) => {
      await update(tx, context, user, { passwordHash });
      await record(tx, context, user, 'user.password_changed');
      return { kind: 'changed', endedSessions: await endSessions(tx, context, user), revokedGrants: 0 };
    });
  }

  /** Signs a user out of all browsers. */
  revokeSessions(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      const endedSessions = await endSessions(tx, context, user);
      if (endedSessions === 0) return unchanged;
      await record(tx, context, user, 'user.sessions_revoked');
      return { kind: 'changed', endedSessions, revokedGrants: 0 };
    });
  }

  #change(
    { accountId }: AuditContext,
    userId: string,
    work: (tx: Prisma.TransactionClient, user: LockedUser) => Promise<UserChange>,
  ): Promise<UserChange> {
    return this.#prisma.$transaction(async (tx): Promise<UserChange> => {
      // A weaker lock than FOR UPDATE: an exchange of a code under way refers to the user and must be able to finish.
      const [user] = await tx.$queryRaw<LockedUser[]>`
        SELECT id, email, role, disabled_at AS "disabledAt" FROM users
        WHERE id = ${userId} AND account_id = ${accountId} FOR NO KEY UPDATE`;
      return user === undefined ? { kind: 'not_found' } : work(tx, user);
    });
  }
}

/** Whether the account would be without an enabled owner. The account is locked: two owners may go at the same time. */
async function isLastOwner(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { id, role, disabledAt }: LockedUser,
): Promise<boolean> {
  if (role !== 'owner' || disabledAt !== null) return false;
  await lockAccount(tx, accountId);
  const where = { accountId, role: 'owner', disabledAt: null, id: { not: id } };
  return (await tx.user.findFirst({ where, select: { id: true } })) === null;
}

async function update(
  tx: Prisma.TransactionClient,
  { accountId, at }: AuditContext,
  { id }: AffectedUser,
  data: Prisma.UserUpdateManyMutationInput,
): Promise<void> {
  await tx.user.updateMany({ where: { id, accountId }, data: { ...data, updatedAt: at } });
}

async function endAll(
  tx: Prisma.TransactionClient,
  context: AuditContext,
  user: AffectedUser,
): Promise<UserChange> {
  const revokedGrants = await revokeUserGrants(tx, context, user, () => true);
  return { kind: 'changed', endedSessions: await endSessions(tx, context, user), revokedGrants };
}

async function record(
  tx: Prisma.TransactionClient,
  { accountId, userId, origin, at }: AuditContext,
  { id, email }: AffectedUser,
  type: AuditEventType,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  await recordIn(tx, { type, accountId, userId, origin, details: { user: id, email, ...details } }, at);
}
