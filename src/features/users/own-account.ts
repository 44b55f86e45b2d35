import { type LockedUser, lockUser } from '../../platform/accounts/locks.js';
import { deleteLinksOfUser } from '../../platform/accounts/one-time-links.js';
import type { Passwords } from '../../platform/accounts/passwords.js';
import { recordUserEvent } from '../../platform/accounts/record-user-event.js';
import { allGrants, revokeSessions, revokeUserGrants } from '../../platform/accounts/revoke-user-access.js';
import { hashSessionId, hasSession, SessionEndedError } from '../../platform/accounts/sessions.js';
import { passwordError } from '../../platform/accounts/user-rules.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import type { SecurityNotices } from '../../platform/mail/security-notices.js';
import type { Violation } from '../../platform/problems/rule-texts.js';

/** Changes of users to their own password and sessions. Each change is one transaction together with its audit event. */
export class OwnAccount {
  readonly #prisma: Database['prisma'];
  readonly #passwords: Passwords;
  readonly #notices: SecurityNotices;

  constructor(
    { prisma }: Pick<Database, 'prisma'>,
    { passwords, notices }: { passwords: Passwords; notices: SecurityNotices },
  ) {
    this.#prisma = prisma;
    this.#passwords = passwords;
    this.#notices = notices;
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
    await this.#change(context, async (tx, user) => {
      // The password may have been replaced since the current one was compared.
      if (!(await hasSession(tx, context, sessionId))) throw new SessionEndedError();
      await tx.user.updateMany({ where: { id: userId, accountId }, data: { passwordHash, updatedAt: at } });
      await recordUserEvent(tx, context, user, 'user.password_changed');
      if (revokesGrants) await revokeUserGrants(tx, context, [user], allGrants);
      await revokeSessions(tx, context, user, hashSessionId(sessionId));
      await deleteLinksOfUser(tx, accountId, userId);
    });
    this.#notices.send(context, userId, 'password_changed');
    return undefined;
  }

  /** Revokes all sessions of the user, with that of the request. */
  signOutEverywhere(context: UserAuditContext): Promise<void> {
    return this.#change(context, async (tx, user) => {
      await revokeSessions(tx, context, user);
      await recordUserEvent(tx, context, user, 'user.sessions_revoked');
    });
  }

  #change(
    { accountId, userId, at }: UserAuditContext,
    work: (tx: Prisma.TransactionClient, user: LockedUser) => Promise<void>,
  ): Promise<void> {
    return this.#prisma.$transaction(async (tx) => {
      const user = await lockUser(tx, { accountId, at }, userId);
      if (typeof user !== 'string' && user.disabledAt === null) await work(tx, user);
    });
  }
}
