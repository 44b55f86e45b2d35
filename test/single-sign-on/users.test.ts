import { openTestDatabase } from '../support/database/database.js';
import { createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { createSignOnScene, person, signedInUser, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = database;

t.test('an owner removes the link of a user, who is linked again with another subject', async (t) => {
  const scene = await createSignOnScene(t, api);
  const email = `grace@${scene.domain}`;
  const grace = await start(api, scene);
  await grace.return(person(email));
  const { id } = await prisma.user.findFirstOrThrow({ where: { email } });
  const again = await start(api, scene);
  t.equal((await again.return(person(email))).statusCode, 403, 'another subject');

  const owner = await signedInBrowser(api, scene.user);
  const address = `/people/settings/users/${id}`;
  const page = await owner.open(address);
  t.match(page.body, /<dt>Sign-in<\/dt><dd>Single sign-on<\/dd>/);
  const removed = await owner.submitForm(page, `${address}/single_sign_on`, {});
  t.equal(removed.headers.location, `${address}?notice=single_sign_on_unlinked`);
  t.equal(await signedInUser(grace.browser), null, 'is signed out');
  t.match((await owner.open(address)).body, /<dt>Sign-in<\/dt><dd>Password<\/dd>/);
  const where = { accountId: scene.accountId, type: 'user.identity_unlinked' };
  t.match(await prisma.auditEvent.findFirstOrThrow({ where }), {
    userId: scene.user.id,
    details: { user: id },
  });

  const linked = await start(api, scene);
  t.equal((await linked.return(person(email))).statusCode, 303);
  t.equal(await prisma.user.count({ where: { email } }), 1);
});

t.test('members cannot remove links, and administrators not those of owners', async (t) => {
  const scene = await createSignOnScene(t, api);
  await (await start(api, scene)).return(person(scene.user.email));
  for (const role of ['admin', 'member'] as const) {
    const browser = await signedInBrowser(api, await createUser(database, scene.accountId, { role }));
    const page = await browser.open('/people/settings/account');
    const address = `/people/settings/users/${scene.user.id}/single_sign_on`;
    t.equal((await browser.submitForm(page, address, {})).statusCode, 403);
  }
  t.equal(await prisma.userIdentity.count({ where: { accountId: scene.accountId } }), 1);
});

t.test('a user without a password cannot sign in with one, and cannot change it', async (t) => {
  const scene = await createSignOnScene(t, api);
  const email = `grace@${scene.domain}`;
  const { browser, ...started } = await start(api, scene);
  await started.return(person(email));
  const page = await browser.open('/people/settings/account/password');
  t.match(page.body, 'You have no password.');
  const changed = await browser.submitForm(page, '/people/settings/account/password', {
    ...{ current_password: '', new_password: 'a long enough password' },
  });
  t.equal(changed.statusCode, 401);
  for (const password of ['', 'null', 'a long enough password']) {
    const response = await (await start(api, scene)).browser.signIn(email, password);
    t.equal(response.statusCode, 401);
    t.match(response.body, 'Incorrect e-mail address or password.');
  }
});
