import { Browser } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { accountPath, eventsOf, freshAddress, newPassword } from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import {
  createScene,
  createUser,
  grantCode,
  grantTokens,
  refresh,
  signedInBrowser,
  tokenAccepted,
} from '../support/oauth/users.js';
import {
  addPasskey,
  addPasskeyIn,
  appPath,
  enterPassword,
  factorsPath,
  passkeysPath,
  recoveryCodesOn,
  setUpApp,
  stepPath,
} from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import { linkIn } from '../support/server/mail-server.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);
const { api, mail } = await buildMailingApp(t, { database });
const { app, clock } = api;
const withoutMail = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '0' } });

async function memberAtWork(server = api) {
  const scene = await createScene(database, { role: 'member' });
  return { ...scene, browser: await signedInBrowser(server, scene.user) };
}

const row = (id: string) => database.prisma.user.findFirstOrThrow({ where: { id } });

const profile = {
  given_name: 'Zoë',
  family_name: 'Bär-Müller',
  locale: 'de-ch',
  zoneinfo: 'Europe/Zurich',
  picture: 'https://pictures.example/zoe.png',
  phone_number: '+41 (44) 555-01 23',
};

t.test('saves the profile in canonical form, with an audit event', async (t) => {
  const { browser, user, accountId } = await memberAtWork();
  const page = await browser.open(`${accountPath}/profile`);
  isPage(t, page);
  expectRedirect(
    t,
    await browser.submitForm(page, `${accountPath}/profile`, profile),
    `${accountPath}?notice=profile_saved`,
  );
  t.match(await row(user.id), {
    givenName: 'Zoë',
    familyName: 'Bär-Müller',
    locale: 'de-CH',
    zoneinfo: 'Europe/Zurich',
    picture: 'https://pictures.example/zoe.png',
    phoneNumber: '+41445550123',
  });
  const shown = await browser.open(accountPath);
  isPage(t, shown);
  for (const text of ['Zoë Bär-Müller', 'de-CH', '+41445550123', 'Member of ']) t.match(shown.body, text);
  const again = await browser.open(`${accountPath}/profile`);
  t.match(again.body, /<option selected value="Europe\/Zurich">|value="Europe\/Zurich" selected/);
  const names = { given_name: 'Zoë', family_name: 'Bär' };
  expectRedirect(t, await browser.submitForm(again, `${accountPath}/profile`, names), /profile_saved/);
  t.match(await row(user.id), { locale: null, zoneinfo: null, picture: null, phoneNumber: null });
  const [event] = await eventsOf(database, accountId);
  t.match(event, { type: 'user.updated', userId: user.id, address: '127.0.0.1' });
});

t.test('rejects values that the contract rejects, names the field, and keeps the input', async (t) => {
  const { browser, user } = await memberAtWork();
  const page = await browser.open(`${accountPath}/profile`);
  const before = await row(user.id);
  for (const [field, value] of [
    ['given_name', ''],
    ['given_name', 'x'.repeat(101)],
    ['given_name', 'a\u0007b'],
    ['family_name', ''],
    ['locale', 'not a language'],
    ['locale', 'x'.repeat(40)],
    ['zoneinfo', 'Mars/Olympus'],
    ['zoneinfo', '+02:00'],
    ['picture', 'http://pictures.example/'],
    ['picture', 'https://user:secret@pictures.example/'],
    ['picture', 'https://pictures.example/a b'],
    ['picture', `https://pictures.example/${'x'.repeat(2048)}`],
    ['phone_number', '044 555 01 23'],
    ['phone_number', '+41 44 CALL ME'],
  ] as const) {
    const fields = { ...profile, [field]: value };
    const rejected = await browser.submitForm(page, `${accountPath}/profile`, fields);
    isPage(t, rejected, 400, `${field} ${value}`);
    t.match(rejected.body, `id="${field}-error"`, value);
    t.match(rejected.body, `href="#${field}"`, value);
    t.equal((rejected.body.match(/class="field-error"/g) ?? []).length, 1, `${field} only`);
    if (field !== 'family_name') t.match(rejected.body, 'Bär-Müller');
  }
  t.same(await row(user.id), before);
});

t.test('My account names the language of the user; a text that names none is unchanged', async (t) => {
  const { browser, user } = await memberAtWork();
  for (const [locale, expected] of [
    [null, 'Not set'],
    ['en-GB', 'British English (en-GB)'],
    ['de_CH', 'Swiss High German (de_CH)'],
    ['not a locale', 'not a locale'],
    ['xx', 'xx'],
  ] as const) {
    await database.prisma.user.updateMany({ where: { id: user.id }, data: { locale } });
    t.match((await browser.open(accountPath)).body, `<dt>Language</dt><dd>${expected}</dd>`, `${locale}`);
  }
});

