import { hashSecret } from '../../src/platform/crypto/keyring.js';
import { Browser } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  accept,
  eventsOf,
  freshAddress,
  invitationsPath,
  invite,
  invitePath,
  newPassword,
  shownLink,
  usersPath,
} from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { linkIn } from '../support/server/mail-server.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import { createSignOnScene, person, signedInUser, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { api, mail } = await buildMailingApp(t, { database });
const { app, clock } = api;
const withoutMail = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '0' } });

const day = 86_400;

/** An owner who works, in the application with or without mail. */
async function ownerAtWork(server = api) {
  const scene = await createScene(database, { accountName: 'Initech & Sons' });
  return { ...scene, browser: await signedInBrowser(server, scene.user) };
}

const openLinks = (accountId: string) =>
  database.prisma.oneTimeLink.count({ where: { accountId, usedAt: null } });

t.test('an invited person accepts by mail, and has the role and a verified address', async (t) => {
  const { browser, accountId, user } = await ownerAtWork();
  const email = freshAddress();
  expectRedirect(t, await invite(browser, email.toUpperCase(), 'admin'), `${usersPath}?notice=invited`);
  const { text } = await mail.mailTo(email);
  t.match(text, 'Initech & Sons');
  t.match(text, 'Initech &amp; Sons', 'in HTML');
  const list = await browser.open(`${usersPath}?notice=invited`);
  t.match(list.body, email);
  t.match(list.body, /Invitation sent/);

  const link = linkIn({ text });
  clock.advanceSeconds(60);
  const invited = new Browser(app);
  const page = await invited.open(link);
  isPage(t, page);
  t.match(page.body, email);
  expectRedirect(t, await accept(invited, link), '/people/home?notice=joined');
  t.match(
    (await invited.open('/people/home?notice=joined')).body,
    /Your user is created, and you are signed in/,
  );

  const created = await database.prisma.user.findFirstOrThrow({ where: { email } });
  t.match(created, {
    accountId,
    role: 'admin',
    emailVerified: true,
    givenName: 'Grace',
    familyName: 'Hopper',
  });
  t.same(created.lastSignInAt, clock());
  t.equal(await openLinks(accountId), 0);
  const from = { address: '127.0.0.1' };
  t.match(await eventsOf(database, accountId), [
    { type: 'invitation.created', userId: user.id, ...from, details: { email, role: 'admin' } },
    { type: /user.created|invitation.accepted/, userId: created.id, ...from },
    { type: /user.created|invitation.accepted/, userId: created.id, ...from },
  ]);
});

t.test(
  'an invited person is signed in, in place of the user of the browser, and can sign in again',
  async (t) => {
    const { browser, accountId } = await ownerAtWork(withoutMail);
    const email = freshAddress();
    const link = shownLink(await invite(browser, email));
    const page = await browser.open(link);
    t.match(page.body, 'When you join, that user is signed out of this browser.');
    const before = browser.cookies.get('session');
    expectRedirect(t, await accept(browser, link), '/people/home?notice=joined');
    t.match((await browser.open('/people')).body, email);
    t.equal(await database.prisma.session.count({ where: { idHash: hashSecret(before ?? '') } }), 0);
    const events = await database.prisma.auditEvent.findMany({
      where: { accountId, type: 'sign_in.succeeded' },
    });
    const { id } = await database.prisma.user.findFirstOrThrow({ where: { email } });
    t.match(
      events.filter(({ userId }) => userId === id),
      [{ address: '127.0.0.1', details: { method: 'invitation' } }],
    );
    t.match(
      (await browser.open(link)).headers.location,
      '/people/home?notice=joined',
      'the same response again',
    );
    expectRedirect(t, await new Browser(withoutMail.app).signIn(email, newPassword), '/people');

    await database.prisma.session.deleteMany({ where: { userId: id } });
    const again = await browser.open(link);
    t.equal(
      again.headers.location,
      '/sign_in?notice=invitation_accepted',
      'the link creates no second session',
    );
    t.match(
      (await browser.open(String(again.headers.location))).body,
      /Sign in with your e-mail address and password/,
    );
  },
);

