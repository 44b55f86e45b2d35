import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SentMessageInfo, StreamSentMessageInfo, Transporter } from 'nodemailer';
import { renderToString } from 'preact-render-to-string';
import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import { describeError } from '../database/database-errors.js';
import { randomId } from '../database/ids.js';
import { ConcurrencyLimit } from '../limits/concurrency-limit.js';
import type { Logger } from '../logger.js';

/** The text of a mail: paragraphs, and at most one link between them. */
export interface MailText {
  readonly subject: string;
  readonly before: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
  readonly after: readonly string[];
}

/** A mail to one address, as plain text and as HTML. */
interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Writes the same text as plain text and as HTML. The renderer escapes all text. */
export function composeMail(to: string, mail: MailText): MailMessage {
  const { subject, before, link, after } = mail;
  const paragraphs = [...before, ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]), ...after];
  return {
    to,
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html>${renderToString(<Body {...mail} />)}`,
  };
}

function Body({ subject, before, link, after }: MailText) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{subject}</title>
      </head>
      <body>
        {before.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {link !== undefined && (
          <p>
            <a href={link.url}>{link.label}</a>
          </p>
        )}
        {after.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </body>
    </html>
  );
}

/** Without `smtpUrl` no mail is sent. In `outboxDirectory` each mail is also stored as a file. */
type MailSettings = Pick<Config, 'smtpUrl' | 'mailFrom' | 'outboxDirectory'>;

/** A page waits for the mail server, so that it can report a failure. */
const timeouts = {
  dnsTimeout: 5_000,
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 10_000,
} as const;

/** Sends mail through an SMTP server. */
export class Mailer {
  readonly #settings: MailSettings;
  readonly #clock: Clock;

  constructor(settings: MailSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Whether mail is sent. Without an SMTP server, links are shown to the user who creates them. */
  get canSendMail(): boolean {
    return this.#settings.smtpUrl !== undefined;
  }

  /**
   * Stores a mail in the outbox, if there is one, and sends it, if there is an SMTP server.
   *
   * @throws {Error} when the SMTP server is not available or rejects the mail
   */
  async send({ to, ...content }: MailMessage): Promise<void> {
    const { mailFrom, smtpUrl, outboxDirectory } = this.#settings;
    // As an object, because a string is parsed as a list of addresses.
    const mail = { from: mailFrom, to: { name: '', address: to }, ...content, date: this.#clock() };
    if (outboxDirectory !== undefined) {
      const { message } = await (await createOutbox()).sendMail(mail);
      await this.#store(outboxDirectory, message as Buffer);
    }
    if (smtpUrl !== undefined) await (await createSmtpTransport(smtpUrl)).sendMail(mail);
  }

  /**
   * Connects to the SMTP server and signs in, without sending a mail.
   *
   * @throws {Error} when the server is not available or rejects the credentials
   */
  async connect(): Promise<void> {
    const { smtpUrl } = this.#settings;
    if (smtpUrl !== undefined) await (await createSmtpTransport(smtpUrl)).verify();
  }

  /** The files have links, so that only the user of the process may read them. */
  async #store(directory: string, message: Buffer): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const name = `${this.#clock().toISOString().replaceAll(':', '')}-${randomId(8)}.eml`;
    await writeFile(path.join(directory, name), message, { flag: 'wx', mode: 0o600 });
  }
}

/** The library is loaded with the first mail. */
const library = () => import('nodemailer');

async function createOutbox(): Promise<Transporter<StreamSentMessageInfo>> {
  const { createTransport } = await library();
  return createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
}

async function createSmtpTransport(url: string): Promise<Transporter<SentMessageInfo>> {
  const { createTransport } = await library();
  // Credentials are never sent over a connection without TLS.
  const requireTLS = new URL(url).username !== '';
  return createTransport({ url, requireTLS, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
}

/** Mails that wait at most; further ones are dropped. It bounds the memory that they take. */
const maximumWaiting = 1_000;

/** Mail that is sent after the response, so that neither its time nor a failure affects the action. */
export class BackgroundMail {
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #limit = new ConcurrencyLimit(2);
  readonly #pending = new Set<Promise<void>>();

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  /** Returns at once. A failure is logged. */
  add(send: () => Promise<void>): void {
    if (this.#pending.size >= maximumWaiting) return;
    const sent: Promise<void> = this.#limit
      .run('', {}, send)
      .catch((error) => this.#logger.warn({ reason: describeError(error) }, 'a mail was not sent'))
      .finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
  }

  /** Resolves when all mails are sent or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