t.test('a form changes the profile of its user only, and no other member', async (t) => {
  const { browser, user } = await memberAtWork();
  const other = await memberAtWork();
  const before = await row(other.user.id);
  const page = await browser.open(`${accountPath}/profile`);
  const extra = {
    ...profile,
    id: other.user.id,
    user_id: other.user.id,
    role: 'owner',
    email: 'x@y.example',
  };
  expectRedirect(t, await browser.submitForm(page, `${accountPath}/profile`, extra), /profile_saved/);
  t.match(await row(user.id), { role: 'member', email: user.email });
  t.same(await row(other.user.id), before);
});

t.test('a profile form takes over what another form or application has changed', async (t) => {
  const { browser, user } = await memberAtWork();
  const path = `${accountPath}/profile`;
  await browser.submitForm(await browser.open(path), path, profile);
  const page = await browser.open(path);
  const values = { ...profile, locale: 'de-CH', phone_number: '+41445550123' };
  const submit = (changes: Record<string, string>) =>
    browser.submitForm(page, path, { ...values, ...changes });
  expectRedirect(t, await submit({ family_name: 'Bär', locale: 'fr' }), /profile_saved$/);
  expectRedirect(t, await submit({ phone_number: '', locale: 'fr' }), /profile_saved$/);
  t.match(await row(user.id), {
    familyName: 'Bär',
    locale: 'fr',
    phoneNumber: null,
    zoneinfo: 'Europe/Zurich',
  });
  const conflict = await submit({ locale: 'it', given_name: 'Zoé' });
  isPage(t, conflict, 409);
  t.match(conflict.body, /Language: another user changed this while/);
  const rows = [...conflict.body.matchAll(/data-label="(?:Attribute|Saved|Yours)"><div>(.*?)<\/div>/g)];
  t.same(
    rows.map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
    ['Language', 'fr', 'it'],
  );
  t.match(await row(user.id), { givenName: 'Zoë', locale: 'fr' }, 'nothing is saved yet');
  const merged = { ...values, family_name: 'Bär', phone_number: '', locale: 'it', given_name: 'Zoé' };
  expectRedirect(t, await browser.submitForm(conflict, path, merged), /profile_saved$/);
  t.match(await row(user.id), { givenName: 'Zoé', familyName: 'Bär', locale: 'it', phoneNumber: null });
});

t.test('a new address is confirmed by a link, and the previous one is notified', async (t) => {
  const { browser, user, accountId } = await memberAtWork();
  const email = freshAddress();
  const page = await browser.open(`${accountPath}/email`);
  isPage(t, page);
  expectRedirect(
    t,
    await browser.submitForm(page, `${accountPath}/email`, { email: email.toUpperCase() }),
    `${accountPath}?notice=email_link_sent`,
  );
  t.equal((await row(user.id)).email, user.email, 'the address is unchanged before confirmation');
  const link = linkIn(await mail.mailTo(email));
  const visitor = new Browser(app);
  const confirmation = await visitor.open(link);
  isPage(t, confirmation);
  t.equal((await row(user.id)).email, user.email, 'opening the link does not consume it');
  const responses = await Promise.all(
    Array.from({ length: 6 }, () => visitor.submitForm(confirmation, link, {})),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 404).length, 5);
  t.match(await row(user.id), { email, emailVerified: true });
  t.match((await mail.mailTo(user.email)).text, /was changed/);
  t.equal((await new Browser(app).signIn(user.email, user.password)).statusCode, 401);
  expectRedirect(t, await new Browser(app).signIn(email, user.password), '/people/home');
  const events = await eventsOf(database, accountId);
  for (const type of ['user.email_change_requested', 'user.email_changed']) {
    t.match(
      events.find((event) => event.type === type),
      { userId: user.id, address: '127.0.0.1', details: { user: user.id } },
      type,
    );
  }
});

t.test('an address of another user looks like any other until it is confirmed', async (t) => {
  const { browser, user } = await memberAtWork();
  const other = await createScene(database);
  const request = async (email: string) =>
    browser.submitForm(await browser.open(`${accountPath}/email`), `${accountPath}/email`, { email });
  const [taken, free] = [await request(other.user.email), await request(freshAddress())];
  t.same([taken.statusCode, taken.headers.location], [free.statusCode, free.headers.location]);
  const replaced = linkIn(await mail.mailTo(other.user.email));
  await request(other.user.email);
  const link = linkIn(await mail.mailTo(other.user.email));
  const visitor = new Browser(app);
  isPage(t, await visitor.open(replaced), 404);
  const page = await visitor.open(link);
  isPage(t, await visitor.submitForm(page, link, {}), 409);
  t.equal((await row(user.id)).email, user.email);
  for (const [email, message] of [
    ['nothing', /must have the form name@example.com/],
    [user.email, /your e-mail address already/],
  ] as const) {
    const rejected = await request(email);
    isPage(t, rejected, 400);
    t.match(rejected.body, message);
  }
});

