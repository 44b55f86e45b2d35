import { createHash, randomBytes } from 'node:crypto';
import { knownSeconds, maximumKnownUsers } from '../../src/features/sign-in/known-browsers.js';
import { epochSeconds } from '../../src/platform/clock.js';
import { Signer } from '../../src/platform/crypto/keyring.js';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, fromAddress, type TestUser } from '../support/oauth/users.js';
import { buildTestApp, type TestApp, testSecret } from '../support/server/app.js';
import { stopSystemClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
stopSystemClock(t);
const environment = { RATE_LIMIT_FAILURES: '1' };
const api = await buildTestApp(t, { database, environment });
const other = await buildTestApp(t, { database, clock: api.clock, environment });
const https = await buildTestApp(t, { database, environment: { BASE_URL: 'https://api.test' } });
const { clock } = api;

/** Failures per minute that are allowed for an address or a known browser, and for an e-mail address. */
const limit = 1;
const nameLimit = 5;
const cookieName = 'known_browser';

let lastAddress = 0;
/** A network address without failures. */
function nextAddress(): string {
  lastAddress += 1;
  return `198.51.${lastAddress >> 8}.${lastAddress & 255}`;
}

/** A browser at another address, with the cookie of a known browser if one is given. */
function browserWith(cookie?: string, server: TestApp = api): Browser {
  const browser = new Browser(fromAddress(server.app, nextAddress()));
  if (cookie !== undefined) browser.setCookie(cookieName, cookie);
  return browser;
}

async function signIn(
  email: string,
  password: string,
  { cookie, server }: { cookie?: string | undefined; server?: TestApp } = {},
): Promise<number> {
  return (await browserWith(cookie, server).signIn(email, password)).statusCode;
}

/** Signs in, and returns the cookie that identifies the browser from then on. */
async function cookieOf({ email, password }: TestUser, earlier?: string): Promise<string> {
  const browser = browserWith(earlier);
  const { statusCode } = await browser.signIn(email, password);
  const cookie = browser.cookies.get(cookieName);
  if (statusCode !== 303 || cookie === undefined) throw new Error(`No cookie: ${statusCode}`);
  return cookie;
}

/** Fails to sign in as a user from several networks, until the limit rejects unknown browsers. */
async function lockOut(t: Test, { email }: Pick<TestUser, 'email'>): Promise<void> {
  for (let time = 0; time < nameLimit; time += 1) {
    t.equal(await signIn(email, `wrong ${time}`, { server: time % 2 === 0 ? api : other }), 401);
  }
  t.equal(await signIn(email, 'wrong'), 429);
}

const limitEvents = (where: object) =>
  database.prisma.auditEvent.findMany({ where: { type: 'sign_in.rate_limited', ...where } });

t.test('signs a user in from a known browser while the limit of the name is reached', async (t) => {
  const { user } = await createScene(database);
  const cookie = await cookieOf(user);
  await lockOut(t, user);
  t.equal(await signIn(user.email, user.password), 429, 'not from an unknown browser');
  for (const server of [api, other])
    t.equal(await signIn(user.email, user.password, { cookie, server }), 303);
  t.equal(await signIn(user.email.toUpperCase(), 'wrong', { cookie }), 401);
});

t.test(
  'allows a known browser as many failures as an address, counted by all processes together',
  async (t) => {
    const { user } = await createScene(database);
    const cookie = await cookieOf(user);
    t.equal(await signIn(user.email, 'wrong', { cookie, server: other }), 401);
    for (const server of [api, other])
      t.equal(await signIn(user.email, user.password, { cookie, server }), 429);
    for (let time = 0; time < nameLimit; time += 1) t.equal(await signIn(user.email, 'wrong'), 401);
    t.equal(await signIn(user.email, 'wrong'), 429, 'its failures did not count for the e-mail address');
  },
);

t.test('counts each known browser of a user separately', async (t) => {
  const { user } = await createScene(database);
  const [one, another] = [await cookieOf(user), await cookieOf(user)];
  for (let time = 0; time < limit; time += 1) await signIn(user.email, 'wrong', { cookie: one });
  t.equal(await signIn(user.email, user.password, { cookie: one }), 429);
  t.equal(await signIn(user.email, user.password, { cookie: another }), 303);
});

t.test('does not count a success of a known browser', async (t) => {
  const { user } = await createScene(database);
  const cookie = await cookieOf(user);
  for (let time = 0; time < 2 * limit; time += 1) {
    t.equal(await signIn(user.email, user.password, { cookie }), 303);
  }
});

t.test('rejects a known browser at an address that has failed too often', async (t) => {
  const { user } = await createScene(database);
  const cookie = await cookieOf(user);
  const app = fromAddress(api.app, nextAddress());
  for (let time = 0; time < limit; time += 1) {
    await new Browser(app).signIn(`${randomId(8)}@users.example`, 'wrong');
  }
  const browser = new Browser(app);
  browser.setCookie(cookieName, cookie);
  t.equal((await browser.signIn(user.email, user.password)).statusCode, 429);
  t.equal(await signIn(user.email, user.password, { cookie }), 303);
});

t.test('does not count separately for a cookie that is forged, foreign, altered or expired', async (t) => {
  const { user, accountId } = await createScene(database);
  const colleague = await createUser(database, accountId);
  const cookie = await cookieOf(user);
  const [browserId = '', proof = ''] = cookie.split('.');
  const foreign = await cookieOf(colleague);
  const [issuedAt = '', mac = ''] = proof.split('~');
  await lockOut(t, user);
  const swapped = mac.startsWith('A') ? `B${mac.slice(1)}` : `A${mac.slice(1)}`;
  for (const [label, value] of [
    ['of a colleague', foreign],
    ['with the proof of a colleague', `${browserId}.${foreign.split('.')[1]}`],
    ['with the id of another browser', `${foreign.split('.')[0]}.${proof}`],
    ['without a proof', browserId],
    ['with another proof', `${browserId}.${issuedAt}~${swapped}`],
    ['with another time', `${browserId}.${Number(issuedAt) + 1}~${mac}`],
    ['truncated', cookie.slice(0, -1)],
    ['lengthened', `${cookie}A`],
    ['with more proofs than there can be', [browserId, ...Array(6).fill(proof)].join('.')],
    ['created with another secret', forged('another secret that is long enough', user.email)],
    ['that is the e-mail address', user.email],
    ['that is empty', ''],
    ['bytes that are not UTF-8', '%00%ff'],
  ] as const) {
    t.equal(await signIn(user.email, user.password, { cookie: value }), 429, label);
  }
  for (const genuine of [cookie, forged(testSecret, user.email)]) {
    t.equal(await signIn(user.email, user.password, { cookie: genuine }), 303, 'unlike a valid one');
  }
});

t.test('knows a browser for 400 days after the last sign-in', async (t) => {
  const { user } = await createScene(database);
  const cookie = await cookieOf(user);
  clock.advanceSeconds(knownSeconds - 1);
  const renewed = await cookieOf(user, cookie);
  await lockOut(t, user);
  t.equal(await signIn(user.email, user.password, { cookie }), 303);
  clock.advanceSeconds(1);
  t.equal(await signIn(user.email, user.password, { cookie }), 429);
  t.equal(await signIn(user.email, user.password, { cookie: renewed }), 303);
});

t.test('keeps the cookie at sign-out, out of reach of scripts, and without the name of a user', async (t) => {
  const { user } = await createScene(database);
  for (const [server, prefix] of [
    [api, ''],
    [https, '__Host-'],
  ] as const) {
    const browser = new Browser(fromAddress(server.app, nextAddress()));
    const response = await browser.signIn(user.email, user.password);
    const cookie = [response.headers['set-cookie'] ?? []]
      .flat()
      .find((text) => text.startsWith(`${prefix}${cookieName}=`));
    t.match(cookie, /; Max-Age=34560000; Path=\/; HttpOnly(; Secure)?; SameSite=Lax$/);
    t.equal(/; Secure/.test(String(cookie)), prefix !== '');
    const value = browser.cookies.get(`${prefix}${cookieName}`) ?? '';
    for (const name of [user.email, user.id, user.email.split('@')[0] ?? '']) {
      t.notOk(value.includes(name));
      for (const encoding of ['hex', 'base64url'] as const) {
        t.notOk(value.includes(Buffer.from(name).toString(encoding)));
        t.notOk(value.includes(createHash('sha256').update(name).digest(encoding)));
      }
    }
    const { csrf_token = '' } = hiddenFields((await browser.open('/people')).body);
    t.equal((await browser.submit('/sign_out', { csrf_token })).statusCode, 303);
    t.notOk(browser.cookies.has(`${prefix}session`));
    t.equal(browser.cookies.get(`${prefix}${cookieName}`), value);
    t.equal((await browser.open('/people')).statusCode, 303, 'it signs no user in');
  }
  const [one, another] = [await cookieOf(user), await cookieOf(user)];
  t.not(one.split('~')[1], another.split('~')[1], 'two browsers of a user have nothing in common');
});

t.test('with https a cookie without the prefix is ignored', async (t) => {
  const { user } = await createScene(database);
  const cookie = await cookieOf(user);
  await lockOut(t, user);
  const strict = await buildTestApp(t, {
    database,
    clock,
    environment: { ...environment, BASE_URL: 'https://api.test' },
  });
  t.equal(await signIn(user.email, user.password, { cookie, server: strict }), 429);
});

t.test('remembers the last users of a browser, and each of them once', async (t) => {
  const { accountId } = await createScene(database);
  const users = [];
  for (let time = 0; time <= maximumKnownUsers; time += 1) users.push(await createUser(database, accountId));
  let cookie: string | undefined;
  for (const user of users) cookie = await cookieOf(user, cookie);
  const [first, second, ...others] = users;
  if (first === undefined || second === undefined) throw new Error('There are no users');
  cookie = await cookieOf(second, cookie);
  t.equal(cookie.split('.').length, 1 + maximumKnownUsers);
  for (const user of [first, second, ...others.slice(0, 1)]) await lockOut(t, user);
  t.equal(await signIn(first.email, first.password, { cookie }), 429, 'the least recent user');
  for (const user of [second, ...others.slice(0, 1)]) {
    t.equal(await signIn(user.email, user.password, { cookie }), 303);
  }
});

t.test('audits the rejections of a name once a minute, however many there are', async (t) => {
  const { user, accountId } = await createScene(database);
  await lockOut(t, user);
  for (let time = 0; time < 2; time += 1) {
    t.equal(await signIn(user.email, 'wrong', { server: time % 2 === 0 ? api : other }), 429);
  }
  const events = await limitEvents({ accountId });
  t.equal(events.length, 1);
  t.match(events[0], { userId: user.id, address: /^198\.51\./, details: { limit_of: 'e-mail address' } });
  t.notMatch(JSON.stringify(events), user.email);
  await database.prisma.failureCount.updateMany({ data: { expire: new Date(Date.now() - 1) } });
  await lockOut(t, user);
  t.equal((await limitEvents({ accountId })).length, 2, 'again in the next minute');
});

t.test('audits the rejections of an address and of a known browser once a minute', async (t) => {
  const { user, accountId } = await createScene(database);
  const cookie = await cookieOf(user);
  for (let time = 0; time < limit + 2; time += 1) await signIn(user.email, 'wrong', { cookie });
  t.match(await limitEvents({ accountId }), [{ userId: user.id, details: { limit_of: 'browser' } }]);

  const address = nextAddress();
  for (let time = 0; time < limit + 2; time += 1) {
    await new Browser(fromAddress(api.app, address)).signIn(`${randomId(8)}@users.example`, 'wrong');
  }
  t.same(await limitEvents({ address }), []);
  t.match(await database.prisma.systemEvent.findMany({ where: { type: 'sign_in.rate_limited', address } }), [
    { details: { limit_of: 'network address' } },
  ]);
});

/** The cookie of an attacker who knows its format and signs with this secret. */
function forged(secret: string, email: string): string {
  const browserId = randomBytes(16).toString('base64url');
  const issuedAt = epochSeconds(clock);
  const signer = new Signer({ current: secret }, 'known-browsers');
  return `${browserId}.${issuedAt}~${signer.sign(`${browserId} ${issuedAt} ${email}`)}`;
}
