import { randomBytes } from 'node:crypto';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, signedInBrowser, type TestUser } from '../support/oauth/users.js';
import {
  type Deviation,
  passkeyOptionsOn,
  SoftwareAuthenticator,
} from '../support/second-factor/software-authenticator.js';
import {
  addPasskey,
  addPasskeyIn,
  enterPassword,
  factorsPath,
  passkeysPath,
  stepPath,
} from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, clock } = api;
const origin = 'http://api.test';

const signInPath = '/sign_in/passkey';

/** Stores passkeys of a user, as the page does. */
async function addStored({ id: userId, accountId }: TestUser, count: number): Promise<void> {
  await database.prisma.passkey.createMany({
    data: Array.from({ length: count }, () => ({
      ...{ id: randomId(), accountId, userId, credentialId: randomBytes(16) },
      ...{ publicKey: Buffer.from('key'), signCount: 0, name: 'Key' },
    })),
  });
}

/** The sign-in page, and its options for a passkey. */
async function signInPage() {
  const browser = new Browser(app);
  const page = await browser.open('/sign_in?return_to=%2Fpeople%2Fsettings');
  return { browser, page, options: passkeyOptionsOn(page.body) };
}

t.test('a passkey is added, is the second factor, and signs in without a password', async (t) => {
  const { user, accountId } = await createScene(database);
  const { browser, authenticator, saved } = await addPasskey(api, user);
  isPage(t, saved);
  t.match(saved.body, /Save these recovery codes now/);
  t.match((await browser.open(factorsPath)).body, /Laptop/);
  const row = await database.prisma.passkey.findFirstOrThrow({ where: { userId: user.id } });
  t.same(row.transports, ['internal'], 'unknown transports are omitted');

  clock.advanceSeconds(10);
  const step = await enterPassword(api, user);
  const options = passkeyOptionsOn(step.page.body);
  t.same(
    options.allowCredentials?.map(({ id }) => id),
    [authenticator.id.toString('base64url')],
  );
  const credential = authenticator.use(options);
  expectRedirect(t, await step.browser.submitForm(step.page, stepPath, { credential }), '/people');
  isPage(t, await step.browser.open('/people'));

  clock.advanceSeconds(10);
  const alone = await signInPage();
  t.same(alone.options.allowCredentials ?? [], [], 'the page names no passkey');
  const response = await alone.browser.submitForm(alone.page, signInPath, {
    credential: authenticator.use(alone.options),
  });
  expectRedirect(t, response, '/people/settings');
  isPage(t, await alone.browser.open('/people'));
  const events = await database.prisma.auditEvent.findMany({
    where: { accountId, userId: user.id },
    orderBy: { createdAt: 'asc' },
  });
  const signIns = events.filter(({ type }) => type === 'sign_in.succeeded').map(({ details }) => details);
  t.same(signIns, [{ second_factor: 'passkey' }, { method: 'passkey' }]);
  t.ok(events.every(({ address }) => address === '127.0.0.1'));
});

t.test(
  'a response of a passkey is valid once, in its browser, for its purpose and for ten minutes',
  async (t) => {
    const { user } = await createScene(database);
    const { authenticator } = await addPasskey(api, user);
    clock.advanceSeconds(10);
    const used = await signInPage();
    const credential = authenticator.use(used.options);
    const other = await signInPage();
    isPage(t, await other.browser.submitForm(other.page, signInPath, { credential }), 401, 'another browser');
    expectRedirect(
      t,
      await used.browser.submitForm(used.page, signInPath, { credential }),
      '/people/settings',
    );

    const again = new Browser(app);
    for (const [name, value] of used.browser.cookies) if (name !== 'session') again.setCookie(name, value);
    again.setCookie('visitor', visitorOf(used.page));
    isPage(t, await again.submitForm(used.page, signInPath, { credential }), 401, 'a second time');

    const step = await enterPassword(api, user);
    const alone = authenticator.use(passkeyOptionsOn(step.page.body));
    const wrongPurpose = await step.browser.submitForm(step.page, signInPath, { credential: alone });
    isPage(t, wrongPurpose, 401, 'the challenge of the second step');

    const late = await signInPage();
    clock.advanceSeconds(600);
    const expired = { credential: authenticator.use(late.options) };
    isPage(t, await late.browser.submitForm(late.page, signInPath, expired), 401, 'ten minutes later');
    t.equal(
      await database.prisma.session.count({ where: { userId: user.id, secondFactorAt: { not: null } } }),
      2,
      'the period in which it was added, and that of the first use',
    );
  },
);