t.test('without a mail server the address cannot be changed', async (t) => {
  const { browser, user } = await memberAtWork(withoutMail);
  const page = await browser.open(`${accountPath}/email`);
  t.match(page.body, /this server sends no mail/);
  isPage(t, await browser.submitForm(page, `${accountPath}/email`, { email: freshAddress() }), 409);
  t.equal(await database.prisma.oneTimeLink.count({ where: { userId: user.id } }), 0);
});

t.test('a new password revokes the other sessions and the unused links of the user', async (t) => {
  const { browser, user, accountId } = await memberAtWork();
  const elsewhere = await signedInBrowser(api, user);
  const address = freshAddress();
  await browser.submitForm(await browser.open(`${accountPath}/email`), `${accountPath}/email`, {
    email: address,
  });
  const path = `${accountPath}/password`;
  const page = await browser.open(path);
  isPage(t, page);
  for (const [current, fresh, status, message] of [
    ['wrong', newPassword, 401, /Incorrect password/],
    ['', newPassword, 401, /Incorrect password/],
    [user.password, 'short', 400, /at least 12/],
    [user.password, 'aaaaaaaaaaaaaaa', 400, /easy to guess/],
  ] as const) {
    const rejected = await browser.submitForm(page, path, { current_password: current, new_password: fresh });
    isPage(t, rejected, status);
    t.match(rejected.body, message);
  }
  isPage(t, await elsewhere.open('/people'));
  const fields = { current_password: user.password, new_password: newPassword };
  expectRedirect(t, await browser.submitForm(page, path, fields), `${accountPath}?notice=password_changed`);
  isPage(t, await browser.open(accountPath));
  expectRedirect(t, await elsewhere.open('/people'), /^\/sign_in/);
  isPage(t, await new Browser(app).open(linkIn(await mail.mailTo(address))), 404);
  expectRedirect(t, await new Browser(app).signIn(user.email, newPassword), '/people/home');
  const types = (await eventsOf(database, accountId)).map(({ type }) => type);
  t.equal(types.filter((type) => type === 'user.password_changed').length, 1);
});

t.test(
  'a session that is revoked meanwhile changes neither the password nor the e-mail address',
  async (t) => {
    let isArmed = false;
    // Before the transaction of the change.
    const $transaction: typeof database.prisma.$transaction = async (...args: [never]) => {
      if (isArmed) await database.prisma.session.deleteMany();
      return database.prisma.$transaction(...args);
    };
    const prisma = Object.create(database.prisma, { $transaction: { value: $transaction } });
    const held = await buildMailingApp(t, { database: { ...database, prisma } });
    const { user } = await createScene(database, { role: 'member' });
    const before = await row(user.id);
    const forms = {
      password: { current_password: user.password, new_password: newPassword },
      email: { email: freshAddress() },
    };
    for (const [name, form] of Object.entries(forms)) {
      const path = `${accountPath}/${name}`;
      const browser = await signedInBrowser(held.api, user);
      const page = await browser.open(path);
      isArmed = true;
      expectRedirect(t, await browser.submitForm(page, path, form), /^\/sign_in/);
      isArmed = false;
    }
    t.equal((await row(user.id)).passwordHash, before.passwordHash);
    t.equal(await database.prisma.oneTimeLink.count({ where: { userId: user.id } }), 0);
  },
);

t.test('a new password revokes the grants of the user, and of no other, when the user says so', async (t) => {
  const scene = await createScene(database);
  const others = await grantTokens(api, { ...scene, user: await createUser(database, scene.accountId) });
  const path = `${accountPath}/password`;
  const { application, user } = scene;
  for (const [current, fresh, also] of [
    [user.password, newPassword, false],
    [newPassword, `${newPassword} again`, true],
  ] as const) {
    const browser = await signedInBrowser(api, user);
    const theirs = await grantTokens(api, scene);
    const { form: onItsWay } = await grantCode(api, scene);
    const page = await browser.open(path);
    t.match(page.body, /Applications keep their access, unless you sign them out too/);
    t.notMatch(page.body, 'checked');
    const passwords = { current_password: current, new_password: fresh };
    const chosen = { ...passwords, ...(also && { sign_out_applications: 'yes' }) };
    const rejected = await browser.submitForm(page, path, { ...chosen, new_password: 'short' });
    t.equal(/<input[^>]*sign_out_applications[^>]*checked/.test(rejected.body), also, 'the choice is kept');
    await tokenAccepted(t, api, theirs.accessToken);
    expectRedirect(t, await browser.submitForm(page, path, chosen), /notice=password_changed/);
    t.equal((await api.get('/v1/employees', theirs.accessToken)).statusCode, also ? 401 : 200);
    t.equal((await refresh(api, application, theirs.refreshToken)).statusCode, also ? 401 : 200);
    t.equal((await api.postForm('/v1/oauth/token', onItsWay)).statusCode, also ? 401 : 200, 'an unused code');
  }
  await tokenAccepted(t, api, others.accessToken);
  t.equal((await refresh(api, application, others.refreshToken)).statusCode, 200);
});