t.test('in an account that requires a second factor or single sign-on, that step follows', async (t) => {
  for (const [policy, role, location] of [
    ['all', 'member', /^\/people\/settings\/account\/second_factor\?return_to=/],
    ['administrators', 'admin', /^\/people\/settings\/account\/second_factor\?return_to=/],
    ['administrators', 'member', /^\/people\/home\?/],
  ] as const) {
    const { browser, accountId } = await ownerAtWork(withoutMail);
    const link = shownLink(await invite(browser, freshAddress(), role));
    await database.prisma.account.update({ where: { id: accountId }, data: { secondFactorPolicy: policy } });
    const invited = new Browser(withoutMail.app);
    expectRedirect(t, await accept(invited, link), location);
    const isComplete = role === 'member' && policy === 'administrators';
    t.equal((await invited.open('/people')).statusCode, isComplete ? 200 : 303, `${policy} ${role}`);
  }
  const scene = await createSignOnScene(t, withoutMail);
  const { accountId } = scene;
  const browser = await signedInBrowser(withoutMail, scene.user);
  const links = [];
  for (const role of ['member', 'owner'])
    links.push(shownLink(await invite(browser, `${role}@${scene.domain}`, role)));
  await database.prisma.identityProvider.updateMany({
    where: { accountId },
    data: { onlySingleSignOn: true },
  });
  for (const link of links) {
    const invited = new Browser(withoutMail.app);
    expectRedirect(t, await accept(invited, link), scene.path);
    t.notOk(invited.cookies.has('session'), 'the password alone creates no session');
  }
  const started = await start(withoutMail, scene);
  await started.return(person(`member@${scene.domain}`));
  t.equal(await signedInUser(started.browser), `member@${scene.domain}`);
});

t.test('without a mail server the link is shown once, and the address is not verified', async (t) => {
  const { browser, accountId } = await ownerAtWork(withoutMail);
  const email = freshAddress();
  const page = await invite(browser, email);
  t.equal(page.statusCode, 200);
  const link = shownLink(page);
  t.match(page.headers['cache-control'], 'no-store');
  t.notMatch((await browser.open(usersPath)).body, link, 'not a second time');
  const stored = JSON.stringify(await database.prisma.oneTimeLink.findMany({ where: { accountId } }));
  t.notMatch(stored, link.split('/').at(-1), 'the database has its hash only');
  expectRedirect(t, await accept(new Browser(withoutMail.app), link), /joined/);
  const { emailVerified } = await database.prisma.user.findFirstOrThrow({ where: { email } });
  t.equal(emailVerified, false);
});

t.test('concurrent submissions of a link create one user', async (t) => {
  const { browser, accountId } = await ownerAtWork(withoutMail);
  const email = freshAddress();
  const link = shownLink(await invite(browser, email));
  const invited = new Browser(app);
  const page = await invited.open(link);
  const fields = { given_name: 'Grace', family_name: 'Hopper', new_password: newPassword };
  const responses = await Promise.all(
    Array.from({ length: 6 }, () => invited.submitForm(page, link, fields)),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 303).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 404).length, 5);
  t.equal(await database.prisma.user.count({ where: { email } }), 1);
  t.equal(await database.prisma.auditEvent.count({ where: { accountId, type: 'invitation.accepted' } }), 1);
});

t.test('a link that is unknown, used, replaced, revoked or expired gets the same page', async (t) => {
  const { browser, accountId } = await ownerAtWork(withoutMail);
  const links = {
    used: shownLink(await invite(browser, freshAddress())),
    replaced: '',
    revoked: shownLink(await invite(browser, freshAddress())),
    expired: '',
  };
  const twice = freshAddress();
  links.replaced = shownLink(await invite(browser, twice));
  await invite(browser, twice.toUpperCase());
  await accept(new Browser(app), links.used);
  const { id } = await database.prisma.oneTimeLink.findFirstOrThrow({
    where: { accountId, usedAt: null, email: { not: twice } },
  });
  const list = await browser.open(usersPath);
  expectRedirect(
    t,
    await browser.submitForm(list, `${invitationsPath}/${id}/revoke`, {}),
    `${usersPath}?notice=invitation_revoked`,
  );
  links.expired = shownLink(await invite(browser, freshAddress()));
  const unknown = await new Browser(app).open('/accept_invitation/unknown');
  isPage(t, unknown, 404);
  for (const [reason, link] of Object.entries(links)) {
    if (reason === 'expired') {
      t.equal((await new Browser(app).open(link)).statusCode, 200);
      clock.advanceSeconds(7 * day);
    }
    const page = await new Browser(app).open(link);
    isPage(t, page, 404, reason);
    t.equal(page.body, unknown.body, reason);
    const visitor = new Browser(app);
    const form = await visitor.open('/sign_in');
    isPage(t, await visitor.submitForm(form, link, { new_password: newPassword }), 404, reason);
    const password = link.replace('accept_invitation', 'set_password');
    isPage(t, await new Browser(app).open(password), 404, 'it is not valid as another kind of link');
  }
});

