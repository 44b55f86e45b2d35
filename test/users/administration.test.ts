import type { LightMyRequestResponse } from 'fastify';
import { countDailyFailure } from '../../src/platform/limits/failure-limit.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { eventsOf, newPassword, shownLink, usersPath } from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import {
  createScene,
  createUser,
  expectTokenRejected,
  grantTokens,
  refresh,
  signedInBrowser,
  type TestUser,
  tokenAccepted,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { linkIn } from '../support/server/mail-server.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { api, mail } = await buildMailingApp(t, { database });
const { app, clock } = api;
const withoutMail = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '0' } });

/** An account with an owner who works, an administrator and a member. */
async function staff(server = api) {
  const scene = await createScene(database);
  const { accountId, user: owner } = scene;
  const [second, admin, member] = [
    await createUser(database, accountId),
    await createUser(database, accountId, { role: 'admin' }),
    await createUser(database, accountId, { role: 'member' }),
  ];
  return { ...scene, owner, second, admin, member, browser: await signedInBrowser(server, owner) };
}

const pageOf = ({ id }: Pick<TestUser, 'id'>, ...below: string[]) => [usersPath, id, ...below].join('/');

/** Submits the form of a user with this action. */
async function act(
  browser: Browser,
  user: Pick<TestUser, 'id'>,
  action: string,
  fields: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return browser.submitForm(await browser.open('/people'), pageOf(user, action), fields);
}

const roleOf = async ({ id }: TestUser) =>
  (await database.prisma.user.findFirstOrThrow({ where: { id } })).role;

const stateOf = async (accountId: string) =>
  JSON.stringify([
    await database.prisma.user.findMany({ where: { accountId }, orderBy: { id: 'asc' } }),
    await database.prisma.session.findMany({ where: { accountId }, orderBy: { idHash: 'asc' } }),
    await database.prisma.grant.findMany({ where: { accountId }, orderBy: { id: 'asc' } }),
    await database.prisma.oneTimeLink.findMany({ where: { accountId }, orderBy: { id: 'asc' } }),
    await database.prisma.auditEvent.count({ where: { accountId } }),
  ]);

const actions = [
  ['role', { role: 'member' }],
  ['disable', {}],
  ['enable', {}],
  ['sessions', {}],
  ['password_link', {}],
] as const;

t.test('lists users by address with role, last sign-in and state, fifty on a page', async (t) => {
  const { browser, member, accountId } = await staff();
  await new Browser(app).signIn(member.email, member.password);
  await database.prisma.user.updateMany({ where: { id: member.id }, data: { disabledAt: clock() } });
  const first = await browser.open(usersPath);
  isPage(t, first);
  t.match(first.body, /Never/);
  t.match(first.body, /<span class="badge ended">Disabled<\/span>/);
  t.match(first.body, clock().toISOString());
  t.notMatch(first.body, 'rel="next"');
  await database.prisma.user.createMany({
    data: Array.from({ length: 100 }, (_, index) => ({
      id: `${accountId}${index}`,
      accountId,
      email: `zz${String(index).padStart(3, '0')}.${accountId}@users.example`,
      role: 'member',
      passwordHash: '!',
      givenName: 'Many',
      familyName: String(index),
    })),
  });
  const seen: string[] = [];
  for (let address = usersPath, pages = 0; pages < 3; pages += 1) {
    const page = await browser.open(address);
    const emails = [...page.body.matchAll(/[\w.]+@users\.example/g)].map(([email]) => email);
    seen.push(...emails.filter((email) => page.body.includes(`<span class="hint"> ${email}`)));
    address = /href="([^"]*after=[^"]*)" rel="next"/.exec(page.body)?.[1] ?? '';
    t.equal(address === '', pages === 2);
  }
  t.equal(new Set(seen).size, 104);
  isPage(t, await browser.open(`${usersPath}?after=unknown`));
});

