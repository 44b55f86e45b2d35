import { mayGrant } from '../../oauth/scopes.js';
import { endSessions } from '../../platform/accounts/end-sessions.js';
import { ifEmailTaken, isForeignDomain } from '../../platform/accounts/new-user.js';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import {
  deleteEmailLinks,
  deleteLinksCreatedBy,
  deleteLinksOfUser,
} from '../../platform/accounts/one-time-links.js';
import { hashPassword } from '../../platform/accounts/passwords.js';
import {
  allGrants,
  revokeSessions,
  revokeUserGrants,
  userDetails,
} from '../../platform/accounts/revoke-user-access.js';
import type { Role } from '../../platform/accounts/user.js';
import { passwordError } from '../../platform/accounts/user-rules.js';
import type { AuditContext, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import {
  type AffectedUser,
  type LockedUser,
  lock,
  lockAccount,
  mayAdminister,
} from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import type { SecurityEmails } from '../../platform/mail/security-emails.js';
import type { Violation } from '../../platform/problems/rule-texts.js';

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
  readonly #securityEmails: SecurityEmails;

  constructor({ prisma }: Pick<Database, 'prisma'>, securityEmails: SecurityEmails) {
    this.#prisma = prisma;
    this.#securityEmails = securityEmails;
  }

  /** Disables a user, revokes all sessions and grants, and deletes unused authorization codes and links. */
  disable(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (unit, user) => {
      if (user.disabledAt !== null) return unchanged;
      if (await isLastOwner(unit, user)) return { kind: 'last_owner' };
      await update(unit, user, { disabledAt: context.at });
      await unit.record('user.disabled', userDetails(user));
      const changed = await revokeAll(unit, user);
      await deleteLinksOfUser(unit, userId);
      await deleteLinksCreatedBy(unit, { userId, role: null });
      return changed;
    });
  }

  /** Enables a disabled user. Revoked sessions and grants stay revoked. */
  enable(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (unit, user) => {
      if (user.disabledAt === null) return unchanged;
      await update(unit, user, { disabledAt: null });
      await unit.record('user.enabled', userDetails(user));
      // A consent may have stored a code while the user was being disabled.
      return revokeAll(unit, user);
    });
  }

  /** Changes the role of a user, and revokes the grants of scopes and the links that the new role does not permit. */
  setRole(context: AuditContext, userId: string, role: Role): Promise<UserChange> {
    return this.#change(context, userId, async (unit, user) => {
      if (!(await canAssignRole(unit, role))) return { kind: 'forbidden' };
      if (user.role === role) return unchanged;
      if (await isLastOwner(unit, user)) return { kind: 'last_owner' };
      await update(unit, user, { role });
      await unit.record('user.role_changed', { ...userDetails(user), from: user.role, to: role });
      const beyondRole = ({ scopes }: { scopes: readonly string[] }) =>
        scopes.some((scope) => !mayGrant(role, scope));
      const revokedGrants = await revokeUserGrants(unit, [user], beyondRole);
      await deleteLinksCreatedBy(unit, { userId, role });
      // An administrator may have created one for a user who is now an owner.
      await deleteLinksOfUser(unit, userId);
      return { kind: 'changed', revokedSessions: 0, revokedGrants };
    });
  }

  /** Replaces the password of a user and revokes all sessions. Grants stay, because applications do not know the password. */
  async setPassword(context: AuditContext, userId: string, password: string): Promise<PasswordChange> {
    const error = await passwordError(password);
    if (error !== undefined) return { kind: 'invalid_password', error };
    // Outside the transaction, because hashing is slow.
    const passwordHash = await hashPassword(password);
    const changed = await this.#change(context, userId, async (unit, user) => {
      await update(unit, user, { passwordHash });
      await unit.record('user.password_changed', userDetails(user));
      const revokedSessions = await revokeSessions(unit, user);
      await deleteLinksOfUser(unit, userId);
      return { kind: 'changed', revokedSessions, revokedGrants: 0 };
    });
    if (changed.kind === 'changed') this.#securityEmails.send(context, userId, 'password_changed');
    return changed;
  }

  /**
   * Replaces the e-mail address of a user, for the operator. It is not verified. Links that were sent to the earlier address
   * stop working.
   *
   * @param input a valid address
   */
  async setEmail(context: AuditContext, userId: string, input: string): Promise<EmailChange> {
    const email = normalizeEmail(input);
    if (await isForeignDomain({ prisma: this.#prisma }, context.accountId, email))
      return { kind: 'email_taken' };
    let previous = '';
    const changed: Promise<EmailChange> = this.#change(context, userId, async (unit, user) => {
      if (user.email === email) return unchanged;
      previous = user.email;
      await update(unit, user, { email, emailVerified: false });
      await unit.record('user.email_changed', { ...userDetails({ id: userId, email }), from: user.email });
      await deleteLinksOfUser(unit, userId);
      return { kind: 'changed', revokedSessions: 0, revokedGrants: 0 };
    });
    const outcome = await changed.catch(ifEmailTaken({ kind: 'email_taken' }));
    if (outcome.kind === 'changed') this.#securityEmails.sendToEarlierAddress(previous);
    return outcome;
  }

  /** Revokes all sessions of a user, and an unconfirmed change of the e-mail address. */
  revokeSessions(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (unit, user) => {
      const ofUser = Prisma.sql`account_id = ${context.accountId} AND user_id = ${userId}`;
      const revokedSessions = await endSessions(unit.tx, ofUser, context.at);
      const links = await deleteEmailLinks(unit, userId);
      if (revokedSessions + links === 0) return unchanged;
      await unit.record('user.sessions_revoked', userDetails(user));
      return { kind: 'changed', revokedSessions, revokedGrants: 0 };
    });
  }

  /** Removes all second factors of a user who has lost them, and revokes all sessions. */
  async removeSecondFactors(context: AuditContext, userId: string): Promise<UserChange> {
    const changed = await this.#change(context, userId, async (unit, user) => {
      const where = { accountId: context.accountId, userId };
      const apps = await unit.tx.totpFactor.deleteMany({ where });
      const passkeys = await unit.tx.passkey.deleteMany({ where });
      const codes = await unit.tx.recoveryCode.deleteMany({ where });
      if (apps.count + passkeys.count + codes.count === 0) return unchanged;
      await unit.record('user.second_factor_removed', userDetails(user));
      return { kind: 'changed', revokedSessions: await revokeSessions(unit, user), revokedGrants: 0 };
    });
    if (changed.kind === 'changed') this.#securityEmails.send(context, userId, 'second_factors_removed');
    return changed;
  }

  /**
   * Removes the link of a user with the identity provider, and revokes the sessions that it signed in. The next sign-in with
   * the verified address links the user again, as after the identity provider gave the user another subject.
   */
  unlinkIdentity(context: AuditContext, userId: string): Promise<UserChange> {
    return this.#change(context, userId, async (unit, user) => {
      const where = { accountId: context.accountId, userId };
      const { count } = await unit.tx.userIdentity.deleteMany({ where });
      if (count === 0) return unchanged;
      await unit.record('user.identity_unlinked', userDetails(user));
      const admitted = Prisma.sql`account_id = ${context.accountId} AND user_id = ${userId} AND single_sign_on`;
      const revokedSessions = await endSessions(unit.tx, admitted, context.at);
      await deleteEmailLinks(unit, userId);
      return { kind: 'changed', revokedSessions, revokedGrants: 0 };
    });
  }

  /** Revokes the grants of a user to an application, and deletes the unused authorization codes. */
  disconnect(context: UserAuditContext, userId: string, applicationId: string): Promise<UserChange> {
    return this.#change(context, userId, async (unit, user) => {
      const toApplication = (grant: { applicationId: string }) => grant.applicationId === applicationId;
      const revokedGrants = await revokeUserGrants(unit, [user], toApplication);
      return revokedGrants === 0 ? unchanged : { kind: 'changed', revokedSessions: 0, revokedGrants };
    });
  }

  #change(
    context: AuditContext,
    userId: string,
    work: (unit: Unit, user: LockedUser) => Promise<UserChange>,
  ): Promise<UserChange> {
    return change(this.#prisma, context, lock.user(userId), async (unit, user) =>
      typeof user === 'string' ? { kind: user } : work(unit, user),
    );
  }
}

