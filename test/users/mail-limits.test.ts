import { keyFor } from '../../src/platform/limits/counter.js';
import { LinkDelivery } from '../../src/platform/mail/link-delivery.js';
import { SecurityEmails } from '../../src/platform/mail/security-emails.js';
import { Browser } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  accountPath,
  freshAddress,
  invitationsPath,
  invite,
  newPassword,
  usersPath,
} from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { linkIn } from '../support/server/mail-server.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const { api, mail } = await buildMailingApp(t, { database });
const { app, clock } = api;

const mailsTo = (address: string) => mail.mails.filter(({ to }) => to.includes(address)).length;

async function owner() {
  const scene = await createScene(database);
  return { ...scene, browser: await signedInBrowser(api, scene.user) };
}

t.test('a user causes five mails an hour by changing the e-mail address', async (t) => {
  const { browser, user } = await owner();
  const path = `${accountPath}/email`;
  const page = await browser.open(path);
  const addresses = Array.from({ length: 8 }, () => freshAddress());
  const responses = await Promise.all(addresses.map((email) => browser.submitForm(page, path, { email })));
  const rejected = responses.filter(({ statusCode }) => statusCode !== 303);
  t.equal(rejected.length, 3);
  for (const response of rejected) {
    isPage(t, response, 429);
    t.match(response.body, 'Too many mails were sent in the last hour. Try again in 60 minutes.');
    t.equal(response.headers['retry-after'], '3600');
  }
  t.equal(addresses.filter((address) => mailsTo(address) > 0).length, 5);
  clock.advanceSeconds(3600);
  const email = freshAddress();
  const later = await signedInBrowser(api, user);
  expectRedirect(t, await later.submitForm(await later.open(path), path, { email }), /email_link_sent/);
});

t.test('the spellings of an internationalized domain are one address for the limits', async (t) => {
  const { browser } = await owner();
  const name = freshAddress().split('@')[0];
  const [unicode, ascii] = [`${name}@bücher.example`, `${name}@xn--bcher-kva.example`];
  for (const email of [unicode, ascii, unicode, ascii, unicode])
    expectRedirect(t, await invite(browser, email), /invited/);
  for (const email of [unicode, ascii]) isPage(t, await invite(browser, email), 429);
});

t.test(
  'an address gets five invitations an hour, of all accounts and with those that were revoked',
  async (t) => {
    const [first, second] = [await owner(), await owner()];
    const email = freshAddress();
    for (let count = 0; count < 3; count += 1) {
      expectRedirect(t, await invite(first.browser, email), /invited/);
      const { id } = await prisma.oneTimeLink.findFirstOrThrow({
        where: { accountId: first.accountId, email },
      });
      const list = await first.browser.open(usersPath);
      const path = `${invitationsPath}/${id}/revoke`;
      expectRedirect(t, await first.browser.submitForm(list, path, {}), /invitation_revoked/);
    }
    for (let count = 0; count < 2; count += 1)
      expectRedirect(t, await invite(second.browser, email), /invited/);
    for (const { browser } of [first, second]) {
      const response = await invite(browser, email);
      isPage(t, response, 429);
      t.match(response.body, 'Too many mails were sent in the last hour.');
    }
    t.equal(mailsTo(email), 5);
    t.equal(mailsTo(email.toUpperCase()), 0);
    isPage(t, await new Browser(app).open(linkIn(await mail.mailTo(email))), 200);

    const key = (subject: string) => keyFor(`mail invitation ${subject}`);
    const counted = await prisma.failureCount.findMany({
      where: { key: { in: [key(`user ${second.user.id}`), key(`account ${second.accountId}`)] } },
    });
    t.same(
      counted.map(({ points }) => points),
      [2, 2],
      'a rejected mail does not count for the user and the account',
    );
    expectRedirect(t, await invite(second.browser, freshAddress()), /invited/);
  },
);

t.test(
  'a user gets five password links an hour from administrators, and can still request one',
  async (t) => {
    const { browser, accountId } = await owner();
    const { id, email } = await createUser(database, accountId, { role: 'member' });
    const path = `${usersPath}/${id}/password_link`;
    const page = await browser.open(`${usersPath}/${id}`);
    for (let count = 0; count < 5; count += 1)
      expectRedirect(t, await browser.submitForm(page, path, {}), /password_link_sent/);
    isPage(t, await browser.submitForm(page, path, {}), 429);
    t.equal(mailsTo(email), 5);
    const visitor = new Browser(app);
    const link = linkIn(await mail.mailTo(email));
    const form = await visitor.open(link);
    expectRedirect(t, await visitor.submitForm(form, link, { new_password: newPassword }), /password_set/);
    isPage(t, await browser.submitForm(page, path, {}), 429, 'used links count');
    const forgot = '/forgot_password';
    isPage(t, await visitor.submitForm(await visitor.open(forgot), forgot, { email }));
    await mail.mailTo(email, /within one hour/);
  },
);

t.test('an address gets at most twenty mails an hour about changes', async (t) => {
  const { user, accountId } = await createScene(database);
  const warnings: unknown[] = [];
  const logger = { warn: (details: unknown) => warnings.push(details) };
  const delivery = new LinkDelivery({ config: api.config, clock, logger });
  const securityEmails = new SecurityEmails(database, delivery, logger);
  for (let count = 0; count < 22; count += 1) securityEmails.send({ accountId }, user.id, 'passkey_added');
  await securityEmails.settled();
  t.equal(mailsTo(user.email), 20);
  t.equal(warnings.length, 2, 'the log has those that were not sent');
});
