import type { AccountId } from '../../platform/accounts/account-id.js';
import { administratorRoles } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import type { Core } from '../../platform/core.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { BackgroundMail, type MailText } from '../../platform/mail/mailer.js';
import { notifyRoles } from '../../platform/mail/notify-roles.js';
import { settings } from '../../platform/pages/paths.js';

/** `id` of the section of the settings page with the requests. */
export const requestsId = 'requests';

function requestMail(name: string, { user, url }: { user: string; url: string }): MailText {
  return {
    subject: `Approval of ${name} requested`,
    before: [
      `${user} asks you to approve the application ${name} for your account.`,
      'No user of your account can connect it until an owner or administrator approves it.',
    ],
    link: { label: 'Show the requests', url },
    after: ['You get no further mail when other users ask for the same application.'],
  };
}

function approvedMail(name: string): MailText {
  return {
    subject: `${name} is approved`,
    before: [`The application ${name} is approved for your account.`],
    after: ['Go to the application and connect it again.'],
  };
}

function declinedMail(name: string): MailText {
  return {
    subject: `${name} is not approved`,
    before: [`Your request to approve the application ${name} was declined.`],
    after: ['If you need it, contact an owner or administrator of your account.'],
  };
}

/** Tells users by mail about requests and decisions. The caller has committed the change, which does not wait for the mail. */
export class ApprovalMails {
  readonly #core: Pick<Core, 'database' | 'delivery'>;
  readonly #background: BackgroundMail;

  constructor(core: Pick<Core, 'database' | 'delivery' | 'logger'>) {
    this.#core = core;
    this.#background = new BackgroundMail(core.logger);
  }

  /** Tells the enabled owners and administrators that a user asks for an application. */
  requested({ accountId, userId }: UserAuditContext, { name, email }: { name: string; email: string }): void {
    const { database, delivery } = this.#core;
    const url = delivery.addressOf(`${settings.applications}#${requestsId}`);
    this.#background.add(() =>
      notifyRoles(database, delivery, {
        roles: administratorRoles,
        cause: 'approval_request',
        subjects: { user: userId, account: accountId },
        mail: requestMail(name, { user: email, url }),
      }),
    );
  }

  /** Tells the users who asked for an application what was decided. */
  decided(
    { accountId, userId }: { accountId: AccountId; userId: string },
    { name, isApproved, requesters }: { name: string; isApproved: boolean; requesters: readonly string[] },
  ): void {
    if (requesters.length === 0) return;
    const { database, delivery } = this.#core;
    const mail = isApproved ? approvedMail(name) : declinedMail(name);
    this.#background.add(() =>
      withScope(accountScope(accountId), async () => {
        const permit = await delivery.permit(database.prisma, 'approval_decision', {
          user: userId,
          account: accountId,
        });
        await Promise.all(requesters.map((email) => delivery.notify(permit, email, mail)));
      }),
    );
  }

  /** Resolves when all mails are sent or have failed. */
  settled(): Promise<void> {
    return this.#background.settled();
  }
}
