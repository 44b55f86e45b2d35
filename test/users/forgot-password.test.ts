import { insertLink } from '../../src/platform/accounts/one-time-links.js';
import { linkPaths } from '../../src/platform/mail/link-delivery.js';
import { Browser } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { eventsOf, freshAddress, newPassword } from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { withQueryRaw } from '../support/faults/with-query-raw.js';
import { createScene, fromAddress } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { linkIn } from '../support/server/mail-server.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { api, mail } = await buildMailingApp(t, { database });
const { app, clock } = api;
const path = '/forgot_password';

async function forgot(email: string, server = app) {
  const browser = new Browser(server);
  return browser.submitForm(await browser.open(path), path, { email });
}

/** Resolves when the earlier requests are done: two requests run at the same time, the others in order. */
async function settle(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    const { user } = await createScene(database);
    await forgot(user.email);
    await mail.mailTo(user.email);
  }
}

const linksOf = ({ id }: { id: string }) => database.prisma.oneTimeLink.count({ where: { userId: id } });

t.test('a user sets a new password by mail, and the link works for an hour', async (t) => {
  const { user, accountId } = await createScene(database, { role: 'member' });
  t.match((await new Browser(app).open('/sign_in')).body, `href="${path}"`);
  isPage(t, await forgot(user.email.toUpperCase()));
  const link = linkIn(await mail.mailTo(user.email));
  const visitor = new Browser(app);
  const page = await visitor.open(link);
  expectRedirect(
    t,
    await visitor.submitForm(page, link, { new_password: newPassword }),
    '/sign_in?notice=password_set',
  );
  isPage(t, await new Browser(app).open(link), 404, 'another browser');
  expectRedirect(t, await new Browser(app).signIn(user.email, newPassword), '/people/home');
  t.match(await database.prisma.user.findFirst({ where: { id: user.id } }), { emailVerified: true });
  const events = await eventsOf(database, accountId);
  const requested = events.find(({ type }) => type === 'user.password_link_created');
  t.match(
    requested,
    { userId: null, address: '127.0.0.1', details: { user: user.id } },
    'the event has no acting user',
  );

  const late = await createScene(database);
  await forgot(late.user.email);
  const expired = linkIn(await mail.mailTo(late.user.email));
  clock.advanceSeconds(3600);
  isPage(t, await new Browser(app).open(expired), 404);
});

t.test('the response is the same for an unknown, a known and a disabled user', async (t) => {
  const [known, disabled] = [await createScene(database), await createScene(database)];
  await database.prisma.user.updateMany({ where: { id: disabled.user.id }, data: { disabledAt: clock() } });
  const pages = [];
  for (const email of [known.user.email, disabled.user.email, freshAddress()]) {
    const response = await forgot(email);
    isPage(t, response);
    const { 'x-request-id': _, 'set-cookie': __, ...headers } = response.headers;
    const body = response.body.replaceAll(email, '').replaceAll(/value="[\w-]{43}"/g, '');
    pages.push({ headers: { ...headers, 'content-length': '', date: '' }, body });
  }
  t.same(pages[1], pages[0]);
  t.same(pages[2], pages[0]);
  await mail.mailTo(known.user.email);
  await settle();
  t.equal(await linksOf(disabled.user), 0);
});

t.test('the response does not wait for the lookup of the address', async (t) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let lookups = 0;
  const blocked = withQueryRaw(database, async () => {
    lookups += 1;
    await released;
    return [];
  });
  const slow = await buildMailingApp(t, { database: blocked, clock });
  const { user } = await createScene(database);
  isPage(t, await forgot(user.email, slow.api.app));
  isPage(t, await forgot(freshAddress(), slow.api.app));
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(lookups, 2, 'both are looked up in the same way');
  release();
});

t.test('no user gets more than three mails an hour, and all requests look the same', async (t) => {
  const { user } = await createScene(database);
  isPage(t, await forgot(user.email));
  const link = linkIn(await mail.mailTo(user.email));
  const visitor = new Browser(app);
  const form = await visitor.open(link);
  expectRedirect(t, await visitor.submitForm(form, link, { new_password: newPassword }), /password_set/);
  await mail.mailTo(user.email, /password/i);
  for (let time = 0; time < 5; time += 1) isPage(t, await forgot(user.email));
  await settle();
  const links = () =>
    mail.mails.filter(({ to, text }) => to.includes(user.email) && text.includes('/set_password/'));
  t.equal(links().length, 3, 'with one that was used');
  clock.advanceSeconds(3600);
  await forgot(user.email);
  await settle();
  t.equal(links().length, 4);
});