/** Whether the acting user, who is locked, may give a role. */
async function canAssignRole({ tx, context: { accountId, userId: id } }: Unit, role: Role): Promise<boolean> {
  if (id == null) return true;
  const actor = await tx.user.findFirst({ where: { accountId, id }, select: { role: true } });
  return actor !== null && mayAdminister(actor.role as Role, role);
}

/** Whether a user is the last enabled owner. Locks the account, because two owners may be disabled at the same time. */
async function isLastOwner(
  { tx, context: { accountId } }: Unit,
  { id, role, disabledAt }: LockedUser,
): Promise<boolean> {
  if (role !== 'owner' || disabledAt !== null) return false;
  await lockAccount(tx, accountId);
  const where = { accountId, role: 'owner', disabledAt: null, id: { not: id } };
  return (await tx.user.findFirst({ where, select: { id: true } })) === null;
}

async function update(
  { tx, context: { accountId, at } }: Unit,
  { id }: AffectedUser,
  data: Prisma.UserUpdateManyMutationInput,
): Promise<void> {
  await tx.user.updateMany({ where: { id, accountId }, data: { ...data, updatedAt: at } });
}

async function revokeAll(unit: Unit, user: AffectedUser): Promise<UserChange> {
  const revokedGrants = await revokeUserGrants(unit, [user], allGrants);
  return { kind: 'changed', revokedSessions: await revokeSessions(unit, user), revokedGrants };
}
