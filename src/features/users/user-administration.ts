import { mayGrant } from '../../oauth/scopes.js';
import { isForeignDomain } from '../../platform/accounts/account-domains.js';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { type LockedUser, lockAccount, lockUser, mayAdminister } from '../../platform/accounts/locks.js';
import { isEmailTaken } from '../../platform/accounts/new-user.js';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import {
  deleteEmailLinks,
  deleteLinksCreatedBy,
  deleteLinksOfUser,
} from '../../platform/accounts/one-time-links.js';
import { hashPassword } from '../../platform/accounts/passwords.js';
import { recordUserEvent as record } from '../../platform/accounts/record-user-event.js';
import {
  type AffectedUser,
  allGrants,
  revokeSessions,
  revokeUserGrants,
} from '../../platform/accounts/revoke-user-access.js';
import type { Role } from '../../platform/accounts/user.js';
import { passwordError } from '../../platform/accounts/user-rules.js';
import type { AuditContext, UserAuditContext } from '../../platform/audit/audit-log.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import type { SecurityNotices } from '../../platform/mail/security-notices.js';
import type { Violation } from '../../platform/problems/rule-texts.js';

/** The outcome of a change to a user. */
export type UserChange =
  | { readonly kind: 'changed'; readonly revokedSessions: number; readonly revokedGrants: number }
  /** The user already has this state. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'not_found' }
  /** The acting user may not change this user, or not in this way. */
  | { readonly kind: 'forbidden' }
  /** The user is the last enabled owner of the account. */
  | { readonly kind: 'last_owner' };

/** The address may belong to a user of another account, or its domain to another account. */
export type EmailChange = UserChange | { readonly kind: 'email_taken' };

export type PasswordChange = UserChange | { readonly kind: 'invalid_password'; readonly error: Violation };

const unchanged: UserChange = { kind: 'unchanged' };

/**
 * Changes the users of accounts, for owners, administrators and the operator. Each change is one transaction together with
 * its audit events, and takes effect in all processes when it is committed.
 *
 * Owners change all other users, and administrators those who are not owners. The audit context of the command line has no
 * user, and may change all users.
 */
export class UserAdministration {
  readonly #prisma: Database['prisma'];
  readonly #notices: SecurityNotices;

  constructor({ prisma }: Pick<Database, 'prisma'>, notices: SecurityNotices) {
    this.#prisma = prisma;
    this.#notices = notices;
  }