t.test('limits the requests of a network across all e-mail addresses', async (t) => {
  const limited = await buildMailingApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '3' } });
  const { user } = await createScene(database);
  for (const email of [freshAddress(), user.email, freshAddress()]) {
    isPage(t, await forgot(email, limited.api.app));
  }
  for (const email of [user.email, freshAddress()]) {
    const rejected = await forgot(email, limited.api.app);
    isPage(t, rejected, 429);
    t.match(rejected.headers['retry-after'], /^\d+$/);
  }
  expectRedirect(
    t,
    await new Browser(limited.api.app).signIn(user.email, user.password),
    '/people/home',
    'sign-ins are not limited',
  );
});

t.test('a link stops working when the user is disabled or sets a password', async (t) => {
  const scenes = [await createScene(database), await createScene(database)];
  const links: string[] = [];
  for (const { user } of scenes) {
    await forgot(user.email);
    links.push(linkIn(await mail.mailTo(user.email)));
  }
  const [first, second] = scenes;
  await database.prisma.user.updateMany({
    where: { id: first?.user.id ?? '' },
    data: { disabledAt: clock() },
  });
  isPage(t, await new Browser(app).open(links[0] ?? ''), 404);
  await forgot(second?.user.email ?? '');
  await settle();
  const [newer] = mail.mails.filter(({ to }) => to.includes(second?.user.email ?? '')).slice(-1);
  const visitor = new Browser(app);
  const link = linkIn(newer ?? { text: '' });
  expectRedirect(
    t,
    await visitor.submitForm(await visitor.open(link), link, { new_password: newPassword }),
    /password_set/,
  );
  isPage(t, await new Browser(app).open(links[1] ?? ''), 404, 'the other link of the user');
});

t.test('without a mail server the page names who can help, and no mail is sent', async (t) => {
  const without = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '0' } });
  const browser = new Browser(without.app);
  const page = await browser.open(path);
  isPage(t, page);
  t.match(page.body, /Contact an owner or administrator of your account/);
  const { user } = await createScene(database);
  const form = await browser.open('/sign_in');
  isPage(t, await browser.submitForm(form, path, { email: user.email }));
  t.equal(await linksOf(user), 0);
});

t.test('rejects an invalid address, and a form of another site', async (t) => {
  for (const email of ['', 'nothing', 'x'.repeat(400)]) {
    const page = await forgot(email);
    isPage(t, page, 400);
    t.match(page.body, /must have the form name@example\.com/);
  }
  isPage(t, await new Browser(app).submit(path, { email: freshAddress() }), 403);
});

t.test('limits the passwords that a link form rejects, also those of an invitation', async (t) => {
  const limited = await buildMailingApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '3' } });
  const { user, accountId } = await createScene(database);
  await forgot(user.email, fromAddress(limited.api.app, '203.0.113.2'));
  const invitation = { purpose: 'invitation', email: freshAddress(), role: 'member' } as const;
  const values = { target: invitation, accountId, mailed: true, at: clock(), lifetimeSeconds: 3600 };
  const token = await database.prisma.$transaction((tx) => insertLink(tx, values));
  const links = [linkIn(await limited.mail.mailTo(user.email)), `${linkPaths.invitation}/${token}`];
  for (const [index, link] of links.entries()) {
    const visitor = new Browser(fromAddress(limited.api.app, `198.51.100.${index}`));
    const page = await visitor.open(link);
    const names = { given_name: 'Grace', family_name: 'Hopper' };
    const submit = (new_password: string) => visitor.submitForm(page, link, { ...names, new_password });
    for (let time = 0; time < 3; time += 1) isPage(t, await submit('aaaaaaaaaaaaaaa'), 400);
    const rejected = await submit(newPassword);
    isPage(t, rejected, 429);
    t.match(rejected.headers['retry-after'], /^\d+$/);
    t.match(rejected.body, /Too many failed attempts/);
    const elsewhere = new Browser(fromAddress(limited.api.app, '203.0.113.1'));
    isPage(
      t,
      await elsewhere.submitForm(await elsewhere.open(link), link, { new_password: newPassword }),
      429,
    );
  }
});