t.test('an owner changes a role, and access that the new role does not permit is revoked', async (t) => {
  const scene = await staff();
  const { browser, admin, owner, accountId } = scene;
  const { accessToken } = await grantTokens(api, { ...scene, user: admin });
  expectRedirect(
    t,
    await act(browser, admin, 'role', { role: 'member' }),
    `${pageOf(admin)}?notice=role_changed`,
  );
  t.equal(await roleOf(admin), 'member');
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  expectRedirect(t, await act(browser, admin, 'role', { role: 'owner' }), /role_changed/);
  t.equal(await roleOf(admin), 'owner');
  expectRedirect(t, await act(browser, admin, 'role', { role: 'owner' }), /role_unchanged/);
  isPage(t, await act(browser, admin, 'role', { role: 'operator' }), 400);
  isPage(t, await act(browser, admin, 'role'), 400);
  const changes = (await eventsOf(database, accountId)).filter(({ type }) => type === 'user.role_changed');
  t.match(changes, [
    { userId: owner.id, address: '127.0.0.1', details: { user: admin.id, email: admin.email } },
    { userId: owner.id, address: '127.0.0.1', details: { user: admin.id } },
  ]);
});

t.test('disabling a user revokes sessions and applications, and can be undone', async (t) => {
  const scene = await staff();
  const { browser, member } = scene;
  const theirs = await signedInBrowser(api, member);
  const { accessToken } = await grantTokens(api, { ...scene, user: member }, { scope: 'user:read' });
  const page = await browser.open(pageOf(member, 'disable'));
  isPage(t, page);
  expectRedirect(t, await browser.submitForm(page, pageOf(member, 'disable'), {}), /notice=user_disabled$/);
  expectRedirect(t, await theirs.open('/people'), /^\/sign_in/);
  t.equal((await api.get('/v1/users/me', accessToken)).statusCode, 401);
  t.match((await browser.open(pageOf(member))).body, /Enable user/);
  isPage(t, await act(browser, member, 'password_link'), 403, 'no link for a disabled user');
  expectRedirect(t, await act(browser, member, 'enable'), /user_enabled/);
  expectRedirect(t, await new Browser(app).signIn(member.email, member.password), '/people/home');
});

t.test('revokes the sessions of a user', async (t) => {
  const { browser, member } = await staff();
  const theirs = await signedInBrowser(api, member);
  t.match((await browser.open(pageOf(member))).body, /Sign out of all browsers/);
  expectRedirect(t, await act(browser, member, 'sessions'), /user_signed_out/);
  expectRedirect(t, await theirs.open('/people'), /^\/sign_in/);
  t.match((await browser.open(pageOf(member))).body, /The user is not signed in/);
});

t.test('a password link sets the password once, and revokes the sessions of the user', async (t) => {
  const { browser, member, accountId, owner } = await staff();
  const theirs = await signedInBrowser(api, member);
  expectRedirect(t, await act(browser, member, 'password_link'), /password_link_sent/);
  const link = linkIn(await mail.mailTo(member.email));
  clock.advanceSeconds(60);
  const visitor = new Browser(app);
  const page = await visitor.open(link);
  isPage(t, page);
  for (const [password, message] of [
    ['short', /at least 12/],
    ['qwertyuiopasdf', /easy to guess/],
  ] as const) {
    const rejected = await visitor.submitForm(page, link, { new_password: password });
    isPage(t, rejected, 400);
    t.match(rejected.body, message);
  }
  const responses = await Promise.all(
    Array.from({ length: 6 }, () => visitor.submitForm(page, link, { new_password: newPassword })),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 303).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 404).length, 5);
  expectRedirect(t, await theirs.open('/people'), /^\/sign_in/);
  t.equal((await new Browser(app).signIn(member.email, member.password)).statusCode, 401);
  expectRedirect(t, await new Browser(app).signIn(member.email, newPassword), '/people/home');
  t.match(await eventsOf(database, accountId), [
    { type: 'user.password_link_created', userId: owner.id, details: { user: member.id } },
    { type: 'user.password_changed', userId: member.id, address: '127.0.0.1' },
  ]);
});

t.test('without a mail server the password link is shown once', async (t) => {
  const { browser, member } = await staff(withoutMail);
  const page = await act(browser, member, 'password_link');
  t.equal(page.statusCode, 200);
  const link = shownLink(page);
  const visitor = new Browser(withoutMail.app);
  expectRedirect(
    t,
    await visitor.submitForm(await visitor.open(link), link, { new_password: newPassword }),
    /password_set/,
  );
  const { emailVerified } = await database.prisma.user.findFirstOrThrow({ where: { id: member.id } });
  t.equal(emailVerified, false, 'the address was not verified by mail');
});

