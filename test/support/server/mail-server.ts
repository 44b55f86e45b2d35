import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Test } from '../tap.js';
import { until } from '../until.js';

/** A mail that the server has received. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  /** Headers and both bodies, decoded. */
  readonly text: string;
}

export interface MailServer {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Rejects every mail from now on. */
  rejectAll(): void;
  /** Resolves to the last mail to an address whose text matches, when it has arrived. */
  mailTo(address: string, text?: RegExp): Promise<ReceivedMail>;
}

/** Starts an SMTP server on its own port, and closes it when the test ends. */
export async function startMailServer(t: Test): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let rejecting = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        if (rejecting) return done(new Error('The mailbox is full'));
        const raw = Buffer.concat(pieces).toString('utf8');
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw, text: decode(raw) });
        return done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    rejectAll: () => {
      rejecting = true;
    },
    async mailTo(address, text = /./) {
      let mail: ReceivedMail | undefined;
      await until(() => {
        mail = mails.findLast((each) => each.to.includes(address) && text.test(each.text));
        return mail !== undefined;
      });
      return mail as unknown as ReceivedMail;
    },
  };
}

/** The path of the only link of a mail. */
export function linkIn({ text }: Pick<ReceivedMail, 'text'>): string {
  const urls = new Set([...text.matchAll(/https?:\/\/[^\s"<]+/g)].map(([url]) => url));
  const [url, ...more] = urls;
  if (url === undefined || more.length > 0) throw new Error(`${urls.size} links in ${text}`);
  return new URL(url).pathname;
}

/** Decodes quoted-printable. */
function decode(raw: string): string {
  const joined = raw.replace(/=\r?\n/g, '');
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
