import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { composeMail, Mailer } from '../../../src/platform/mail/mailer.js';
import { createTestClock } from '../../support/server/clock.js';
import { freePort } from '../../support/server/free-port.js';
import { linkIn, startMailServer } from '../../support/server/mail-server.js';
import t from '../../support/tap.js';

const clock = createTestClock();
const mailFrom = 'people@people.example';
const link = { label: 'Accept', url: 'https://people.example/invitations/abc' };
const message = (to: string, subject = 'Invitation') =>
  composeMail(to, { subject, before: ['Zoë <b>invites</b> you.'], link, after: ['Valid for 7 days.'] });

t.test('sends a mail with a plain text and an HTML part, and escapes text', async (t) => {
  const server = await startMailServer(t);
  const mailer = new Mailer({ smtpUrl: server.url, mailFrom, outboxDirectory: undefined }, clock);
  t.equal(mailer.canSendMail, true);
  await mailer.send(message('ada@users.example'));
  const [mail] = server.mails;
  t.match(mail, { from: mailFrom, to: ['ada@users.example'] });
  t.match(mail?.raw, /^Content-Type: multipart\/alternative/m);
  t.match(mail?.raw, /^Subject: Invitation\r$/m);
  t.match(mail?.raw, /^From: people@people.example\r$/m);
  t.match(mail?.text, 'Zoë <b>invites</b> you.', 'plain text');
  t.match(mail?.text, 'Zoë &lt;b>invites&lt;/b> you.', 'HTML');
  t.equal(linkIn({ text: mail?.text ?? '' }), '/invitations/abc');
});

t.test('an address and a subject cannot add recipients or headers', async (t) => {
  const server = await startMailServer(t);
  const mailer = new Mailer({ smtpUrl: server.url, mailFrom, outboxDirectory: undefined }, clock);
  for (const to of ['a,b@users.example', '<a>,c@users.example', 'x@users.example,y@users.example']) {
    await mailer.send(message(to, 'Hello\r\nBcc: z@users.example')).catch(() => {});
  }
  for (const { to, raw } of server.mails) {
    t.equal(to.length, 1);
    t.notMatch(raw.split('\r\n\r\n', 1)[0], /^Bcc:/m);
  }
});

t.test('rejects when the server is not available, or rejects the mail', async (t) => {
  const server = await startMailServer(t);
  server.rejectAll();
  const settings = { mailFrom, outboxDirectory: undefined };
  const rejecting = new Mailer({ ...settings, smtpUrl: server.url }, clock);
  await t.rejects(rejecting.send(message('ada@users.example')), /mailbox is full/);
  const absent = new Mailer({ ...settings, smtpUrl: `smtp://127.0.0.1:${await freePort()}` }, clock);
  await t.rejects(absent.send(message('ada@users.example')), /ECONNREFUSED/);
});

t.test('sends no credentials to a server without TLS', async (t) => {
  const server = await startMailServer(t);
  const smtpUrl = server.url.replace('//', '//user:secret@');
  const mailer = new Mailer({ smtpUrl, mailFrom, outboxDirectory: undefined }, clock);
  await t.rejects(mailer.send(message('ada@users.example')), /STARTTLS/i);
  t.same(server.mails, []);
});

t.test('stores mail in the outbox, for the user of the process only', async (t) => {
  const outboxDirectory = path.join(t.testdir(), 'data', 'outbox');
  const mailer = new Mailer({ smtpUrl: undefined, mailFrom, outboxDirectory }, clock);
  t.equal(mailer.canSendMail, false);
  await mailer.send(message('ada@users.example'));
  await mailer.send(message('ada@users.example'));
  const names = readdirSync(outboxDirectory);
  t.equal(names.length, 2);
  const file = path.join(outboxDirectory, names[0] ?? '');
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(outboxDirectory).mode & 0o777, 0o700);
  t.match(readFileSync(file, 'utf8'), /^To: ada@users.example$/m);
});