t.test(
  'a password link that an administrator created stops working when the user becomes an owner',
  async (t) => {
    const { browser, admin, member } = await staff(withoutMail);
    const administrator = await signedInBrowser(withoutMail, admin);
    const link = shownLink(await act(administrator, member, 'password_link'));
    isPage(t, await new Browser(withoutMail.app).open(link));
    expectRedirect(t, await act(browser, member, 'role', { role: 'owner' }), /role_changed/);
    isPage(t, await new Browser(withoutMail.app).open(link), 404);
    isPage(t, await act(administrator, member, 'password_link'), 403);
  },
);

t.test('disconnects an application of a user, and of no other', async (t) => {
  const scene = await staff();
  const { browser, member, admin, application, accountId, owner } = scene;
  const theirs = await grantTokens(api, { ...scene, user: member }, { scope: 'user:read' });
  const others = await grantTokens(api, { ...scene, user: admin });
  const address = pageOf(member, 'applications', application.id, 'disconnect');
  t.match((await browser.open(pageOf(member))).body, address);
  const page = await browser.open(address);
  isPage(t, page);
  expectRedirect(t, await browser.submitForm(page, address, {}), /user_disconnected/);
  t.equal((await api.get('/v1/users/me', theirs.accessToken)).statusCode, 401);
  t.equal((await refresh(api, application, theirs.refreshToken)).statusCode, 401);
  await tokenAccepted(t, api, others.accessToken);
  const [event] = await database.prisma.auditEvent.findMany({ where: { accountId, type: 'grant.revoked' } });
  t.match(event, { userId: owner.id, address: '127.0.0.1', applicationId: application.id });
  t.match(event?.details, { user: member.id });
  isPage(t, await browser.open(address), 404);
  isPage(t, await browser.submitForm(page, address, {}), 404);
});

t.test('administrators cannot act on owners, nor make a user an owner', async (t) => {
  const scene = await staff();
  const { admin, owner, member, application, accountId } = scene;
  await grantTokens(api, scene);
  const browser = await signedInBrowser(api, admin);
  const page = await browser.open(pageOf(owner));
  isPage(t, page);
  t.match(page.body, /Only owners can change owners/);
  t.notMatch(page.body, pageOf(owner, 'role'));
  const before = await stateOf(accountId);
  for (const [action, fields] of actions) isPage(t, await act(browser, owner, action, fields), 403, action);
  const disconnect = `applications/${application.id}/disconnect`;
  isPage(t, await act(browser, owner, disconnect), 403);
  isPage(t, await browser.open(pageOf(owner, disconnect)), 403);
  isPage(t, await browser.open(pageOf(owner, 'disable')), 403);
  isPage(t, await act(browser, member, 'role', { role: 'owner' }), 403);
  t.equal(await stateOf(accountId), before);
  expectRedirect(t, await act(browser, member, 'role', { role: 'admin' }), /role_changed/);
  expectRedirect(t, await act(browser, member, 'disable'), /user_disabled/, 'another administrator');
});

t.test('users cannot act on themselves, so the last owner stays', async (t) => {
  const { browser, owner, accountId } = await staff();
  t.match((await browser.open(pageOf(owner))).body, /This is you/);
  const before = await stateOf(accountId);
  for (const [action, fields] of actions) isPage(t, await act(browser, owner, action, fields), 403, action);
  t.equal(await stateOf(accountId), before);
});

t.test('one of two owners who demote or disable each other concurrently stays', async (t) => {
  for (let round = 0; round < 4; round += 1) {
    const { browser, owner, second, accountId } = await staff();
    const other = await signedInBrowser(api, second);
    const [page, otherPage] = [await browser.open('/people'), await other.open('/people')];
    const action = round % 2 === 0 ? 'disable' : 'role';
    const responses = await Promise.all([
      browser.submitForm(page, pageOf(second, action), { role: 'member' }),
      other.submitForm(otherPage, pageOf(owner, action), { role: 'member' }),
    ]);
    const statuses = responses.map(({ statusCode }) => statusCode).toSorted();
    t.equal(statuses[0], 303, String(statuses));
    const where = { accountId, role: 'owner', disabledAt: null };
    t.equal(await database.prisma.user.count({ where }), 1);
  }
});

