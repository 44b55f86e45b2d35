import { deleteLinksOfUser } from '../../platform/accounts/one-time-links.js';
import type { Passwords } from '../../platform/accounts/passwords.js';
import {
  allGrants,
  revokeSessions,
  revokeUserGrants,
  userDetails,
} from '../../platform/accounts/revoke-user-access.js';
import { hashSessionId, hasSession, SessionEndedError } from '../../platform/accounts/sessions.js';
import { passwordError } from '../../platform/accounts/user-rules.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { type AffectedUser, lock } from '../../platform/changes/locks.js';
import type { Database } from '../../platform/database/client.js';
import type { SecurityEmails } from '../../platform/mail/security-emails.js';
import type { Violation } from '../../platform/problems/rule-texts.js';

/** Changes of users to their own password and sessions. Each change is one transaction together with its audit event. */
export class OwnAccount {
  readonly #prisma: Database['prisma'];
  readonly #passwords: Passwords;
  readonly #securityEmails: SecurityEmails;

  constructor(
    { prisma }: Pick<Database, 'prisma'>,
    { passwords, securityEmails }: { passwords: Passwords; securityEmails: SecurityEmails },
  ) {
    this.#prisma = prisma;
    this.#passwords = passwords;
    this.#securityEmails = securityEmails;
  }

  /**
   * Replaces the password, revokes all other sessions and deletes the links for the user. The caller has verified the
   * current password.
   *
   * @param options.sessionId the session that is kept
   * @param options.revokesGrants whether the grants of the user are revoked too, with their tokens
   * @param options.signal aborts when the client disconnects
   * @returns what the password must be; `undefined` when it was changed
   * @throws {SessionEndedError}
   * @throws {Problem} 503 `service_unavailable` when too many passwords are being hashed
   * @throws the reason of the signal when it aborts before the password is hashed
   */
  async changePassword(
    context: UserAuditContext,
    {
      password,
      sessionId,
      revokesGrants,
      signal,
    }: { password: string; sessionId: string; revokesGrants: boolean; signal: AbortSignal },
  ): Promise<Violation | undefined> {
    const error = await passwordError(password);
    if (error !== undefined) return error;
    // Outside the transaction, because hashing is slow.
    const { accountId, userId, at, origin } = context;
    const passwordHash = await this.#passwords.hash(password, { address: origin.address, signal });
    await this.#change(context, async (unit, user) => {
      // The password may have been replaced since the current one was compared.
      if (!(await hasSession(unit, sessionId))) throw new SessionEndedError();
      const where = { id: userId, accountId };
      await unit.tx.user.updateMany({ where, data: { passwordHash, updatedAt: at } });
      await unit.record('user.password_changed', userDetails(user));
      if (revokesGrants) await revokeUserGrants(unit, [user], allGrants);
      await revokeSessions(unit, user, hashSessionId(sessionId));
      await deleteLinksOfUser(unit, userId);
    });
    this.#securityEmails.send(context, userId, 'password_changed');
    return undefined;
  }

  /** Revokes all sessions of the user, with that of the request. */
  signOutEverywhere(context: UserAuditContext): Promise<void> {
    return this.#change(context, async (unit, user) => {
      await revokeSessions(unit, user);
      await unit.record('user.sessions_revoked', userDetails(user));
    });
  }

  #change(
    context: UserAuditContext,
    work: (unit: Unit<UserAuditContext>, user: AffectedUser) => Promise<void>,
  ): Promise<void> {
    return change(this.#prisma, context, lock.enabledUser(context.userId), async (unit, user) => {
      if (user !== null) await work(unit, user);
    });
  }
}
