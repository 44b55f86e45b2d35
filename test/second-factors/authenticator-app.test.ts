import { expectRedirect, isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import {
  appPath,
  codeAt,
  enterPassword,
  factorsPath,
  recoveryCodesOn,
  secretOn,
  setUpApp,
  stepPath,
} from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { clock } = api;

const factorOf = (userId: string) => database.prisma.totpFactor.findFirst({ where: { userId } });

t.test('the first correct code stores the encrypted secret, and shows ten recovery codes once', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const page = await browser.open(appPath);
  isPage(t, page);
  const secret = secretOn(page);
  t.match(secret, /^[A-Z2-7]{32}$/, '160 bits');
  t.equal(await factorOf(user.id), null, 'opening the page stores nothing');

  const wrong = await browser.submitForm(page, appPath, { code: '000000' });
  isPage(t, wrong, 400);
  t.match(wrong.body, /The code is incorrect/);
  t.equal(secretOn(wrong), secret, 'the same secret again');
  t.equal(await factorOf(user.id), null);

  const saved = await browser.submitForm(wrong, appPath, { code: codeAt(api, secret) });
  isPage(t, saved);
  t.equal(recoveryCodesOn(saved).length, 10);
  const row = await factorOf(user.id);
  t.notMatch(row?.sealedSecret, secret);
  t.equal((await browser.open(factorsPath)).statusCode, 200, 'the session stays');
  t.notMatch((await browser.open(factorsPath)).body, recoveryCodesOn(saved)[0]);
});

t.test('the form of a setup is valid for thirty minutes, and for its user only', async (t) => {
  const { user, accountId } = await createScene(database);
  const other = await createUser(database, accountId);
  const browser = await signedInBrowser(api, user);
  const page = await browser.open(appPath);
  const secret = secretOn(page);
  const foreign = await signedInBrowser(api, other);
  const [, token = ''] = /name="set_up" value="([^"]*)"/.exec(page.body) ?? [];
  const own = await foreign.open(appPath);
  const stolen = await foreign.submitForm(own, appPath, { set_up: token, code: codeAt(api, secret) });
  isPage(t, stolen, 400);
  t.match(stolen.body, /This form has expired/);
  for (const set_up of ['', 'x', `${token}x`]) {
    isPage(t, await foreign.submitForm(own, appPath, { set_up, code: '123456' }), 400, set_up);
  }
  t.equal(await factorOf(other.id), null);
  clock.advanceSeconds(1801);
  const later = { code: codeAt(api, secret), confirm_password: user.password };
  const expired = await browser.submitForm(page, appPath, later);
  isPage(t, expired, 400);
  t.match(expired.body, /This form has expired/);
  t.not(secretOn(expired), secret);
});

t.test('a code is valid up to thirty seconds early or late', async (t) => {
  const { user } = await createScene(database);
  const { secret } = await setUpApp(api, user);
  for (const [laterSeconds, accepted] of [
    [-60, false],
    [-30, true],
    [30, true],
    [60, false],
  ] as const) {
    clock.advanceSeconds(120);
    const { browser, page } = await enterPassword(api, user);
    const response = await browser.submitForm(page, stepPath, {
      code: codeAt(api, secret, { laterSeconds }),
    });
    if (accepted) expectRedirect(t, response, '/people', `${laterSeconds} s`);
    else isPage(t, response, 401, `${laterSeconds} s`);
  }
});

t.test('a code is valid once, and invalidates all codes before it', async (t) => {
  const { user } = await createScene(database);
  const { secret } = await setUpApp(api, user);
  const first = await enterPassword(api, user);
  isPage(t, await first.browser.submitForm(first.page, stepPath, { code: codeAt(api, secret) }), 401);
  clock.advanceSeconds(30);
  const code = codeAt(api, secret);
  const written = `${code.slice(0, 3)} ${code.slice(3)}`;
  expectRedirect(t, await first.browser.submitForm(first.page, stepPath, { code: written }), '/people');
  const second = await enterPassword(api, user);
  for (const used of [code, codeAt(api, secret, { laterSeconds: -30 })]) {
    const response = await second.browser.submitForm(second.page, stepPath, { code: used });
    isPage(t, response, 401);
    t.match(response.body, /Incorrect code/);
  }
});

t.test('one of several sessions that submit a code concurrently is signed in', async (t) => {
  const { user } = await createScene(database);
  const { secret } = await setUpApp(api, user);
  clock.advanceSeconds(60);
  const steps = await Promise.all(Array.from({ length: 6 }, () => enterPassword(api, user)));
  const code = codeAt(api, secret);
  const responses = await Promise.all(
    steps.map(({ browser, page }) => browser.submitForm(page, stepPath, { code })),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 303).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 401).length, 5);
  const complete = { userId: user.id, secondFactorAt: { not: null }, createdAt: clock() };
  t.equal(await database.prisma.session.count({ where: complete }), 1);
});

t.test('a new setup replaces the secret, and the secret of another user cannot be copied', async (t) => {
  const { user, accountId } = await createScene(database);
  const old = await setUpApp(api, user);
  clock.advanceSeconds(60);
  const page = await old.browser.open(appPath);
  const secret = secretOn(page);
  expectRedirect(
    t,
    await old.browser.submitForm(page, appPath, { code: codeAt(api, secret) }),
    /notice=app_added$/,
  );
  clock.advanceSeconds(60);
  const step = await enterPassword(api, user);
  isPage(t, await step.browser.submitForm(step.page, stepPath, { code: codeAt(api, old.secret) }), 401);
  expectRedirect(
    t,
    await step.browser.submitForm(step.page, stepPath, { code: codeAt(api, secret) }),
    '/people',
  );

  const other = await createUser(database, accountId);
  const row = await database.prisma.totpFactor.findFirstOrThrow({ where: { userId: user.id } });
  await database.prisma.totpFactor.create({ data: { ...row, userId: other.id } });
  clock.advanceSeconds(60);
  const foreign = await enterPassword(api, other);
  const response = await foreign.browser.submitForm(foreign.page, stepPath, { code: codeAt(api, secret) });
  t.equal(response.statusCode, 500, 'write access to the database does not permit signing in');
});
