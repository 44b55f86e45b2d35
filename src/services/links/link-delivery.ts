import type { DatabaseLogger } from '../../database/client.js';
import type { Mailer } from '../mail/mailer.js';
import { composeMail, type MailText } from '../mail/message.js';

/** The outcome of the delivery of a link. */
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

/** Delivers one-time links. */
export class LinkDelivery {
  readonly #mailer: Mailer;
  readonly #baseUrl: string;
  readonly #logger: Pick<DatabaseLogger, 'warn'>;

  constructor(
    mailer: Mailer,
    { baseUrl, logger }: { baseUrl: string; logger: Pick<DatabaseLogger, 'warn'> },
  ) {
    this.#mailer = mailer;
    this.#baseUrl = baseUrl;
    this.#logger = logger;
  }

  /** Whether links are sent by mail. Otherwise they are shown to the user who creates them. */
  get delivers(): boolean {
    return this.#mailer.delivers;
  }

  /** URL of a link. */
  urlOf(purpose: keyof typeof linkPaths, token: string): string {
    return `${this.#baseUrl}${linkPaths[purpose]}/${token}`;
  }

  /** URL of a page. */
  addressOf(path: string): string {
    return `${this.#baseUrl}${path}`;
  }

  /** Sends a mail with a link. */
  async deliver(
    to: string,
    mail: MailText & { readonly link: { readonly url: string } },
  ): Promise<DeliveredLink> {
    const sent = await this.notify(to, mail);
    if (!sent) return { kind: 'failed' };
    return this.delivers ? { kind: 'mailed' } : { kind: 'shown', url: mail.link.url };
  }

  /** Sends a mail. Returns whether it was sent; a failure is logged. */
  async notify(to: string, mail: MailText): Promise<boolean> {
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