function visitorOf({ cookies }: { cookies: readonly { name: string; value: string }[] }): string {
  return cookies.find(({ name }) => name === 'visitor')?.value ?? '';
}

const deviations: Readonly<Record<string, Deviation>> = {
  'another origin': { origin: 'https://evil.example' },
  'another port': { origin: 'http://api.test:8080' },
  'another host': { host: 'evil.example' },
  'no user verification': { flags: 0x01 },
  'no user presence': { flags: 0x04 },
  'a forged challenge': { challenge: Buffer.from('1.x.y').toString('base64url') },
  'an empty challenge': { challenge: '' },
  'the wrong type': { type: 'payment.get' },
};

t.test('every form rejects an invalid response of a passkey', async (t) => {
  const { user } = await createScene(database);
  const { authenticator } = await addPasskey(api, user);
  clock.advanceSeconds(10);
  // The first use makes a count of zero a regression.
  const first = await signInPage();
  const used = { credential: authenticator.use(first.options) };
  expectRedirect(t, await first.browser.submitForm(first.page, signInPath, used), '/people/settings');
  clock.advanceSeconds(10);
  const [alone, step] = [await signInPage(), await enterPassword(api, user)];
  for (const [label, deviation] of Object.entries({
    ...deviations,
    'a wrong signature': { signature: Buffer.alloc(70, 1) },
    'a lower sign count': { signCount: 0 },
  })) {
    const credential = authenticator.use(alone.options, deviation);
    const response = await alone.browser.submitForm(alone.page, signInPath, { credential });
    isPage(t, response, 401, label);
    t.match(response.body, /The passkey was not accepted/);
    const second = authenticator.use(passkeyOptionsOn(step.page.body), deviation);
    isPage(t, await step.browser.submitForm(step.page, stepPath, { credential: second }), 401, label);
  }
  const valid = { credential: authenticator.use(passkeyOptionsOn(step.page.body)) };
  expectRedirect(
    t,
    await step.browser.submitForm(step.page, stepPath, valid),
    '/people',
    'unlike a valid one',
  );
  const other = await createScene(database);
  const browser = await signedInBrowser(api, other.user);
  for (const [label, deviation] of Object.entries(deviations)) {
    const page = await browser.open(passkeysPath);
    const fresh = new SoftwareAuthenticator(origin);
    const flags = deviation.flags === undefined ? {} : { flags: deviation.flags | 0x40 };
    const credential = fresh.create(passkeyOptionsOn(page.body), { ...deviation, ...flags });
    const response = await browser.submitForm(page, passkeysPath, { name: 'Laptop', credential });
    isPage(t, response, 400, label);
  }
  t.equal(await database.prisma.passkey.count({ where: { userId: other.user.id } }), 0);
});

t.test('a passkey of another user, or of a disabled one, does not sign in', async (t) => {
  const { user, accountId } = await createScene(database);
  const { authenticator } = await addPasskey(api, user);
  const other = await createUser(database, accountId);
  await addPasskey(api, other);
  clock.advanceSeconds(10);
  const step = await enterPassword(api, other);
  const credential = authenticator.use(passkeyOptionsOn(step.page.body));
  isPage(t, await step.browser.submitForm(step.page, stepPath, { credential }), 401);
  await database.prisma.user.updateMany({ where: { id: user.id }, data: { disabledAt: clock() } });
  const alone = await signInPage();
  const response = await alone.browser.submitForm(alone.page, signInPath, {
    credential: authenticator.use(alone.options),
  });
  isPage(t, response, 401);
});

