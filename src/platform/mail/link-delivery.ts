import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import type { DatabaseLogger } from '../database/client.js';
import { countMail, type MailCause, type MailSubjects } from './mail-limits.js';
import { Mailer } from './mailer.js';
import { composeMail, type MailText } from './message.js';

export type DeliveredLink =
  | { readonly kind: 'mailed' }
  /** The mail server rejected the mail or is not available. */
  | { readonly kind: 'failed' }
  /** There is no mail server: the user who created the link sends it. */
  | { readonly kind: 'shown'; readonly url: string };

/** The part of the path of each kind of link, before the token. */
export const linkPaths = {
  invitation: '/accept_invitation',
  password: '/set_password',
  email: '/confirm_email',
} as const;

declare const permitted: unique symbol;

/** A mail within the limits. Only {@link LinkDelivery.permit} creates one. */
interface MailPermit {
  readonly [permitted]: true;
}

interface MailDependencies {
  readonly config: Pick<Config, 'baseUrl' | 'smtpUrl' | 'mailFrom' | 'outboxDirectory'>;
  readonly clock: Clock;
  readonly logger: Pick<DatabaseLogger, 'warn'>;
}

/** Sends all mails to people: links and messages. */
export class LinkDelivery {
  readonly #mailer: Mailer;
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #logger: Pick<DatabaseLogger, 'warn'>;

  constructor({ config, clock, logger }: MailDependencies) {
    this.#mailer = new Mailer(config, clock);
    this.#baseUrl = config.baseUrl;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Whether links are sent by mail. Otherwise they are shown to the user who creates them. */
  get canSendMail(): boolean {
    return this.#mailer.canSendMail;
  }

  urlOf(purpose: keyof typeof linkPaths, token: string): string {
    return `${this.#baseUrl}${linkPaths[purpose]}/${token}`;
  }

  addressOf(path: string): string {
    return `${this.#baseUrl}${path}`;
  }

  /**
   * Counts a mail before it is sent. A transaction that causes the mail calls it last.
   *
   * @throws {Problem} 429 `rate_limit_exceeded`
   */
  async permit<Cause extends MailCause>(
    database: Parameters<typeof countMail>[0],
    cause: Cause,
    subjects: MailSubjects<Cause>,
  ): Promise<MailPermit> {
    if (this.canSendMail) await countMail(database, { cause, subjects, at: this.#clock() });
    return {} as MailPermit;
  }

  async deliver(
    permit: MailPermit,
    to: string,
    mail: MailText & { readonly link: { readonly url: string } },
  ): Promise<DeliveredLink> {
    const sent = await this.notify(permit, to, mail);
    if (!sent) return { kind: 'failed' };
    return this.canSendMail ? { kind: 'mailed' } : { kind: 'shown', url: mail.link.url };
  }

  /** Sends a mail. Returns whether it was sent; a failure is logged. */
  async notify(_permit: MailPermit, to: string, mail: MailText): Promise<boolean> {
    try {
      await this.#mailer.send(composeMail(to, mail));
      return true;
    } catch (error) {
      // Not the message of the error, which may contain the address.
      const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
      this.#logger.warn({ code, response_code: responseCode }, 'a mail was not sent');
      return false;
    }
  }
}
