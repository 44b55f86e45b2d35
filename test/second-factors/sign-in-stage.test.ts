import { countDailyFailure } from '../../src/platform/limits/failure-limit.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { authorizationRequest, createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import {
  appPath,
  codeAt,
  enterPassword,
  factorsPath,
  recoveryCodesOn,
  secretOn,
  securityPath,
  setUpApp,
  stepPath,
} from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { clock } = api;

const profile = '/people/settings/account/profile';

t.test('a session without its second factor can neither open pages nor submit forms', async (t) => {
  const scene = await createScene(database);
  const { user } = scene;
  await setUpApp(api, user);
  const { browser, page } = await enterPassword(api, user);
  isPage(t, page);
  const authorize = authorizationRequest(scene).url;
  for (const address of [
    '/people',
    '/people/settings',
    profile,
    factorsPath,
    appPath,
    securityPath,
    authorize,
  ]) {
    const response = await browser.open(address);
    t.match(response.statusCode.toString(), /^30[23]$/, address);
    t.match(String(response.headers.location), /^\/sign_in\?return_to=/, address);
  }
  const fields = hiddenFields(page.body);
  for (const address of [factorsPath, appPath, `${appPath}/remove`, securityPath, authorize]) {
    const response = await browser.submit(address, { ...fields, decision: 'allow', given_name: 'Eve' });
    t.notMatch(response.statusCode.toString(), /^2/, address);
    t.notMatch(String(response.headers.location), /code=/, address);
  }
  await browser.submit(profile, { ...fields, given_name: 'Eve', family_name: 'Eve' });
  t.equal((await database.prisma.user.findFirstOrThrow({ where: { id: user.id } })).givenName, 'Ada');
  expectRedirect(t, await browser.open('/sign_in'), stepPath);
});

t.test('a session is listed only when its second factor is completed', async (t) => {
  const { user } = await createScene(database);
  const { browser: first, secret } = await setUpApp(api, user);
  const listed = async () =>
    ((await first.open('/people/settings/account')).body.match(/Unknown browser/g) ?? []).length;
  clock.advanceSeconds(60);
  const { browser, page } = await enterPassword(api, user);
  t.equal(await listed(), 1, 'waits for the second factor');
  await browser.submitForm(page, stepPath, { code: codeAt(api, secret) });
  t.equal(await listed(), 2, 'is complete');
});

