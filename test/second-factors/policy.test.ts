import { expectRedirect, isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, signedInBrowser, type TestUser } from '../support/oauth/users.js';
import {
  addPasskeyIn,
  appPath,
  enterPassword,
  factorsPath,
  passkeysPath,
  securityPath,
  setUpApp,
} from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });

async function staff() {
  const { accountId, user: owner } = await createScene(database);
  const admin = await createUser(database, accountId, { role: 'admin' });
  const member = await createUser(database, accountId, { role: 'member' });
  return { accountId, owner, admin, member };
}

/** The page after the sign-in of a user. */
const afterPassword = async (user: TestUser) =>
  String((await enterPassword(api, user)).response.headers.location);

t.test('a policy applies to the users that it names, and to existing sessions', async (t) => {
  const { accountId, owner, admin, member } = await staff();
  const { browser } = await setUpApp(api, owner);
  const adminBrowser = await signedInBrowser(api, admin);
  const memberBrowser = await signedInBrowser(api, member);
  const page = await browser.open(securityPath);
  isPage(t, page);
  t.match(page.body, 'Users who have none are then asked to set one up the next time that they use People.');
  const change = (second_factor: string) => browser.submitForm(page, securityPath, { second_factor });

  expectRedirect(t, await change('administrators'), /notice=security_saved$/);
  expectRedirect(t, await adminBrowser.open('/people'), /^\/sign_in/);
  isPage(t, await memberBrowser.open('/people'));
  t.match(await afterPassword(admin), /^\/people\/settings\/account\/second_factor/);
  t.equal(await afterPassword(member), '/people');

  expectRedirect(t, await change('all'), /notice=security_saved$/);
  expectRedirect(t, await memberBrowser.open('/people'), /^\/sign_in/);
  expectRedirect(t, await change('optional'), /notice=security_saved$/);
  expectRedirect(t, await memberBrowser.open('/people'), /^\/sign_in/, 'the session does not come back');

  const events = await database.prisma.auditEvent.findMany({
    where: { accountId, type: 'account.second_factor_policy_changed' },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  t.equal(events.length, 3);
  t.ok(events.every(({ userId, address }) => userId === owner.id && address === '127.0.0.1'));
});

t.test(
  'a session whose factor was removed does not count as one with a factor under a new policy',
  async (t) => {
    const { owner, admin } = await staff();
    const { browser: adminBrowser } = await setUpApp(api, admin);
    const own = await adminBrowser.open(factorsPath);
    expectRedirect(t, await adminBrowser.submitForm(own, `${appPath}/remove`, {}), /notice=app_removed$/);
    isPage(t, await adminBrowser.open('/people'));
    const { browser } = await setUpApp(api, owner);
    const page = await browser.open(securityPath);
    const change = await browser.submitForm(page, securityPath, { second_factor: 'administrators' });
    expectRedirect(t, change, /notice=security_saved$/);
    expectRedirect(t, await adminBrowser.open('/people'), /^\/sign_in/);
    // A session that waits for a factor could set one up here.
    expectRedirect(t, await adminBrowser.open(factorsPath), /^\/sign_in/);
    isPage(t, await browser.open('/people'));
  },
);

t.test('only owners change the policy, and only to a known value', async (t) => {
  const { accountId, owner, admin, member } = await staff();
  for (const user of [admin, member]) {
    const browser = await signedInBrowser(api, user);
    const page = await browser.open(securityPath);
    t.equal(page.statusCode, user === admin ? 200 : 403);
    const csrf = await browser.open(factorsPath);
    isPage(t, await browser.submitForm(csrf, securityPath, { second_factor: 'all' }), 403);
  }
  const browser = await signedInBrowser(api, owner);
  const page = await browser.open(securityPath);
  for (const second_factor of ['', 'none', '__proto__']) {
    const response = await browser.submitForm(page, securityPath, { second_factor });
    isPage(t, response, 400);
    t.match(response.body, /second_factor must be one of optional, administrators, all/);
  }
  const account = await database.prisma.account.findFirstOrThrow({ where: { id: accountId } });
  t.equal(account.secondFactorPolicy, 'optional');
});

t.test('the last factor cannot be removed where one is required', async (t) => {
  const { owner } = await staff();
  const { browser } = await setUpApp(api, owner);
  const page = await browser.open(securityPath);
  await browser.submitForm(page, securityPath, { second_factor: 'all' });
  const remove = () => browser.submitForm(page, `${appPath}/remove`, {});
  expectRedirect(t, await remove(), /notice=factor_required$/);
  await addPasskeyIn(browser);
  isPage(t, await browser.submitForm(page, `${passkeysPath}/unknown/remove`, {}), 404);
  expectRedirect(t, await remove(), /notice=app_removed$/);
  const { id } = await database.prisma.passkey.findFirstOrThrow({ where: { userId: owner.id } });
  expectRedirect(
    t,
    await browser.submitForm(page, `${passkeysPath}/${id}/remove`, {}),
    /notice=factor_required$/,
  );
});

t.test('a passkey of another user cannot be removed', async (t) => {
  const { owner, admin } = await staff();
  const browser = await signedInBrowser(api, owner);
  await addPasskeyIn(browser);
  const { id } = await database.prisma.passkey.findFirstOrThrow({ where: { userId: owner.id } });
  const other = await signedInBrowser(api, admin);
  await addPasskeyIn(other);
  const page = await other.open(factorsPath);
  isPage(t, await other.submitForm(page, `${passkeysPath}/${id}/remove`, {}), 404);
  isPage(t, await other.open(`${passkeysPath}/${id}/remove`), 404);
});

t.test('a page asks for confirmation before a factor is removed', async (t) => {
  const { owner } = await staff();
  const { browser } = await setUpApp(api, owner);
  await addPasskeyIn(browser);
  const { id, name } = await database.prisma.passkey.findFirstOrThrow({ where: { userId: owner.id } });
  const overview = await browser.open(factorsPath);
  const pages = [
    [`${passkeysPath}/${id}/remove`, `Remove the passkey ${name}?`],
    [`${appPath}/remove`, 'Remove the authenticator app?'],
  ] as const;
  for (const [path, question] of pages) {
    t.match(overview.body, `href="${path}"`);
    t.notMatch(overview.body, `action="${path}"`);
    const page = await browser.open(path);
    isPage(t, page, 200);
    t.match(page.body, question);
    expectRedirect(t, await browser.submitForm(page, path, {}), /_removed$/);
  }
  expectRedirect(t, await browser.open(`${appPath}/remove`), factorsPath);
});

t.test(
  'owners remove the factors of all users, and administrators those of users who are not owners',
  async (t) => {
    const { accountId, owner, admin, member } = await staff();
    for (const user of [owner, admin, member]) await setUpApp(api, user);
    const { browser } = await setUpApp(api, await createUser(database, accountId, { role: 'admin' }));
    const csrf = await browser.open(factorsPath);
    const remove = ({ id }: TestUser) =>
      browser.submitForm(csrf, `/people/settings/users/${id}/second_factor`, {});
    isPage(t, await remove(owner), 403);
    const list = await browser.open('/people/settings/users');
    t.match(list.body, /Authenticator app/);
    expectRedirect(t, await remove(member), /notice=second_factors_removed$/);
    t.equal(await database.prisma.session.count({ where: { userId: member.id } }), 0);
    t.equal(await database.prisma.totpFactor.count({ where: { userId: owner.id } }), 1);
    t.equal(await database.prisma.recoveryCode.count({ where: { userId: member.id } }), 0);
    t.equal(await afterPassword(member), '/people');
    const [event] = await database.prisma.auditEvent.findMany({
      where: { accountId, type: 'user.second_factor_removed' },
    });
    t.match(event?.details, { user: member.id, email: member.email });
  },
);
