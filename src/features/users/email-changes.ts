import { isForeignDomain } from '../../platform/accounts/account-domains.js';
import { ifEmailTaken } from '../../platform/accounts/new-user.js';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import {
  consumeLink,
  deleteEmailLinks,
  deleteLinksOfUser,
  insertLink,
  type OneTimeLinks,
  type ValidLink,
} from '../../platform/accounts/one-time-links.js';
import { userDetails } from '../../platform/accounts/revoke-user-access.js';
import { hasSession, SessionEndedError } from '../../platform/accounts/sessions.js';
import { emailRule } from '../../platform/accounts/user-rules.js';
import type { AuditOrigin, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import type { LinkDelivery } from '../../platform/mail/link-delivery.js';
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

type EmailConfirmationOutcome = 'changed' | 'invalid_link' | 'email_taken';

type Dependencies = Pick<Core, 'database' | 'securityEmails' | 'clock'> & {
  readonly links: OneTimeLinks;
  readonly delivery: LinkDelivery;
};

/**
 * Changes of the e-mail address with which a user signs in. The new address may belong to another user: that is only found
 * when the change is confirmed, so that no user can find out which addresses exist.
 */
export class EmailChanges {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether addresses can be changed: the link must reach the new address, and no other. */
  get available(): boolean {
    return this.#dependencies.delivery.canSendMail;
  }

  /**
   * Sends a link to the new address. It replaces an earlier one.
   *
   * @throws {SessionEndedError}
   * @throws {Problem} 429 `rate_limit_exceeded` when too many mails were sent
   */
  async request(context: UserAuditContext, sessionId: string, given: string): Promise<EmailRequestOutcome> {
    const { database, delivery } = this.#dependencies;
    if (!this.available) return { kind: 'unavailable' };
    const violation = emailRule(given);
    if (violation !== undefined) return { kind: 'invalid_email', violation };
    const email = normalizeEmail(given);
    const { accountId, userId, at } = context;
    if (await isForeignDomain(database, accountId, email)) return { kind: 'foreign_domain' };
    const stored = await change(database.prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if (!(await hasSession(unit, sessionId))) throw new SessionEndedError();
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

  /** Finds a link that can be used. */
  find(token: string): Promise<ValidLink | null> {
    const { links, clock } = this.#dependencies;
    return links.find(token, { purpose: 'email', now: clock() });
  }

  /**
   * Changes the address of the user of a link, and consumes it. Links for a new password, which were sent to the earlier
   * address, stop working. The earlier address gets a mail.
   */
  async confirm(token: string, origin: AuditOrigin): Promise<EmailConfirmationOutcome> {
    const { database, securityEmails, clock } = this.#dependencies;
    const link = await this.find(token);
    if (link === null) return 'invalid_link';
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
      return { earlier: user.email };
    });
    const outcome = await changed.catch(ifEmailTaken('email_taken'));
    if (typeof outcome === 'string') return outcome;
    securityEmails.sendToEarlierAddress(outcome.earlier);
    return 'changed';
  }
}
