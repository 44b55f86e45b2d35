import { replaceRecoveryCodes } from '../../src/features/second-factors/recovery-codes.js';
import { Sessions } from '../../src/platform/accounts/sessions.js';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import { createSignOnScene, person, signedInUser, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { api, mail } = await buildMailingApp(t, { database });
const { prisma } = database;
const path = '/people/settings/single_sign_on';

/** An account whose owner has signed in by single sign-on and has recovery codes. */
async function readyScene() {
  const scene = await createSignOnScene(t, api);
  const { accountId, user } = scene;
  const { browser, ...started } = await start(api, scene);
  await started.return(person(user.email));
  const codes = await prisma.$transaction((tx) => replaceRecoveryCodes(tx, { accountId, userId: user.id }));
  const require = async (value: 'on' | 'off', by = browser) =>
    by.submitForm(await by.open(path), `${path}/only`, { only: value });
  return { ...scene, browser, codes, require };
}

async function requiredScene() {
  const scene = await readyScene();
  const response = await scene.require('on');
  if (response.headers.location !== `${path}?notice=single_sign_on_required`) throw new Error(response.body);
  return scene;
}

t.test(
  'turning the setting on revokes the password sessions, except of owners with a second factor',
  async (t) => {
    const scene = await readyScene();
    const users = await Promise.all(
      (['owner', 'admin', 'member'] as const).map((role) => createUser(database, scene.accountId, { role })),
    );
    const [owner, admin, member] = await Promise.all(users.map((user) => signedInBrowser(api, user)));
    const grace = await start(api, scene);
    await grace.return(person(`grace@${scene.domain}`));
    const proved = await createUser(database, scene.accountId);
    const from = { address: '127.0.0.1', userAgent: undefined };
    await new Sessions(database, api.clock).create(proved, from, { secondFactor: true });
    t.equal((await scene.require('on')).statusCode, 303);
    const found = (browser: Browser | undefined) =>
      prisma.session.count({ where: { userId: users[[owner, admin, member].indexOf(browser)]?.id ?? '' } });
    t.equal(await found(admin), 0);
    t.equal(await found(member), 0);
    t.equal(await found(owner), 0, 'another owner needs a recovery code');
    t.equal(await prisma.session.count({ where: { userId: proved.id } }), 1);
    t.equal(await signedInUser(grace.browser), `grace@${scene.domain}`);
    t.equal(await signedInUser(scene.browser), scene.user.email);
    const where = { accountId: scene.accountId, type: 'identity_provider.updated' };
    t.match((await prisma.auditEvent.findFirstOrThrow({ where })).details, { only_single_sign_on: 'on' });
  },
);

t.test('the password of an administrator or member is rejected, after it is checked', async (t) => {
  const { accountId } = await requiredScene();
  for (const role of ['admin', 'member'] as const) {
    const user = await createUser(database, accountId, { role });
    const right = await new Browser(api.app).signIn(user.email, user.password);
    t.equal(right.statusCode, 403);
    t.match(right.body, 'Users of your account sign in with single sign-on only.');
    t.match(right.body, `<form method="post" action="/sign_in/sso/${accountId}">`);
    t.notOk(right.cookies.some(({ name }) => name === 'session'));
    const wrong = await new Browser(api.app).signIn(user.email, 'not the password');
    const unknown = await new Browser(api.app).signIn('nobody@users.example', 'not the password');
    for (const response of [wrong, unknown]) {
      t.equal(response.statusCode, 401);
      t.match(response.body, 'Incorrect e-mail address or password.');
      t.notMatch(response.body, accountId);
    }
    const event = await prisma.auditEvent.findFirst({
      where: { accountId, userId: user.id, details: { path: ['reason'], equals: 'single_sign_on_required' } },
    });
    t.equal(event?.type, 'sign_in.failed');
  }
});

t.test('rejects every password session, however it was created', async (t) => {
  const { accountId } = await requiredScene();
  const user = await createUser(database, accountId, { role: 'member' });
  const from = { address: '192.0.2.1', userAgent: undefined };
  const sessions = new Sessions(database, api.clock);
  const late = (await sessions.create(user, from, { secondFactor: true })) ?? '';
  t.equal(await sessions.find(late), null, 'a session of a sign-in that was in progress');
  const owner = await createUser(database, accountId);
  const ofOwner = (await sessions.create(owner, from, { secondFactor: true })) ?? '';
  t.ok(await sessions.find(ofOwner));
  await prisma.user.updateMany({ where: { id: owner.id }, data: { role: 'admin' } });
  t.equal(await sessions.find(ofOwner), null, 'a session of an owner who becomes an administrator');
});

t.test('an owner signs in with the password and a recovery code', async (t) => {
  const { user, codes } = await requiredScene();
  const browser = new Browser(api.app);
  const password = await browser.signIn(user.email, user.password);
  t.match(password.headers.location, '/sign_in/second_factor');
  t.equal(await signedInUser(browser), null);
  const page = await browser.open('/sign_in/second_factor');
  t.match(page.body, 'Recovery code');
  const wrong = await browser.submitForm(page, '/sign_in/second_factor', { code: '123456' });
  t.equal(wrong.statusCode, 401);
  t.equal(await signedInUser(browser), null);
  const right = await browser.submitForm(wrong, '/sign_in/second_factor', { code: codes[0] ?? '' });
  t.equal(right.statusCode, 303, right.body);
  t.equal(await signedInUser(browser), user.email);
  const second = new Browser(api.app);
  await second.signIn(user.email, user.password);
  const again = await second.submitForm(
    await second.open('/sign_in/second_factor'),
    '/sign_in/second_factor',
    {
      code: codes[0] ?? '',
    },
  );
  t.equal(again.statusCode, 401, 'a code is valid once');
});

t.test('a new password for a forgotten one does not sign a member in', async (t) => {
  const { accountId } = await requiredScene();
  const member = await createUser(database, accountId, { role: 'member' });
  const browser = new Browser(api.app);
  const forgot = await browser.open('/forgot_password');
  for (let count = 0; count < 5; count += 1)
    await browser.submitForm(forgot, '/forgot_password', { email: member.email });
  const { text } = await mail.mailTo(member.email);
  t.match(text, `/sign_in/sso/${accountId}`);
  t.notMatch(text, '/set_password/');
  t.equal(await prisma.oneTimeLink.count({ where: { accountId } }), 0);
  const other = await createUser(database, accountId, { role: 'member' });
  await browser.submitForm(forgot, '/forgot_password', { email: other.email });
  await mail.mailTo(other.email);
  t.ok(mail.mails.filter(({ to }) => to.includes(member.email)).length <= 3, 'at most three mails an hour');
});

t.test('the setting requires an identity provider, a successful sign-in and recovery codes', async (t) => {
  const scene = await readyScene();
  const rejected = async (message: string, by?: Browser) => {
    const response = await scene.require('on', by);
    t.equal(response.statusCode, 400);
    t.match(response.body, message);
  };
  await rejected('Sign in at the sign-in address first', await signedInBrowser(api, scene.user));
  await prisma.recoveryCode.updateMany({ where: { userId: scene.user.id }, data: { usedAt: new Date() } });
  await rejected('Create recovery codes under My account');
  const where = { accountId: scene.accountId };
  t.notOk((await prisma.identityProvider.findFirstOrThrow({ where })).onlySingleSignOn);
  await prisma.identityProvider.deleteMany({ where });
  await rejected('Save an identity provider first.');
});

t.test('turning the setting off permits passwords again', async (t) => {
  const scene = await requiredScene();
  const member = await createUser(database, scene.accountId, { role: 'member' });
  t.equal((await scene.require('off')).headers.location, `${path}?notice=single_sign_on_not_required`);
  t.equal((await new Browser(api.app).signIn(member.email, member.password)).statusCode, 303);
});

t.test('the last second factor of an owner is removed without the recovery codes', async (t) => {
  const { user, accountId, browser } = await requiredScene();
  await prisma.passkey.create({
    data: {
      ...{ id: 'k'.repeat(20), accountId, userId: user.id, credentialId: Buffer.from(accountId) },
      ...{ publicKey: Buffer.from('key'), signCount: 0, name: 'Key' },
    },
  });
  const address = `/people/settings/account/second_factor/passkeys/${'k'.repeat(20)}/remove`;
  const page = await browser.open('/people/settings/account/second_factor');
  t.equal((await browser.submitForm(page, address, {})).statusCode, 303);
  t.equal(await prisma.passkey.count({ where: { accountId } }), 0);
  t.equal(await prisma.recoveryCode.count({ where: { accountId } }), 10);
});