t.test('a sign-in is recorded only when its second factor is completed, within ten minutes', async (t) => {
  const { user, accountId } = await createScene(database);
  const { secret } = await setUpApp(api, user);
  clock.advanceSeconds(60);
  const lastSignIn = async () =>
    (await database.prisma.user.findFirstOrThrow({ where: { id: user.id } })).lastSignInAt?.getTime();
  const before = await lastSignIn();
  const { browser, page } = await enterPassword(api, user);
  t.equal(await lastSignIn(), before);
  clock.advanceSeconds(599);
  isPage(t, await browser.open(stepPath));
  clock.advanceSeconds(1);
  const late = await browser.submitForm(page, stepPath, { code: codeAt(api, secret) });
  expectRedirect(t, late, /^\/sign_in\?return_to=/);
  const step = await enterPassword(api, user);
  expectRedirect(
    t,
    await step.browser.submitForm(step.page, stepPath, { code: codeAt(api, secret) }),
    '/people',
  );
  t.equal(await lastSignIn(), clock().getTime());

  const events = await database.prisma.auditEvent.findMany({
    where: { accountId, userId: user.id },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const types = events.map(({ type }) => type);
  t.equal(types.filter((type) => type === 'sign_in.password_accepted').length, 2);
  t.equal(types.filter((type) => type === 'sign_in.succeeded').length, 1);
  t.notMatch(JSON.stringify(events), secret);
  t.ok(events.every(({ address }) => address === '127.0.0.1'));
});

t.test('a wrong password gets the same response with and without a second factor', async (t) => {
  const { user } = await createScene(database);
  const { user: other } = await createScene(database);
  await setUpApp(api, user);
  const [one, two] = await Promise.all(
    [user, other].map(async ({ email }) => {
      const { statusCode, body } = await new Browser(api.app).signIn(email, 'wrong');
      return [statusCode, body.replaceAll(email, '').replaceAll(/value="[^"]*"|data-options="[^"]*"/g, '')];
    }),
  );
  t.same(one, two);
});

t.test('a revoked session cannot be completed', async (t) => {
  const { user, accountId } = await createScene(database);
  const { secret, browser: complete } = await setUpApp(api, user);
  clock.advanceSeconds(60);
  const waiting = await enterPassword(api, user);
  const account = await complete.open('/people/settings/account');
  await complete.submitForm(account, '/people/settings/account/sessions', {});
  const response = await waiting.browser.submitForm(waiting.page, stepPath, { code: codeAt(api, secret) });
  expectRedirect(t, response, /^\/sign_in/);
  const again = await enterPassword(api, user);
  await database.prisma.user.updateMany({ where: { id: user.id, accountId }, data: { disabledAt: clock() } });
  expectRedirect(
    t,
    await again.browser.submitForm(again.page, stepPath, { code: codeAt(api, secret) }),
    /^\/sign_in/,
  );
});

t.test('an authorization request continues after the second factor and after its setup', async (t) => {
  const scene = await createScene(database);
  const { url, parameters } = authorizationRequest(scene);
  const { secret } = await setUpApp(api, scene.user);
  clock.advanceSeconds(60);
  const { browser, page } = await enterPassword(api, scene.user, url);
  const signedIn = await browser.submitForm(page, stepPath, { code: codeAt(api, secret) });
  expectRedirect(t, signedIn, /^\/v1\/oauth\/authorize\?/);
  const allow = async (from: Browser, address: string) =>
    from.submitForm(await from.open(address), address, { decision: 'allow' });
  const code = await allow(browser, String(signedIn.headers.location));
  t.equal(new URL(String(code.headers.location)).searchParams.get('state'), parameters.state);

  await database.prisma.account.updateMany({
    where: { id: scene.accountId },
    data: { secondFactorPolicy: 'all' },
  });
  const fresh = await createUser(database, scene.accountId);
  const enrolment = await enterPassword(api, fresh, url);
  t.match(String(enrolment.response.headers.location), /^\/people\/settings\/account\/second_factor\?/);
  t.match(enrolment.page.body, /requires a second factor/);
  const [, app = ''] = /href="([^"]*second_factor\/app[^"]*)"/.exec(enrolment.page.body) ?? [];
  const form = await enrolment.browser.open(app.replaceAll('&amp;', '&'));
  const saved = await enrolment.browser.submitForm(form, appPath, { code: codeAt(api, secretOn(form)) });
  isPage(t, saved);
  t.equal(recoveryCodesOn(saved).length, 10);
  const [, next = ''] = /href="(\/v1\/oauth\/authorize[^"]*)"/.exec(saved.body) ?? [];
  const granted = await allow(enrolment.browser, next.replaceAll('&amp;', '&'));
  t.equal(new URL(String(granted.headers.location)).searchParams.get('state'), parameters.state);
});

t.test('the form of an expired session is kept through the second factor, for its user only', async (t) => {
  const { user, accountId } = await createScene(database);
  const { browser, secret } = await setUpApp(api, user);
  const form = await browser.open(profile);
  const entered = { given_name: 'Grace', family_name: 'Hopper' };
  clock.advanceSeconds(7201);
  const signIn = await browser.submitForm(form, profile, entered);
  t.equal(signIn.statusCode, 401);
  const { email, password } = user;
  const step = await browser.submitForm(signIn, '/sign_in', { email, password });
  isPage(t, step);
  const wrong = await browser.submitForm(step, stepPath, { code: '000000' });
  const kept = await browser.submitForm(wrong, stepPath, { code: codeAt(api, secret) });
  isPage(t, kept);
  t.match(kept.body, /You are signed in again/);
  const restored = await browser.submitForm(kept, profile, {});
  t.match(restored.body, 'value="Grace"');

  const other = await createUser(database, accountId);
  const { secret: otherSecret } = await setUpApp(api, other);
  clock.advanceSeconds(7201);
  const again = await browser.submitForm(restored, profile, entered);
  const theirs = await browser.submitForm(again, '/sign_in', {
    email: other.email,
    password: other.password,
  });
  expectRedirect(t, theirs, stepPath);
  const page = await browser.open(String(theirs.headers.location));
  const done = await browser.submitForm(page, stepPath, { code: codeAt(api, otherSecret) });
  expectRedirect(t, done, profile, 'the form of the other user is discarded');
});