t.test('each change of how a user signs in sends the user one mail without secrets', async (t) => {
  const { user, accountId } = await createScene(database);
  const { browser, codes, secret } = await setUpApp(api, user);
  await addPasskeyIn(browser);
  const passkey = await database.prisma.passkey.findFirstOrThrow({ where: { userId: user.id } });
  const step = await enterPassword(api, user);
  await step.browser.submitForm(step.page, stepPath, { code: codes[0] ?? '' });
  const page = await browser.open(factorsPath);
  const fresh = recoveryCodesOn(await browser.submitForm(page, `${factorsPath}/recovery_codes`, {}));
  await browser.submitForm(page, `${passkeysPath}/${passkey.id}/remove`, {});
  await browser.submitForm(page, `${appPath}/remove`, {});
  await browser.submitForm(page, `${appPath}/remove`, {});
  const passwords = { current_password: user.password, new_password: newPassword };
  await browser.submitForm(page, `${accountPath}/password`, passwords);
  await setUpApp(api, user);
  const colleague = await signedInBrowser(api, await createUser(database, accountId));
  const theirs = await colleague.open(`/people/settings/users/${user.id}`);
  await colleague.submitForm(theirs, `/people/settings/users/${user.id}/second_factor`, {});
  const visitor = new Browser(app);
  await visitor.submitForm(await visitor.open('/forgot_password'), '/forgot_password', { email: user.email });
  const link = linkIn(await mail.mailTo(user.email, /Set a new password/));
  await visitor.submitForm(await visitor.open(link), link, { new_password: `${newPassword} again` });

  const mails = () => mail.mails.filter(({ to }) => to.includes(user.email));
  await until(() => mails().length === 11);
  const subjects = mails().map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1]);
  t.same(subjects.toSorted(), [
    'A passkey was added to your account',
    'A passkey was removed from your account',
    'A recovery code was used to sign in to your account',
    'All second factors were removed from your account',
    'An authenticator app was added to your account',
    'An authenticator app was added to your account',
    'New recovery codes were created for your account',
    'Set a new password',
    'The authenticator app was removed from your account',
    'Your password was changed',
    'Your password was changed',
  ]);
  const text = mails()
    .map((each) => each.text)
    .join('\n');
  for (const hidden of [secret, newPassword, user.password, ...codes, ...fresh])
    t.notOk(text.includes(hidden));
});

t.test('a change succeeds without delay when its mail cannot be sent', async (t) => {
  const { api: broken, mail: rejecting } = await buildMailingApp(t, { database, clock });
  rejecting.rejectAll();
  const { user } = await createScene(database);
  const { browser } = await addPasskey(broken, user);
  t.match((await browser.open(factorsPath)).body, 'Laptop');
});

t.test('shows the sessions with browser, address and last use, and revokes them all', async (t) => {
  const { browser, user, accountId } = await memberAtWork();
  const agents = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', 'Safari on iOS'],
    ['<script>alert(1)</script>', 'Unknown browser'],
  ];
  for (const [userAgent = ''] of agents) {
    const id = Buffer.from(`${user.id}${userAgent}`).subarray(0, 60);
    const expiresAt = new Date(clock().getTime() + 3_600_000);
    const seen = { createdAt: clock(), lastSeenAt: clock(), expiresAt };
    await database.prisma.session.create({
      data: { idHash: id, accountId, userId: user.id, ...seen, address: '192.0.2.7', userAgent },
    });
  }
  const page = await browser.open(accountPath);
  for (const [, name = ''] of agents) t.match(page.body, name);
  t.match(page.body, '192.0.2.7');
  t.equal((page.body.match(/This browser/g) ?? []).length, 1);
  const other = await memberAtWork();
  t.notMatch((await other.browser.open(accountPath)).body, '192.0.2.7');

  const response = await browser.submitForm(page, `${accountPath}/sessions`, {});
  expectRedirect(t, response, '/sign_in?notice=signed_out_everywhere');
  t.match((await browser.open('/sign_in?notice=signed_out_everywhere')).body, /signed out of all browsers/);
  expectRedirect(t, await browser.open('/people'), /^\/sign_in/);
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 0);
  isPage(t, await other.browser.open('/people'));
  t.match(await eventsOf(database, accountId), [{ type: 'user.sessions_revoked', userId: user.id }]);
});