t.test(
  'an invitation to an address of another account looks like any other, and cannot be accepted',
  async (t) => {
    const { browser, accountId } = await ownerAtWork();
    const other = await createScene(database);
    const free = freshAddress();
    const [known, unknown] = [await invite(browser, other.user.email), await invite(browser, free)];
    t.same([known.statusCode, known.headers.location], [unknown.statusCode, unknown.headers.location]);
    t.match((await browser.open(usersPath)).body, other.user.email);
    const theirs = await mail.mailTo(other.user.email);
    const withoutAddress = (text: string, email: string) =>
      text
        .replaceAll(email, '')
        .replaceAll(/(accept_invitation\/|Message-ID: |Part_|NmP-)[^\s"<]*/g, '')
        .replaceAll(/--_.*|boundary=.*|[<>][\w-]*@.*/g, '');
    t.equal(
      withoutAddress(theirs.text, other.user.email),
      withoutAddress((await mail.mailTo(free)).text, free),
      'the mail is equal too',
    );

    const before = await database.prisma.user.findFirstOrThrow({ where: { id: other.user.id } });
    const invited = new Browser(app);
    isPage(t, await accept(invited, linkIn(theirs)), 409);
    t.same(await database.prisma.user.findFirstOrThrow({ where: { id: other.user.id } }), before);
    t.equal(await database.prisma.user.count({ where: { accountId } }), 1);
  },
);

t.test('rejects an invalid address, a missing role, and an address of the account', async (t) => {
  const { browser, accountId } = await ownerAtWork();
  const member = await createUser(database, accountId, { role: 'member' });
  for (const [email, role, message] of [
    ['no address', 'member', /must have the form name@example.com/],
    ['', 'member', /must have the form name@example.com/],
    [`${'x'.repeat(320)}@a.example`, 'member', /must have the form name@example.com/],
    [freshAddress(), '', /Choose a role/],
    [freshAddress(), 'operator', /Choose a role/],
    [member.email.toUpperCase(), 'member', /A user of your account has this/],
  ] as const) {
    const page = await invite(browser, email, role);
    isPage(t, page, 400, email);
    t.match(page.body, message);
  }
  t.equal(await openLinks(accountId), 0);
});

t.test('rejects names and passwords that break the rules, and keeps the link', async (t) => {
  const { browser } = await ownerAtWork(withoutMail);
  const link = shownLink(await invite(browser, freshAddress()));
  for (const [changes, message] of [
    [{ given_name: ' ' }, /The first name must not be blank/],
    [{ family_name: 'x'.repeat(101) }, /The last name must have at most 100/],
    [{ new_password: 'short' }, /The password must have at least 12/],
    [{ new_password: 'passwordpassword' }, /The password must not be easy to guess/],
    [{ new_password: 'x'.repeat(1025) }, /The password must have at most 1024/],
  ] as const) {
    const page = await accept(new Browser(app), link, changes);
    isPage(t, page, 400);
    t.match(page.body, message);
    t.notMatch(page.body, /passwordpassword/, 'the password is not repeated');
  }
  expectRedirect(t, await accept(new Browser(app), link), /joined/);
});

t.test('administrators neither invite owners nor change their invitations', async (t) => {
  const { browser, accountId } = await ownerAtWork(withoutMail);
  const admin = await signedInBrowser(withoutMail, await createUser(database, accountId, { role: 'admin' }));
  t.notMatch((await admin.open(invitePath)).body, 'value="owner"');
  isPage(t, await invite(admin, freshAddress(), 'owner'), 403);
  const email = freshAddress();
  const link = shownLink(await invite(browser, email, 'owner'));
  const { id } = await database.prisma.oneTimeLink.findFirstOrThrow({ where: { accountId, email } });
  const list = await admin.open(usersPath);
  t.notMatch(list.body, `${id}/revoke`);
  isPage(t, await admin.submitForm(list, `${invitationsPath}/${id}/revoke`, {}), 403);
  await invite(admin, email, 'member');
  expectRedirect(t, await accept(new Browser(app), link), /joined/, 'it was not replaced');
  const { role } = await database.prisma.user.findFirstOrThrow({ where: { email } });
  t.equal(role, 'owner');
  t.equal(await openLinks(accountId), 0, 'the other one is deleted');
  shownLink(await invite(admin, freshAddress(), 'admin'));
});

t.test('the invitations of a user who may no longer invite stop working', async (t) => {
  const { browser, accountId } = await ownerAtWork(withoutMail);
  const second = await createUser(database, accountId);
  const theirs = await signedInBrowser(withoutMail, second);
  const [asOwner, asAdmin] = [
    shownLink(await invite(theirs, freshAddress(), 'owner')),
    shownLink(await invite(theirs, freshAddress(), 'member')),
  ];
  const change = async (action: string, fields: Record<string, string>) => {
    const page = await browser.open(`${usersPath}/${second.id}`);
    return browser.submitForm(page, `${usersPath}/${second.id}/${action}`, fields);
  };
  expectRedirect(t, await change('role', { role: 'admin' }), /role_changed/);
  isPage(t, await new Browser(app).open(asOwner), 404);
  isPage(t, await new Browser(app).open(asAdmin), 200);
  expectRedirect(t, await change('disable', {}), /user_disabled/);
  isPage(t, await new Browser(app).open(asAdmin), 404);
});

t.test('an account has at most 100 open invitations, also under concurrency', async (t) => {
  const { browser, accountId } = await ownerAtWork(withoutMail);
  const expiresAt = new Date(clock().getTime() + day * 1000);
  await database.prisma.oneTimeLink.createMany({
    data: Array.from({ length: 97 }, (_, index) => ({
      id: `${accountId}${index}`,
      accountId,
      tokenHash: Buffer.from(`${accountId}${index}`),
      purpose: 'invitation',
      email: freshAddress(),
      role: 'member',
      mailed: true,
      expiresAt,
    })),
  });
  const page = await browser.open(invitePath);
  const responses = await Promise.all(
    Array.from({ length: 8 }, () =>
      browser.submitForm(page, invitationsPath, { email: freshAddress(), role: 'member' }),
    ),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 3);
  t.equal(responses.filter(({ statusCode }) => statusCode === 400).length, 5);
  t.equal(await openLinks(accountId), 100);
});

t.test('reports that a mail was not sent, and sends it again on request', async (t) => {
  const failing = await buildMailingApp(t, { database, clock });
  failing.mail.rejectAll();
  const { browser } = await ownerAtWork(failing.api);
  const email = freshAddress();
  expectRedirect(t, await invite(browser, email), `${usersPath}?notice=invitation_not_sent`);
  const list = await browser.open(`${usersPath}?notice=invitation_not_sent`);
  t.match(list.body, /class="alert" role="alert">The mail could not be sent/);
  const working = await ownerAtWork();
  await invite(working.browser, email);
  await mail.mailTo(email);
});

t.test('a link is accepted in the form only, and with the CSRF token of the browser', async (t) => {
  const { browser } = await ownerAtWork(withoutMail);
  const email = freshAddress();
  const link = shownLink(await invite(browser, email));
  for (let time = 0; time < 3; time += 1) isPage(t, await new Browser(app).open(link));
  const visitor = new Browser(app);
  await visitor.open(link);
  const fields = { given_name: 'A', family_name: 'B', new_password: newPassword };
  isPage(t, await visitor.submit(link, fields), 403);
  isPage(t, await visitor.submit(link, { ...fields, csrf_token: 'x'.repeat(43) }), 403);
  t.equal(await database.prisma.user.count({ where: { email } }), 0);
});
