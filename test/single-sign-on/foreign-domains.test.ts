import { Browser } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { accept, accountPath, invite, shownLink } from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { linkIn } from '../support/server/mail-server.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import { createSignOnScene, person, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const { api, mail } = await buildMailingApp(t, { database });
const withoutMail = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });

async function stranger(server = api) {
  const scene = await createScene(database);
  return { ...scene, browser: await signedInBrowser(server, scene.user) };
}

const changeEmail = async (browser: Browser, email: string) =>
  browser.submitForm(await browser.open(`${accountPath}/email`), `${accountPath}/email`, { email });

t.test('invitations and new addresses of a domain of another account are rejected', async (t) => {
  const scene = await createSignOnScene(t, api);
  const unicode = `ä${scene.domain}`;
  const ascii = new URL(`http://${unicode}`).host;
  await prisma.accountDomain.create({ data: { domain: ascii, accountId: scene.accountId } });
  const [mailing, showing] = [await stranger(), await stranger(withoutMail)];
  for (const email of [`Grace@${scene.domain.toUpperCase()}`, `grace@${unicode}`, `grace@${ascii}`]) {
    const responses = [
      await invite(mailing.browser, email),
      await invite(showing.browser, email, 'owner'),
      await changeEmail(mailing.browser, email),
    ];
    for (const response of responses) {
      isPage(t, response, 400, email);
      t.match(response.body, 'This e-mail address cannot be used.');
    }
  }
  const accountId = { in: [mailing.accountId, showing.accountId] };
  t.equal(await prisma.oneTimeLink.count({ where: { accountId } }), 0);
  t.equal(mail.mails.length, 0);

  const own = await signedInBrowser(api, scene.user);
  expectRedirect(t, await invite(own, `ada@${scene.domain}`), /invited/);
  expectRedirect(t, await changeEmail(own, `owner@${scene.domain}`), /email_link_sent/);
  isPage(t, await invite(showing.browser, `grace@sub.${scene.domain}`), 200, 'another domain');
});

t.test('links from before the domain was confirmed create no user and change no address', async (t) => {
  const scene = await createSignOnScene(t, api);
  const where = { domain: scene.domain };
  await prisma.accountDomain.deleteMany({ where });
  const [mailing, showing] = [await stranger(), await stranger(withoutMail)];
  const email = `grace@${scene.domain}`;
  const invitation = shownLink(await invite(showing.browser, email));
  await changeEmail(mailing.browser, email);
  const confirmation = linkIn(await mail.mailTo(email));
  await prisma.accountDomain.create({ data: { ...where, accountId: scene.accountId } });

  const visitor = new Browser(api.app);
  isPage(t, await accept(visitor, invitation), 409);
  isPage(t, await visitor.submitForm(await visitor.open(confirmation), confirmation, {}), 409);
  t.equal(await prisma.user.count({ where: { email } }), 0);
  expectRedirect(t, await (await start(api, scene)).return(person(email)), '/people/home');
});