t.test('members see no users, and ids of another account are not found', async (t) => {
  const { browser, member } = await staff();
  const victim = await staff();
  const before = await stateOf(victim.accountId);
  const theirs = await signedInBrowser(api, member);
  for (const address of [usersPath, `${usersPath}/invite`, pageOf(member), pageOf(victim.owner)]) {
    isPage(t, await theirs.open(address), 403, address);
  }
  t.notMatch((await theirs.open('/people/settings/account')).body, usersPath);
  for (const [action, fields] of actions) {
    isPage(t, await act(theirs, victim.member, action, fields), 403, action);
    isPage(t, await act(browser, victim.member, action, fields), 404, action);
    isPage(t, await act(browser, { id: 'A' }, action, fields), 404, action);
  }
  for (const below of [[], ['disable'], ['role']]) {
    isPage(t, await browser.open(pageOf(victim.member, ...below)), 404);
  }
  isPage(t, await browser.open(`${usersPath}?after=${victim.member.id}`));
  t.equal(await stateOf(victim.accountId), before);
});

t.test(
  'an action after ten minutes requires the password again, and then continues with its form',
  async (t) => {
    const { browser, member, owner, accountId } = await staff();
    const page = await browser.open(pageOf(member));
    clock.advanceSeconds(599);
    expectRedirect(t, await act(browser, member, 'role', { role: 'admin' }), /role_changed/);
    clock.advanceSeconds(1);
    const asked = await browser.submitForm(page, pageOf(member, 'role'), { role: 'member' });
    isPage(t, asked);
    t.match(asked.body, /Confirm your password/);
    t.equal(await roleOf(member), 'admin');
    t.match(hiddenFields(asked.body), { role: 'member' });
    const address = pageOf(member, 'role');
    const wrong = await browser.submitForm(asked, address, { confirm_password: 'not the password' });
    isPage(t, wrong, 401);
    t.match(wrong.body, /Incorrect password/);
    t.notMatch(wrong.body, 'not the password');
    t.equal(await roleOf(member), 'admin');
    clock.advanceSeconds(1);
    expectRedirect(
      t,
      await browser.submitForm(wrong, address, { confirm_password: owner.password }),
      /role_changed/,
    );
    t.equal(await roleOf(member), 'member');
    expectRedirect(t, await act(browser, member, 'disable'), /user_disabled/, 'once for ten minutes');
    const types = (await eventsOf(database, accountId)).map(({ type }) => type);
    t.match(
      types.filter((type) => type.startsWith('reauthentication')),
      ['reauthentication.failed', 'reauthentication.succeeded'],
    );
  },
);

t.test('wrong passwords are limited for the session, and do not lock the user out', async (t) => {
  const limited = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '3' } });
  const { owner, member } = await staff();
  const browser = await signedInBrowser(limited, owner);
  clock.advanceSeconds(601);
  const attempt = (confirm_password: string) => act(browser, member, 'disable', { confirm_password });
  for (let time = 0; time < 3; time += 1) isPage(t, await attempt('wrong'), 401);
  const rejected = await attempt(owner.password);
  isPage(t, rejected, 429);
  t.match(rejected.headers['retry-after'], /^\d+$/);
  t.match(rejected.body, /Too many failed attempts/);
  const elsewhere = new Browser(api.app);
  expectRedirect(t, await elsewhere.signIn(owner.email, owner.password), '/people/home');
});

t.test(
  'after a hundred wrong passwords in a day, a session cannot be confirmed, and the user can sign in',
  async (t) => {
    const { owner, member } = await staff();
    const { id: userId } = owner;
    const browser = await signedInBrowser(api, owner);
    clock.advanceSeconds(601);
    const failures = { kind: 'reauthentication', userId } as const;
    for (let time = 0; time < 99; time += 1) await countDailyFailure(database.prisma, failures, clock());
    clock.advanceSeconds(1800);
    const changePassword = (current_password: string) =>
      browser.submitForm(page, passwordPath, { current_password, new_password: 'another long password' });
    const passwordPath = '/people/settings/account/password';
    const page = await browser.open(passwordPath);
    isPage(t, await changePassword('wrong'), 401);
    for (const rejected of [
      await act(browser, member, 'disable', { confirm_password: owner.password }),
      await changePassword(owner.password),
    ]) {
      isPage(t, rejected, 429);
      t.equal(rejected.headers['retry-after'], String(86_400 - 1800));
      t.match(rejected.body, /Sign out and sign in again, or try again in 1410 minutes/);
    }
    const elsewhere = new Browser(api.app);
    expectRedirect(t, await elsewhere.signIn(owner.email, owner.password), '/people/home');
    clock.advanceSeconds(86_400 - 1800);
    const later = await signedInBrowser(api, owner);
    clock.advanceSeconds(601);
    expectRedirect(
      t,
      await act(later, member, 'disable', { confirm_password: owner.password }),
      /user_disabled/,
    );
  },
);
