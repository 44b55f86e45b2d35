import { ifEmailTaken, isForeignDomain } from '../../platform/accounts/new-user.js';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import {
  consumeLink,
  deleteEmailLinks,
  deleteLinksOfUser,
  insertLink,
  type ValidLink,
} from '../../platform/accounts/one-time-links.js';
import {
  allGrants,
  revokeSessions,
  revokeUserGrants,
  userDetails,
} from '../../platform/accounts/revoke-user-access.js';
import { findLockedSession, SessionEndedError } from '../../platform/accounts/sessions.js';
import { emailRule, passwordError } from '../../platform/accounts/user-rules.js';
import type { AuditOrigin, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import type { Violation } from '../../platform/problems/rule-texts.js';
import { confirmEmailMail } from './mail-texts.js';

/** Lifetime of a link that confirms an address: 24 hours. */
const lifetimeSeconds = 86_400;

type EmailRequestOutcome =
  | { readonly kind: 'sent' }
  /** The mail server rejected the mail or is not available. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'invalid_email'; readonly violation: Violation }
  | { readonly kind: 'unchanged' }
  /** The domain of the address is confirmed for another account. */
  | { readonly kind: 'foreign_domain' }
  /** There is no mail server. */
  | { readonly kind: 'unavailable' };

/** Changes of users to their own password, e-mail address and sessions. Each is one transaction with its audit events. */
export class OwnAccount {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Replaces the password, revokes all other sessions and deletes the links for the user. The caller has verified the
   * current password.
   *
   * @param sessionId the session that is kept
   * @param revokesGrants whether the grants of the user are revoked too, with their tokens
   * @param signal aborts when the client disconnects
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
    const { database, passwords, securityEmails } = this.#core;
    const error = await passwordError(password);
    if (error !== undefined) return error;
    // Outside the transaction, because hashing is slow.
    const { accountId, userId, at, origin } = context;
    const passwordHash = await passwords.hash(password, { address: origin.address, signal });
    await change(database.prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if (user === null) return;
      // The password may have been replaced since the current one was compared.
      if ((await findLockedSession(unit, sessionId)) === null) throw new SessionEndedError();
      const where = { id: userId, accountId };
      await unit.tx.user.updateMany({ where, data: { passwordHash, updatedAt: at } });
      await unit.record('user.password_changed', userDetails(user));
      if (revokesGrants) await revokeUserGrants(unit, [user], allGrants);
      await revokeSessions(unit, user, hashSecret(sessionId));
      await deleteLinksOfUser(unit, userId);
    });
    securityEmails.send(context, userId, 'password_changed');
    return undefined;
  }

  /** Revokes all sessions of the user, with that of the request. */
  async signOutEverywhere(context: UserAuditContext): Promise<void> {
    const { prisma } = this.#core.database;
    await change(prisma, context, lock.enabledUser(context.userId), async (unit, user) => {
      if (user === null) return;
      await revokeSessions(unit, user);
      await unit.record('user.sessions_revoked', userDetails(user));
    });
  }

  /**
   * Sends a link to a new e-mail address. It replaces an earlier link. The address may belong to another user: that is only found
   * when the change is confirmed, so that no user can find out which addresses exist.
   *
   * @throws {SessionEndedError}
   * @throws {Problem} 429 `rate_limit_exceeded` when too many mails were sent
   */
  async requestEmail(
    context: UserAuditContext,
    sessionId: string,
    input: string,
  ): Promise<EmailRequestOutcome> {
    const { database, delivery } = this.#core;
    // The link must reach the new address, and no other.
    if (!delivery.canSendMail) return { kind: 'unavailable' };
    const violation = emailRule(input);
    if (violation !== undefined) return { kind: 'invalid_email', violation };
    const email = normalizeEmail(input);
    const { accountId, userId, at } = context;
    if (await isForeignDomain(database, accountId, email)) return { kind: 'foreign_domain' };
    const stored = await change(database.prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if ((await findLockedSession(unit, sessionId)) === null) throw new SessionEndedError();
      if (user === null || user.email === email) return null;
      await deleteEmailLinks(unit, userId);
      await unit.record('user.email_change_requested', { ...userDetails(user), to: email });
      const token = await insertLink(unit.tx, {
        target: { purpose: 'email', email, userId },
        accountId,
        createdById: userId,
        mailed: true,
        at,
        lifetimeSeconds,
      });
      const subjects = { user: userId, recipient: email, account: accountId };
      return { token, permit: await delivery.permit(unit.tx, 'email_change', subjects) };
    });
    if (stored === null) return { kind: 'unchanged' };
    const mail = confirmEmailMail({ url: delivery.urlOf('email', stored.token) });
    const sent = await delivery.notify(stored.permit, email, mail);
    return { kind: sent ? 'sent' : 'failed' };
  }

  /**
   * Changes the e-mail address of the user of a link, and consumes it. Links for a new password, which were sent to the earlier
   * address, stop working. The earlier address gets a mail.
   */
  async confirmEmail(link: ValidLink, origin: AuditOrigin): Promise<'used' | 'invalid_link' | 'email_taken'> {
    const { database, securityEmails, clock } = this.#core;
    const { accountId, email } = link;
    if (await isForeignDomain(database, accountId, email)) return 'email_taken';
    const userId = link.userId ?? '';
    const at = clock();
    const context = { accountId, userId, origin, at };
    const changed = change(database.prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if (user === null || !(await consumeLink(unit, link))) return 'invalid_link';
      await unit.tx.user.updateMany({
        where: { id: userId, accountId },
        data: { email, emailVerified: true, updatedAt: at },
      });
      await unit.record('user.email_changed', { ...userDetails({ id: userId, email }), from: user.email });
      await deleteLinksOfUser(unit, userId);
      return { previous: user.email };
    });
    const outcome = await changed.catch(ifEmailTaken('email_taken'));
    if (typeof outcome === 'string') return outcome;
    securityEmails.sendToEarlierAddress(outcome.previous);
    return 'used';
  }
}
