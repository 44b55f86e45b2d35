import { normalizeEmail } from '../../platform/accounts/normalize.js';
import {
  consumeLink,
  deleteLinksOfUser,
  insertLink,
  type ValidLink,
} from '../../platform/accounts/one-time-links.js';
import { revokeSessions, userDetails } from '../../platform/accounts/revoke-user-access.js';
import { mustUseSingleSignOn } from '../../platform/accounts/user.js';
import { passwordError } from '../../platform/accounts/user-rules.js';
import type { AuditContext, AuditOrigin, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { type AffectedUser, lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import type { LimitReached } from '../../platform/limits/failure-limit.js';
import type { DeliveredLink } from '../../platform/mail/link-delivery.js';
import type { BackgroundMail } from '../../platform/mail/mailer.js';
import { singleSignOnPath } from '../../platform/pages/paths.js';
import type { Violation } from '../../platform/problems/rule-texts.js';
import { passwordMail, singleSignOnMail } from './mail-texts.js';

/** Lifetime of a link that an owner or administrator creates. */
const createdSeconds = 86_400;

/** Lifetime of a link for a forgotten password. */
const forgottenSeconds = 3_600;

type PasswordLinkOutcome =
  | { readonly kind: 'created'; readonly email: string; readonly link: DeliveredLink }
  | { readonly kind: 'not_found' | 'forbidden' | 'disabled' };

type NewPasswordOutcome =
  | { readonly kind: 'used' }
  | { readonly kind: 'invalid_password'; readonly error: Violation }
  | { readonly kind: 'invalid_link' };

/** Links with which users set a new password. */
export class PasswordLinks {
  readonly #core: Core;
  readonly #background: BackgroundMail;

  constructor(core: Core, background: BackgroundMail) {
    this.#core = core;
    this.#background = background;
  }

  /**
   * Creates a link for another user.
   *
   * @throws {Problem} 429 `rate_limit_exceeded` when too many mails were sent
   */
  async create(context: UserAuditContext, userId: string): Promise<PasswordLinkOutcome> {
    const { database, delivery } = this.#core;
    const stored = await change(database.prisma, context, lock.user(userId), async (unit, user) => {
      if (typeof user === 'string') return user;
      if (user.disabledAt !== null) return 'disabled';
      const { email } = user;
      const token = await this.#insert(unit, user, createdSeconds);
      const subjects = { user: context.userId, recipient: email, account: context.accountId };
      return { email, token, permit: await delivery.permit(unit.tx, 'password_link', subjects) };
    });
    if (typeof stored === 'string') return { kind: stored };
    const { email, token, permit } = stored;
    const mail = passwordMail({ url: delivery.urlOf('password', token), lifetime: '24 hours' });
    return { kind: 'created', email, link: await delivery.deliver(permit, email, mail) };
  }

  /**
   * Sends a link to a user who has forgotten the password. Resolves before the address is looked up, so that neither the
   * outcome nor the time reveals whether it exists.
   *
   * @returns `null`, or the limit that the request exceeds
   */
  async request(email: string, origin: AuditOrigin): Promise<LimitReached | null> {
    const limit = await this.#core.failureLimit.count({
      by: 'forgotten by',
      address: origin.address,
      of: `forgotten of ${normalizeEmail(email)}`,
    });
    if (limit !== null) return limit;
    if (this.#core.delivery.canSendMail) this.#background.add(() => this.#send(email, origin));
    return null;
  }

  /** Resolves when the requested links are sent or have failed. */
  settled(): Promise<void> {
    return this.#background.settled();
  }

  /**
   * Sets the password of the user of a link, consumes it, and revokes all sessions and links of the user.
   *
   * @param signal aborts when the client disconnects
   * @throws {Problem} 503 `service_unavailable` when too many passwords are being hashed
   * @throws the reason of the signal when it aborts before the password is hashed
   */
  async use(
    link: ValidLink,
    password: string,
    { origin, signal }: { origin: AuditOrigin; signal: AbortSignal },
  ): Promise<NewPasswordOutcome> {
    const { database, passwords, securityEmails, clock } = this.#core;
    const { accountId, userId } = link;
    if (userId === null) return { kind: 'invalid_link' };
    const error = await passwordError(password);
    if (error !== undefined) return { kind: 'invalid_password', error };
    // Outside the transaction, because hashing is slow.
    const passwordHash = await passwords.hash(password, { address: origin.address, signal });
    const context = { accountId, userId, origin, at: clock() };
    const changed = await change(database.prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if (user === null || !(await consumeLink(unit, link))) return false;
      // A mail that the user has received proves the address.
      const verified = link.mailed && link.email === user.email ? { emailVerified: true } : {};
      await unit.tx.user.updateMany({
        where: { id: userId, accountId },
        data: { passwordHash, ...verified, updatedAt: context.at },
      });
      await unit.record('user.password_changed', userDetails(user));
      await revokeSessions(unit, user);
      await deleteLinksOfUser(unit, userId);
      return true;
    });
    if (!changed) return { kind: 'invalid_link' };
    securityEmails.send(context, userId, 'password_changed');
    return { kind: 'used' };
  }

  /** @throws {Problem} 429 when too many mails were sent. It is logged, and no response depends on it. */
  async #send(email: string, origin: AuditOrigin): Promise<void> {
    const { database, users, clock, delivery } = this.#core;
    const found = await users.findForSignIn(email);
    if (found === null) return;
    const { id, accountId, email: to } = found.user;
    if (mustUseSingleSignOn(found.user)) {
      const permit = await delivery.permit(database.prisma, 'forgotten_password', { recipient: to });
      const url = delivery.addressOf(singleSignOnPath(accountId));
      await delivery.notify(permit, to, singleSignOnMail({ url }));
      return;
    }
    const context = { accountId, origin, at: clock() };
    const stored = await change(database.prisma, context, lock.enabledUser(id), async (unit, user) => {
      if (user === null) return null;
      const token = await this.#insert(unit, user, forgottenSeconds);
      const permit = await delivery.permit(unit.tx, 'forgotten_password', { recipient: user.email });
      return { to: user.email, token, permit };
    });
    if (stored === null) return;
    const url = delivery.urlOf('password', stored.token);
    await delivery.deliver(stored.permit, stored.to, passwordMail({ url, lifetime: 'one hour' }));
  }

  async #insert(unit: Unit<AuditContext>, user: AffectedUser, lifetimeSeconds: number): Promise<string> {
    const { accountId, userId, at } = unit.context;
    await unit.record('user.password_link_created', userDetails(user));
    return insertLink(unit.tx, {
      target: { purpose: 'password', email: user.email, userId: user.id },
      accountId,
      createdById: userId,
      mailed: this.#core.delivery.canSendMail,
      at,
      lifetimeSeconds,
    });
  }
}