t.test('wrong codes are limited for the user', async (t) => {
  const limited = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '3' } });
  const { user, accountId } = await createScene(database);
  const { secret } = await setUpApp(limited, user);
  clock.advanceSeconds(60);
  const { browser, page } = await enterPassword(limited, user);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    isPage(t, await browser.submitForm(page, stepPath, { code: '000000' }), 401);
  }
  const rejected = await browser.submitForm(page, stepPath, { code: codeAt(api, secret) });
  isPage(t, rejected, 429);
  t.match(rejected.headers['retry-after'], /^\d+$/);
  const events = await database.prisma.auditEvent.findMany({ where: { accountId, userId: user.id } });
  const count = (type: string) => events.filter((event) => event.type === type).length;
  t.equal(count('second_factor.failed'), 3);
  t.equal(count('second_factor.rate_limited'), 1);
});

t.test('after a factor is added, the other sessions of the user require it', async (t) => {
  const { user } = await createScene(database);
  const other = await signedInBrowser(api, user);
  isPage(t, await other.open('/people'));
  await setUpApp(api, user);
  expectRedirect(t, await other.open('/people'), /^\/sign_in/);
});

t.test('after a hundred wrong codes in a day, only recovery codes are accepted', async (t) => {
  const { user } = await createScene(database);
  const { secret, codes } = await setUpApp(api, user);
  clock.advanceSeconds(60);
  const failures = { kind: 'second factor', userId: user.id } as const;
  for (let time = 0; time < 99; time += 1) await countDailyFailure(database.prisma, failures, clock());
  clock.advanceSeconds(1800);
  const wrong = await enterPassword(api, user);
  isPage(t, await wrong.browser.submitForm(wrong.page, stepPath, { code: '000000' }), 401);

  const limited = await enterPassword(api, user);
  const right = { code: codeAt(api, secret) };
  const rejected = await limited.browser.submitForm(limited.page, stepPath, right);
  isPage(t, rejected, 429);
  t.match(rejected.body, /Use a passkey or a recovery code, or try again in 1410 minutes/);
  t.equal(rejected.headers['retry-after'], String(86_400 - 1800));
  const spaced = { code: ` ${right.code.slice(0, 3)} ${right.code.slice(3)}` };
  isPage(t, await limited.browser.submitForm(limited.page, stepPath, spaced), 429);
  expectRedirect(
    t,
    await limited.browser.submitForm(limited.page, stepPath, { code: codes[0] ?? '' }),
    '/people',
  );

  clock.advanceSeconds(86_400 - 1801);
  const early = await enterPassword(api, user);
  const late = { code: codeAt(api, secret) };
  isPage(t, await early.browser.submitForm(early.page, stepPath, late), 429);
  clock.advanceSeconds(1);
  expectRedirect(
    t,
    await early.browser.submitForm(early.page, stepPath, { code: codeAt(api, secret) }),
    '/people',
  );
});

t.test('a second factor renews the session id: the earlier id is not accepted', async (t) => {
  const { user } = await createScene(database);
  const { secret } = await setUpApp(api, user);
  clock.advanceSeconds(60);
  const { browser, page } = await enterPassword(api, user);
  const earlier = browser.cookies.get('session') ?? '';
  expectRedirect(t, await browser.submitForm(page, stepPath, { code: codeAt(api, secret) }), '/people');
  t.not(browser.cookies.get('session'), earlier);
  isPage(t, await browser.open('/people'));
  const attacker = new Browser(api.app);
  attacker.setCookie('session', earlier);
  for (const address of ['/people', stepPath])
    expectRedirect(t, await attacker.open(address), /^\/sign_in\?return_to=/);
  const sessions = await database.prisma.session.findMany({
    where: { userId: user.id },
    orderBy: { createdAt: 'desc' },
  });
  t.equal(sessions.length, 2, 'the session was replaced');
  t.ok(sessions[0]?.secondFactorAt);
});

t.test(
  'the setup of a second factor renews the session id, and its page has the new CSRF token',
  async (t) => {
    const { user } = await createScene(database);
    const browser = await signedInBrowser(api, user);
    const page = await browser.open(appPath);
    const earlier = browser.cookies.get('session') ?? '';
    const saved = await browser.submitForm(page, appPath, { code: codeAt(api, secretOn(page)) });
    t.not(browser.cookies.get('session'), earlier);
    const attacker = new Browser(api.app);
    attacker.setCookie('session', earlier);
    expectRedirect(t, await attacker.open('/people'), /^\/sign_in\?return_to=/);
    expectRedirect(t, await browser.submitForm(saved, '/sign_out', {}), '/sign_in');
  },
);