  /** Disables a user, revokes all sessions and grants, and deletes unused authorization codes and links. */
  disable(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      if (user.disabledAt !== null) return unchanged;
      if (await isLastOwner(tx, context.accountId, user)) return { kind: 'last_owner' };
      await update(tx, context, user, { disabledAt: context.at });
      await record(tx, context, user, 'user.disabled');
      const changed = await revokeAll(tx, context, user);
      await deleteLinksOfUser(tx, context.accountId, userId);
      await deleteLinksCreatedBy(tx, { accountId: context.accountId, userId, role: null });
      return changed;
    });
  }

  /** Enables a disabled user. Revoked sessions and grants stay revoked. */
  enable(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      if (user.disabledAt === null) return unchanged;
      await update(tx, context, user, { disabledAt: null });
      await record(tx, context, user, 'user.enabled');
      // A consent may have stored a code while the user was being disabled.
      return revokeAll(tx, context, user);
    });
  }

  /** Changes the role of a user, and revokes the grants of scopes and the links that the new role does not permit. */
  setRole(context: AuditContext, userId: string, role: Role): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      if (!(await canAssignRole(tx, context, role))) return { kind: 'forbidden' };
      if (user.role === role) return unchanged;
      if (await isLastOwner(tx, context.accountId, user)) return { kind: 'last_owner' };
      await update(tx, context, user, { role });
      await record(tx, context, user, 'user.role_changed', { from: user.role, to: role });
      const beyondRole = ({ scopes }: { scopes: readonly string[] }) =>
        scopes.some((scope) => !mayGrant(role, scope));
      const revokedGrants = await revokeUserGrants(tx, context, [user], beyondRole);
      await deleteLinksCreatedBy(tx, { accountId: context.accountId, userId, role });
      // An administrator may have created one for a user who is now an owner.
      await deleteLinksOfUser(tx, context.accountId, userId);
      return { kind: 'changed', revokedSessions: 0, revokedGrants };
    });
  }

  /** Replaces the password of a user and revokes all sessions. Grants stay, because applications do not know the password. */
  async setPassword(context: AuditContext, userId: string, password: string): Promise<PasswordChange> {
    const error = await passwordError(password);
    if (error !== undefined) return { kind: 'invalid_password', error };
    // Outside the transaction, because hashing is slow.
    const passwordHash = await hashPassword(password);
    const changed = await this.#change(context, userId, async (tx, user) => {
      await update(tx, context, user, { passwordHash });
      await record(tx, context, user, 'user.password_changed');
      const revokedSessions = await revokeSessions(tx, context, user);
      await deleteLinksOfUser(tx, context.accountId, userId);
      return { kind: 'changed', revokedSessions, revokedGrants: 0 };
    });
    if (changed.kind === 'changed') this.#notices.send(context, userId, 'password_changed');
    return changed;
  }

  /**
   * Replaces the e-mail address of a user, for the operator. It is not verified. Links that were sent to the earlier address
   * stop working.
   *
   * @param given a valid address
   */
  async setEmail(context: AuditContext, userId: string, given: string): Promise<EmailChange> {
    const email = normalizeEmail(given);
    if (await isForeignDomain({ prisma: this.#prisma }, context.accountId, email))
      return { kind: 'email_taken' };
    let earlier = '';
    const changed = this.#change(context, userId, async (tx, user) => {
      if (user.email === email) return unchanged;
      earlier = user.email;
      await update(tx, context, user, { email, emailVerified: false });
      await record(tx, context, { id: userId, email }, 'user.email_changed', { from: user.email });
      await deleteLinksOfUser(tx, context.accountId, userId);
      return { kind: 'changed', revokedSessions: 0, revokedGrants: 0 };
    });
    const outcome = await changed.catch((error): EmailChange => {
      if (isEmailTaken(error)) return { kind: 'email_taken' };
      throw error;
    });
    if (outcome.kind === 'changed') this.#notices.sendToEarlierAddress(earlier);
    return outcome;
  }

  /** Revokes all sessions of a user, and an unconfirmed change of the e-mail address. */
  revokeSessions(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      const { accountId } = context;
      const { count: revokedSessions } = await tx.session.deleteMany({ where: { accountId, userId } });
      const links = await deleteEmailLinks(tx, accountId, userId);
      if (revokedSessions + links === 0) return unchanged;
      await record(tx, context, user, 'user.sessions_revoked');
      return { kind: 'changed', revokedSessions, revokedGrants: 0 };
    });
  }

  /** Removes all second factors of a user who has lost them, and revokes all sessions. */
  async removeSecondFactors(context: AuditContext, userId: string): Promise<UserChange> {
    const changed = await this.#change(context, userId, async (tx, user) => {
      const where = { accountId: context.accountId, userId };
      const apps = await tx.totpFactor.deleteMany({ where });
      const passkeys = await tx.passkey.deleteMany({ where });
      const codes = await tx.recoveryCode.deleteMany({ where });
      if (apps.count + passkeys.count + codes.count === 0) return unchanged;
      await record(tx, context, user, 'user.second_factor_removed');
      return {
        kind: 'changed',
        revokedSessions: await revokeSessions(tx, context, user),
        revokedGrants: 0,
      };
    });
    if (changed.kind === 'changed') this.#notices.send(context, userId, 'second_factors_removed');
    return changed;
  }

  /**
   * Removes the link of a user with the identity provider, and revokes the sessions that it signed in. The next sign-in with
   * the verified address links the user again, as after the identity provider gave the user another subject.
   */
  unlinkIdentity(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      const where = { accountId: context.accountId, userId };
      const { count } = await tx.userIdentity.deleteMany({ where });
      if (count === 0) return unchanged;
      await record(tx, context, user, 'user.identity_unlinked');
      const sessions = await tx.session.deleteMany({ where: { ...where, singleSignOn: true } });
      await deleteEmailLinks(tx, context.accountId, userId);
      return { kind: 'changed', revokedSessions: sessions.count, revokedGrants: 0 };
    });
  }

  /** Revokes the grants of a user to an application, and deletes the unused authorization codes. */
  disconnect(context: UserAuditContext, userId: string, applicationId: string): Promise<UserChange> {
    return this.#change(context, userId, async (tx, user) => {
      const toApplication = (grant: { applicationId: string }) => grant.applicationId === applicationId;
      const revokedGrants = await revokeUserGrants(tx, context, [user], toApplication);
      return revokedGrants === 0 ? unchanged : { kind: 'changed', revokedSessions: 0, revokedGrants };
    });
  }

  #change(
    context: AuditContext,
    userId: string,
    work: (tx: Prisma.TransactionClient, user: LockedUser) => Promise<UserChange>,
  ): Promise<UserChange> {
    return this.#prisma.$transaction(async (tx): Promise<UserChange> => {
      const user = await lockUser(tx, context, userId);
      return typeof user === 'string' ? { kind: user } : work(tx, user);
    });
  }
}

/** Whether the acting user, who is locked, may give a role. */
async function canAssignRole(
  tx: Prisma.TransactionClient,
  { accountId, userId: id }: AuditContext,
  role: Role,
): Promise<boolean> {
  if (id === undefined) return true;
  const actor = await tx.user.findFirst({ where: { accountId, id }, select: { role: true } });
  return actor !== null && mayAdminister(actor.role as Role, role);
}

/** Whether a user is the last enabled owner. Locks the account, because two owners may be disabled at the same time. */
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

async function revokeAll(
  tx: Prisma.TransactionClient,
  context: AuditContext,
  user: AffectedUser,
): Promise<UserChange> {
  const revokedGrants = await revokeUserGrants(tx, context, [user], allGrants);
  return { kind: 'changed', revokedSessions: await revokeSessions(tx, context, user), revokedGrants };
}
