import { domainOf } from '../accounts/normalize.js';
import { type Clock, hourMilliseconds } from '../clock.js';
import type { Config } from '../config/config.js';
import { counted } from '../counted.js';
import type { Prisma } from '../database/client.js';
import { countInWindow, keyFor } from '../limits/counter.js';
import type { Logger } from '../logger.js';
import { Problem } from '../problems/problem.js';
import { composeMail, Mailer, type MailText } from './mailer.js';

/** Mails are counted for an hour, from the first one. */
const windowMilliseconds = hourMilliseconds;

/**
 * Mails an hour by cause: that a user causes, that an address gets, and that an account causes.
 *
 * Anyone can request a link for a forgotten password, and each user can change own settings. A limit of the account would
 * therefore let one client suppress the mails of all users.
 */
const mailLimits = {
  invitation: { user: 50, recipient: 5, account: 200 },
  password_link: { user: 50, recipient: 5, account: 200 },
  email_change: { user: 5, recipient: 5, account: 200 },
  forgotten_password: { recipient: 3 },
  security_change: { recipient: 20 },
  paused_webhook: { account: 20 },
  approval_request: { user: 10, account: 50 },
  approval_decision: { user: 50, account: 200 },
  lost_domain: { account: 20 },
  expiring_secret: { account: 200 },
} as const;

export type MailCause = keyof typeof mailLimits;

/** The user, address and account that a mail is counted for. */
export type MailSubjects<Cause extends MailCause> = Readonly<
  Record<keyof (typeof mailLimits)[Cause], string>
>;

/** An address with the domain in ASCII form: an internationalized domain has several spellings. */
function mailboxOf(email: string): string {
  const domain = domainOf(email);
  return domain === '' ? email : `${email.slice(0, email.lastIndexOf('@'))}@${domain}`;
}

/**
 * Counts a mail for all subjects. In a transaction it is the last statement with locks, and a rejection undoes the counts.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`
 */
async function countMail<Cause extends MailCause>(
  database: Pick<Prisma.TransactionClient, '$queryRaw'>,
  { cause, subjects, at }: { cause: Cause; subjects: MailSubjects<Cause>; at: Date },
): Promise<void> {
  const limits = new Map<string, number>();
  for (const [subject, limit] of Object.entries<number>(mailLimits[cause])) {
    const id = subjects[subject as keyof MailSubjects<Cause>];
    const key = subject === 'recipient' ? mailboxOf(id) : id;
    limits.set(keyFor(`mail ${cause} ${subject} ${key}`), limit);
  }
  const counts = await countInWindow(database, [...limits.keys()], { milliseconds: windowMilliseconds, at });
  const exceeded = counts.filter(({ key, points }) => points > (limits.get(key) ?? 0));
  if (exceeded.length === 0) return;
  const until = Math.max(...exceeded.map((count) => count.expire.getTime()));
  const retryAfterSeconds = Math.max(1, Math.ceil((until - at.getTime()) / 1000));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  // The same text for each subject: others may have sent mails to the address.
  throw new Problem(
    'rate_limit_exceeded',
    `Too many mails were sent in the last hour. Try again in ${counted(minutes, 'minute')}.`,
    { retryAfterSeconds },
  );
}

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
  readonly logger: Pick<Logger, 'warn'>;
}

/** Sends all mails to people: links and messages. */
export class LinkDelivery {
  readonly #mailer: Mailer;
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #logger: Pick<Logger, 'warn'>;

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