t.test('a passkey belongs to one user, and a user has at most twenty', async (t) => {
  const { user } = await createScene(database);
  const { user: other } = await createScene(database);
  const { authenticator, browser: own } = await addPasskey(api, user);
  const { saved } = await addPasskey(api, other, authenticator);
  isPage(t, saved, 400);
  t.match(saved.body, /This passkey was added before/);
  await addStored(user, 18);
  expectRedirect(t, await addPasskeyIn(own), /notice=passkey_added$/);
  const beyond = await addPasskeyIn(own);
  isPage(t, beyond, 400);
  t.match(beyond.body, /You have 20 passkeys already/);
  const nameless = await signedInBrowser(api, other);
  for (const name of ['', 'x'.repeat(61), 'a\u0007b', 'a\nb', 'a\u202eb', '\u200b']) {
    const page = await nameless.open(passkeysPath);
    const credential = new SoftwareAuthenticator(origin).create(passkeyOptionsOn(page.body));
    isPage(t, await nameless.submitForm(page, passkeysPath, { name, credential }), 400, 'the name');
  }
});

t.test('hostile credentials get an error page', async (t) => {
  const { user } = await createScene(database);
  const { authenticator, browser: own } = await addPasskey(api, user);
  const id = authenticator.id.toString('base64url');
  const hostile = [
    'null',
    '[]',
    '7',
    '"x"',
    '{',
    '{}',
    '{"id":null}',
    '{"id":7,"rawId":7,"type":"public-key"}',
    '{"id":"*","rawId":"*","type":"public-key","response":{}}',
    JSON.stringify({ id, rawId: id, type: 'public-key' }),
    JSON.stringify({ id, rawId: id, type: 'public-key', response: null }),
    JSON.stringify({ id, rawId: id, type: 'public-key', response: { clientDataJSON: 7 } }),
    JSON.stringify({ id, rawId: id, type: 'public-key', response: { clientDataJSON: 'bnVsbA' } }),
    JSON.stringify({ id, rawId: id, type: 'x', response: {} }),
    `{"__proto__":{"id":"${id}"}}`,
    'x'.repeat(40_000),
    '['.repeat(20_000),
  ];
  const [alone, step, page] = [
    await signInPage(),
    await enterPassword(api, user),
    await own.open(passkeysPath),
  ];
  for (const [index, credential] of hostile.entries()) {
    const label = credential.slice(0, 60);
    isPage(t, await own.submitForm(page, passkeysPath, { name: 'x', credential }), 400, label);
    // These two read a credential alike.
    if (index % 2 === 0)
      isPage(t, await alone.browser.submitForm(alone.page, signInPath, { credential }), 401, label);
    else isPage(t, await step.browser.submitForm(step.page, stepPath, { credential }), 401, label);
  }
});

t.test('a credential id that is too long, and a malformed id of a passkey, are rejected', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  for (const size of [1024, 10_000]) {
    const authenticator = new SoftwareAuthenticator(origin, Buffer.alloc(size, 7));
    isPage(t, await addPasskeyIn(browser, authenticator), 400, `${size} bytes`);
  }
  const page = await browser.open(passkeysPath);
  for (const id of ['%00', '%20', 'A'.repeat(100)]) {
    isPage(t, await browser.submitForm(page, `${passkeysPath}/${id}/remove`, {}), 404, id);
  }
});

t.test('concurrent additions do not exceed twenty passkeys', async (t) => {
  const { user } = await createScene(database);
  const { browser } = await addPasskey(api, user);
  await addStored(user, 16);
  await Promise.all(Array.from({ length: 6 }, () => addPasskeyIn(browser)));
  t.equal(await database.prisma.passkey.count({ where: { userId: user.id } }), 20);
});
