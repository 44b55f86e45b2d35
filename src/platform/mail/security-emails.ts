import type { AuditContext } from '../audit/audit-log.js';
import type { Database } from '../database/client.js';
import { accountScope, withScope } from '../database/scope.js';
import type { Logger } from '../logger.js';
import type { LinkDelivery } from './link-delivery.js';
import { BackgroundMail, type MailText } from './mailer.js';

/** What happened, as a sentence and as the subject. No mail has a link: users need not follow one from a mail. */
const sentences = {
  password_changed: 'Your password was changed',
  authenticator_app_added: 'An authenticator app was added to your account',
  authenticator_app_removed: 'The authenticator app was removed from your account',
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  recovery_codes_created: 'New recovery codes were created for your account',
  recovery_code_used: 'A recovery code was used to sign in to your account',
  second_factors_removed: 'All second factors were removed from your account',
  email_changed: 'Your e-mail address was changed',
} as const;

/** A change of a setting with which a user signs in. */
type SecurityChange = keyof typeof sentences;

/** Tells a user about a change. */
function securityMail(change: SecurityChange): MailText {
  const subject = sentences[change];
  const after =
    change === 'email_changed'
      ? 'You no longer sign in to People with this address. If you did not change it, contact an owner of your account.'
      : 'If this was not you, set a new password for People, and contact an owner of your account.';
  return { subject, before: [`${subject}.`], after: [after] };
}

/**
 * Tells users by mail when a setting changes with which they sign in, so that a user notices the change of an attacker. The
 * caller has committed the change, which does not wait for the mail.
 */
export class SecurityEmails {
  readonly #prisma: Database['prisma'];
  readonly #delivery: LinkDelivery;
  readonly #background: BackgroundMail;

  constructor({ prisma }: Pick<Database, 'prisma'>, delivery: LinkDelivery, logger: Pick<Logger, 'warn'>) {
    this.#prisma = prisma;
    this.#delivery = delivery;
    this.#background = new BackgroundMail(logger);
  }

  send({ accountId }: Pick<AuditContext, 'accountId'>, userId: string, change: SecurityChange): void {
    this.#background.add(async () => {
      const user = await withScope(accountScope(accountId), () =>
        this.#prisma.user.findFirst({ where: { accountId, id: userId }, select: { email: true } }),
      );
      if (user !== null) await this.#notify(user.email, change);
    });
  }

  /** Sends a mail to the earlier address of a user. */
  sendToEarlierAddress(email: string): void {
    this.#background.add(() => this.#notify(email, 'email_changed'));
  }

  async #notify(email: string, change: SecurityChange): Promise<void> {
    const permit = await this.#delivery.permit(this.#prisma, 'security_change', { recipient: email });
    await this.#delivery.notify(permit, email, securityMail(change));
  }

  /** Resolves when all mails are sent or have failed. */
  settled(): Promise<void> {
    return this.#background.settled();
  }
}
