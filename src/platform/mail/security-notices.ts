import type { AuditContext } from '../audit/audit-context.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import type { Database, DatabaseLogger } from '../database/client.js';
import { accountScope, withScope } from '../database/scope.js';
import { BackgroundMail } from './background-mail.js';
import { LinkDelivery } from './link-delivery.js';
import { Mailer } from './mailer.js';
import { type SecurityChange, securityMail } from './security-mail.js';

/**
 * Tells users by mail when a setting changes with which they sign in, so that a user notices the change of an attacker. The
 * caller has committed the change, which does not wait for the mail.
 */
export class SecurityNotices {
  readonly #prisma: Database['prisma'];
  readonly #delivery: LinkDelivery;
  readonly #background: BackgroundMail;

  constructor({ prisma }: Pick<Database, 'prisma'>, delivery: LinkDelivery, background: BackgroundMail) {
    this.#prisma = prisma;
    this.#delivery = delivery;
    this.#background = background;
  }

  /** Sends a mail to a user. */
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

/** Creates the notices of a process. */
export function createSecurityNotices(
  database: Pick<Database, 'prisma'>,
  { config, clock, logger }: { config: Config; clock: Clock; logger: Pick<DatabaseLogger, 'warn'> },
): SecurityNotices {
  const delivery = new LinkDelivery(new Mailer(config, clock), { baseUrl: config.baseUrl, clock, logger });
  return new SecurityNotices(database, delivery, new BackgroundMail(logger));
}
