import { performance } from 'node:perf_hooks';
import type { LightMyRequestResponse } from 'fastify';
import t, { type Test } from 'tap';
import { randomId } from '../../src/database/ids.js';
import { hashPassword, maximumPasswordLength } from '../../src/services/passwords.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  fromAddress,
  hashOf,
  signedInBrowser,
  testPassword,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '3' } });
const https = await buildTestApp(t, { database, environment: { BASE_URL: 'https://api.test' } });
const { app } = api;

const home = '/people';
const setCookies = ({ headers }: LightMyRequestResponse): string[] => [headers['set-cookie'] ?? []].flat();
const nobody = () => `${randomId(10)}@users.example`;

let lastAddress = 0;
/** A network address that no other test has failed from. */
function nextAddress(): string {
  lastAddress += 1;
  return `198.51.100.${lastAddress}`;
}

/** What is the same for everybody on the page that refuses. */
function withoutPersonal({ body }: LightMyRequestResponse, email: string): string {
  return body.replaceAll(email, 'E-MAIL').replaceAll(/<input type="hidden"[^>]*>/g, '');
}

t.test('shows a form that loads nothing from elsewhere and is not stored', async (t) => {
  const page = await new Browser(app).open('/sign_in');
  t.equal(page.statusCode, 200);
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  t.equal(page.headers['cache-control'], 'no-store');
  t.match(page.headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/);
  t.equal(page.headers['x-frame-options'], 'DENY');
  t.match(page.body, /<input type="email" name="email"/);
  t.match(page.body, /<input type="password" name="password"/);
  t.notMatch(page.body, /<script|https?:\/\//);
});

/** Failures that `limited` allows in the name of one user: five times as many as from one address. */
const nameLimit = 15;

t.test('signs in with the right password, the e-mail address in any case', async (t) => {
  const { user } = await createScene(database);
  for (const email of [user.email, user.email.toUpperCase()]) {
    const answer = await new Browser(app).signIn(email, user.password);
    t.equal(answer.statusCode, 303);
    t.equal(answer.headers.location, home);
    t.equal(answer.headers['cache-control'], 'no-store');
  }
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 2);
});

t.test('a wrong password and an unknown address are answered alike', async (t) => {
  const { user } = await createScene(database);
  const disabled = await createScene(database);
  await database.prisma.user.updateMany({
    where: { id: disabled.user.id },
    data: { disabledAt: new Date() },
  });
  const stranger = nobody();
  const answers: [string, LightMyRequestResponse][] = [];
  for (const [email, password] of [
    [user.email, 'wrong'],
    [stranger, 'wrong'],
    [stranger, ''],
    [user.email, ''],
    [disabled.user.email, disabled.user.password],
    [user.email, `${user.password} `],
  ] as const) {
    const browser = new Browser(app);
    const answer = await browser.signIn(email, password);
    t.equal(answer.statusCode, 401, email);
    t.notOk(browser.cookies.has('session'));
    answers.push([email, answer]);
  }
  const [first, ...others] = answers.map(([email, answer]) => withoutPersonal(answer, email));
  for (const other of others) t.equal(other, first);
  const namesOf = ({ headers }: LightMyRequestResponse) => Object.keys(headers).toSorted();
  for (const [, answer] of answers) t.same(namesOf(answer), namesOf(answers[0]?.[1] ?? answer));
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 0);
});

t.test('an unknown address costs the work of a wrong password', async (t) => {
  const { accountId } = await createScene(database);
  const passwordHash = await hashPassword(testPassword);
  const known = await createUser(database, accountId, { passwordHash });
  const time = async (email: string) => {
    const browser = new Browser(app);
    const page = await browser.open('/sign_in');
    const start = performance.now();
    await browser.submitForm(page, '/sign_in', { email, password: 'wrong' });
    return performance.now() - start;
  };
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
  // The first of each is for whatever is prepared once.
  for (const email of [known.email, nobody()]) await time(email);
  const [knownTimes, unknownTimes]: [number[], number[]] = [[], []];
  for (let run = 0; run < 7; run += 1) {
    knownTimes.push(await time(known.email));
    unknownTimes.push(await time(nobody()));
  }
  const ratio = median(unknownTimes) / median(knownTimes);
  t.ok(ratio > 0.3 && ratio < 3, `${ratio}`);
});

t.test('a password that is too long is refused like a wrong one, a huge form with 413', async (t) => {
  const { accountId } = await createScene(database);
  const longest = 'p'.repeat(maximumPasswordLength);
  const user = await createUser(database, accountId, { passwordHash: await hashPassword(longest) });
  t.equal((await new Browser(app).signIn(user.email, longest)).statusCode, 303);
  for (const email of [user.email, nobody()]) {
    t.equal((await new Browser(app).signIn(email, `${longest}p`)).statusCode, 401);
    t.equal((await new Browser(app).signIn(email, 'p'.repeat(50_000))).statusCode, 401);
  }
  const huge = await new Browser(app).signIn(user.email, 'p'.repeat(70_000));
  t.equal(huge.statusCode, 413);
  t.match(huge.headers['content-type'], /^text\/html/);
});

t.test('repeated, empty, broken and foreign fields sign nobody in and break nothing', async (t) => {
  const { user } = await createScene(database);
  const browser = new Browser(app);
  const page = await browser.open('/sign_in');
  const { csrf_token = '' } = hiddenFields(page.body);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const good = new URLSearchParams({ csrf_token, email: user.email, password: user.password });
  const bodies: [string | Buffer, number][] = [
    [`${good}&email=x`, 401],
    [`${good}&password=x`, 401],
    [`${good}&password=${encodeURIComponent(user.password)}`, 401],
    [`csrf_token=${csrf_token}`, 401],
    [`csrf_token=${csrf_token}&email=&password=`, 401],
    [`csrf_token=${csrf_token}&email=a%00b&password=%00`, 401],
    [`csrf_token=${csrf_token}&email=${encodeURIComponent(`${user.email}\u0000`)}&password=x`, 401],
    [`csrf_token=${csrf_token}&__proto__=x&constructor=y&email=x&password=y`, 401],
    [`csrf_token=${csrf_token}&email=%FF&password=x`, 400],
    [`csrf_token=${csrf_token}&email=%E0%A4%A&password=x`, 400],
    [Buffer.from(`csrf_token=${csrf_token}&email=\xff&password=\xfe`, 'latin1'), 401],
  ];
  for (const [payload, status] of bodies) {
    const response = await app.inject({
      method: 'POST',
      url: '/sign_in',
      headers: { cookie, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
    t.equal(response.statusCode, status, String(payload));
    t.match(response.headers['content-type'], /^text\/html/);
    t.notMatch(setCookies(response).join(), /session=[^;]/);
  }
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 0);
});

t.test('what was typed comes back escaped, the password never', async (t) => {
  const email = `"><script>alert(1)</script>@x.example`;
  const answer = await new Browser(app).signIn(email, 'the password that was typed');
  t.equal(answer.statusCode, 401);
  t.notMatch(answer.body, /<script/);
  t.match(answer.body, '&lt;script');
  t.notMatch(answer.body, 'the password that was typed');
});

t.test('a session cookie that was planted before is not kept', async (t) => {
  const { user } = await createScene(database);
  const browser = new Browser(app);
  const planted = 'planted-by-somebody-else';
  browser.setCookie('session', planted);
  t.equal((await browser.signIn(user.email, user.password)).statusCode, 303);
  const session = browser.cookies.get('session') ?? '';
  t.not(session, planted);
  t.ok(Buffer.from(session, 'base64url').length >= 32, 'and not to be guessed');
  t.equal(await database.prisma.session.count({ where: { idHash: hashOf(planted) } }), 0);
  t.equal(await database.prisma.session.count({ where: { idHash: hashOf(session) } }), 1);
});

t.test("signing in over another's session ends that one", async (t) => {
  const scene = await createScene(database);
  const attacker = await createScene(database);
  const planted = (await signedInBrowser(api, attacker.user)).cookies.get('session') ?? '';
  const browser = new Browser(app);
  browser.setCookie('session', planted);
  const page = await browser.open(authorizationRequest(attacker).url);
  const { email, password } = scene.user;
  t.equal((await browser.submitForm(page, '/sign_in', { email, password })).statusCode, 303);
  t.not(browser.cookies.get('session'), planted);
  const left = await database.prisma.session.findMany({
    where: { userId: { in: [scene.user.id, attacker.user.id] } },
  });
  t.same(
    left.map(({ userId }) => userId),
    [scene.user.id],
  );
});

t.test('each signing in makes another session, of which the database has a hash only', async (t) => {
  const { user } = await createScene(database);
  const values = new Set<string>();
  for (let time = 0; time < 3; time += 1) {
    const browser = new Browser(app);
    await browser.signIn(user.email, user.password);
    values.add(browser.cookies.get('session') ?? '');
  }
  t.equal(values.size, 3);
  const rows = await database.prisma.session.findMany({ where: { userId: user.id } });
  t.same(
    rows.map(({ idHash }) => Buffer.from(idHash).toString('hex')).toSorted(),
    [...values].map((value) => hashOf(value).toString('hex')).toSorted(),
  );
});

t.test('cookies are for this server alone and out of reach of scripts', async (t) => {
  const { user } = await createScene(database);
  for (const [server, prefix, secure] of [
    [api, '', false],
    [https, '__Host-', true],
  ] as const) {
    const browser = new Browser(server.app);
    const page = await browser.open('/sign_in');
    const signedIn = await browser.submitForm(page, '/sign_in', {
      email: user.email,
      password: user.password,
    });
    t.equal(signedIn.statusCode, 303);
    const cookies = [...setCookies(page), ...setCookies(signedIn)];
    t.same(
      cookies.map((cookie) => cookie.split('=')[0]),
      [`${prefix}visitor`, `${prefix}session`, `${prefix}visitor`, `${prefix}known_browser`],
    );
    for (const cookie of cookies) {
      const flags = cookie.split('; ').slice(1);
      t.ok(flags.includes('HttpOnly'), cookie);
      t.ok(flags.includes('SameSite=Lax'), cookie);
      t.ok(flags.includes('Path=/'), cookie);
      t.equal(flags.includes('Secure'), secure, cookie);
      t.notOk(flags.some((flag) => flag.startsWith('Domain')));
    }
  }
});

t.test('behind https a session of a cookie without the prefix counts for nothing', async (t) => {
  const scene = await createScene(database);
  const browser = new Browser(https.app);
  browser.setCookie('session', (await signedInBrowser(https, scene.user)).cookies.get('session') ?? '');
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 302);
});

t.test('signing out ends the session on the server and deletes the cookie', async (t) => {
  const scene = await createScene(database);
  const browser = new Browser(app);
  await browser.signIn(scene.user.email, scene.user.password);
  const session = browser.cookies.get('session') ?? '';
  const elsewhere = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const answer = await browser.submitForm(await browser.open(url), '/sign_out', {});
  t.equal(answer.statusCode, 303);
  t.equal(answer.headers.location, '/sign_in');
  t.equal(answer.headers['cache-control'], 'no-store');
  t.notOk(browser.cookies.has('session'));
  t.equal(await database.prisma.session.count({ where: { idHash: hashOf(session) } }), 0);
  browser.setCookie('session', session);
  t.equal((await browser.open(url)).statusCode, 302, 'the kept cookie is worth nothing');
  t.equal((await elsewhere.open(url)).statusCode, 200, 'other browsers stay signed in');
});

t.test('a user who is disabled is signed out at the next request', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  t.equal((await browser.open(url)).statusCode, 200);
  await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { disabledAt: new Date() } });
  t.equal((await browser.open(url)).statusCode, 302);
  const again = await browser.signIn(scene.user.email, scene.user.password);
  t.equal(again.statusCode, 401);
});

t.test('who is signed in already is sent on', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const answer = await browser.open(`/sign_in?return_to=${encodeURIComponent(url)}`);
  t.equal(answer.statusCode, 303);
  t.equal(answer.headers.location, url);
  t.equal((await browser.open('/sign_in')).headers.location, home);
});

t.test('return_to leads to pages of this server', async (t) => {
  const { user } = await createScene(database);
  const addresses = [
    '/people',
    '/people?page=2',
    '/people/settings/oauth_applications',
    '/v1/oauth/authorize?state=a%20b%26c&scope=user%3Aread+reports%3Aread',
  ];
  for (const address of addresses) {
    const answer = await new Browser(app).signIn(user.email, user.password, address);
    t.equal(answer.headers.location, address);
  }
});

t.test('return_to survives a wrong password', async (t) => {
  const { user } = await createScene(database);
  const browser = new Browser(app);
  const again = await browser.signIn(user.email, 'wrong', '/people?page=2');
  t.equal(again.statusCode, 401);
  const { email, password } = user;
  const answer = await browser.submitForm(again, '/sign_in', { email, password });
  t.equal(answer.headers.location, '/people?page=2');
});

const openRedirects = [
  '//evil.example',
  '//evil.example/people',
  '///evil.example/people',
  '////evil.example/v1/oauth/authorize',
  'https://evil.example',
  'https://evil.example/v1/oauth/authorize',
  'https:evil.example/people',
  'https:/evil.example/people',
  'http://api.test@evil.example/people',
  'http://api.test.evil.example/people',
  '/\\evil.example',
  '/\\evil.example/people',
  '\\/evil.example/people',
  '\\\\evil.example/people',
  '\\evil.example',
  'javascript:alert(1)',
  'JavaScript:alert(1)//people',
  'data:text/html,x',
  'people',
  '?x=/people',
  '#/people',
  '',
  ' ',
  ' /people',
  '\t/people',
  '\t//evil.example/people',
  '/\t/evil.example/people',
  '/\n/evil.example/people',
  '/\r\n/evil.example/people',
  '/\t\\evil.example/people',
  '/people\r\nLocation: https://evil.example',
  '/people/..//evil.example',
  '/people/../..//evil.example',
  '/people/%2e%2e//evil.example',
  '/people/..\\\\evil.example',
  '/%2Fevil.example/people',
  '/%5Cevil.example/people',
  '%2F%2Fevil.example/people',
  '%2Fpeople',
  '/v1/oauth/authorize@evil.example',
  '/v1/oauth/authorize.evil.example',
  '/v1/oauth/authorize/',
  '/v1/oauth/authorize/../token',
  '/v1/oauth/authorize%2F..%2Ftoken',
  '/v1/oauth/authorizes',
  '/V1/oauth/authorize',
  '/v1/oauth/token',
  '/v1/oauth/revoke',
  '/v1/employees',
  '/sign_in',
  '/sign_out',
  '/errors',
  '/peopleevil',
  '/people@evil.example',
  '/people.evil.example',
  '/',
];

t.test('return_to leads nowhere else: everything else goes home', async (t) => {
  const { user } = await createScene(database);
  const signedIn = await signedInBrowser(api, user);
  for (const address of openRedirects) {
    const label = JSON.stringify(address);
    const page = await new Browser(app).open(`/sign_in?return_to=${encodeURIComponent(address)}`);
    t.equal(hiddenFields(page.body).return_to, home, `on the form: ${label}`);
    const sentOn = await signedIn.open(`/sign_in?return_to=${encodeURIComponent(address)}`);
    t.equal(ownPath(t, sentOn), home, `signed in: ${label}`);
    const browser = new Browser(app);
    const { csrf_token = '' } = hiddenFields((await browser.open('/sign_in')).body);
    const { email, password } = user;
    const form = { csrf_token, email, password, return_to: address };
    t.equal(ownPath(t, await browser.submit('/sign_in', form)), home, `in the form: ${label}`);
  }
});

/** The path that an answer leads to, which has to be on this server as a browser reads it. */
function ownPath(t: Test, { headers, statusCode }: LightMyRequestResponse): string {
  t.equal(statusCode, 303);
  const { location } = headers;
  const { origin, pathname } = new URL(String(location), 'http://api.test/sign_in');
  t.equal(origin, 'http://api.test');
  t.notMatch(location, /[\r\n\t]/);
  return pathname.split(/[\r\n]/)[0] ?? '';
}

t.test('return_to that is repeated or not percent-encoded text breaks nothing', async (t) => {
  for (const query of [
    'return_to=/people&return_to=//evil.example',
    'return_to[]=x',
    'return_to=%FF',
    'return_to=%',
  ]) {
    const page = await new Browser(app).open(`/sign_in?${query}`);
    t.ok([200, 400].includes(page.statusCode), `${query} ${page.statusCode}`);
    if (page.statusCode === 200) t.equal(hiddenFields(page.body).return_to, home, query);
  }
});

/** Tries to sign in from a network address. */
const attempt = (address: string, email: string, password: string, server = limited) =>
  new Browser(fromAddress(server.app, address)).signIn(email, password);

/** Expects that an attempt was not even judged. */
function throttled(t: Test, response: LightMyRequestResponse): void {
  t.equal(response.statusCode, 429);
  t.match(response.headers['content-type'], /^text\/html/);
  const seconds = Number(response.headers['retry-after']);
  t.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${response.headers['retry-after']}`);
  t.notMatch(setCookies(response).join(), /session=[^;]/);
}

t.test(
  'after as many failures as are allowed an e-mail address is rejected from every network',
  async (t) => {
    const { user, accountId } = await createScene(database);
    const colleague = await createUser(database, accountId);
    for (let time = 0; time < nameLimit; time += 1) {
      const email = time % 2 === 0 ? user.email : user.email.toUpperCase();
      t.equal((await attempt(nextAddress(), email, 'wrong')).statusCode, 401);
    }
    throttled(t, await attempt(nextAddress(), user.email, user.password));
    throttled(t, await attempt(nextAddress(), user.email.toUpperCase(), 'wrong'));
    t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 0);
    t.equal((await attempt(nextAddress(), colleague.email, colleague.password)).statusCode, 303);
  },
);

t.test('after as many failures as are allowed a network address is refused for everybody', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  for (let time = 0; time < 3; time += 1) {
    t.equal((await attempt(address, nobody(), 'wrong')).statusCode, 401);
  }
  throttled(t, await attempt(address, user.email, user.password));
  throttled(t, await attempt(address, nobody(), 'wrong'));
  t.equal((await attempt(nextAddress(), user.email, user.password)).statusCode, 303);
});

t.test('a network address that is refused keeps no user out', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  for (let time = 0; time < 3; time += 1) await attempt(address, nobody(), 'wrong');
  for (let time = 0; time < 5; time += 1) throttled(t, await attempt(address, user.email, 'wrong'));
  t.equal((await attempt(nextAddress(), user.email, user.password)).statusCode, 303);
});

t.test('all IPv6 addresses of a network are one, and others are others', async (t) => {
  const { user } = await createScene(database);
  for (let time = 0; time < 3; time += 1)
    t.equal((await attempt(`2001:db8:0:7::${time}`, nobody(), 'wrong')).statusCode, 401);
  throttled(t, await attempt('2001:db8:0:7:ffff::1', user.email, user.password));
  t.equal((await attempt('2001:db8:0:8::1', user.email, user.password)).statusCode, 303);
  const { address } = await database.prisma.auditEvent.findFirstOrThrow({
    where: { userId: user.id, type: 'sign_in.succeeded' },
  });
  t.equal(address, '2001:db8:0:8::1', 'the audit log has the whole address');
});

t.test('an unknown e-mail address is throttled as a known one is', async (t) => {
  const email = nobody();
  for (let time = 0; time < nameLimit; time += 1) {
    t.equal((await attempt(nextAddress(), email, 'wrong')).statusCode, 401);
  }
  throttled(t, await attempt(nextAddress(), email, 'wrong'));
});

t.test('all processes count together', async (t) => {
  const other = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '3' } });
  const { user } = await createScene(database);
  for (let time = 0; time < nameLimit; time += 1) {
    const server = time % 2 === 0 ? limited : other;
    t.equal((await attempt(nextAddress(), user.email, 'wrong', server)).statusCode, 401);
  }
  throttled(t, await attempt(nextAddress(), user.email, user.password, other));
});

t.test('attempts at once are counted one by one: no more are judged than are allowed', async (t) => {
  const { user } = await createScene(database);
  const responses = await Promise.all(
    Array.from({ length: 2 * nameLimit }, (_, index) => attempt(nextAddress(), user.email, `wrong ${index}`)),
  );
  const judged = responses.filter(({ statusCode }) => statusCode === 401);
  t.ok(judged.length <= nameLimit, `${judged.length} were judged`);
});

t.test('success is not counted', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  for (let time = 0; time < 5; time += 1) {
    t.equal((await attempt(address, user.email, user.password)).statusCode, 303);
  }
});

t.test('counting begins anew when the minute is over', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  const fail = async () => (await attempt(address, user.email, 'wrong')).statusCode;
  t.same([await fail(), await fail(), await fail(), await fail()], [401, 401, 401, 429]);
  // The limiter looks at the clock of the wall, so that the rows are moved instead.
  await database.prisma.failureCount.updateMany({ data: { expire: new Date(Date.now() - 1) } });
  t.equal((await attempt(address, user.email, user.password)).statusCode, 303);
  t.same([await fail(), await fail(), await fail(), await fail()], [401, 401, 401, 429]);
});

t.test('being refused does not make the wait longer', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  for (let time = 0; time < 3; time += 1) await attempt(address, user.email, 'wrong');
  const rows = () =>
    database.prisma.failureCount.findMany({ select: { key: true, expire: true }, orderBy: { key: 'asc' } });
  const before = await rows();
  for (let time = 0; time < 3; time += 1) throttled(t, await attempt(address, user.email, 'wrong'));
  t.same(await rows(), before);
  t.notOk(JSON.stringify(before).includes(user.email), 'nor does the table say who it was');
});

t.test('RATE_LIMIT_FAILURES=0 allows any number', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  for (let time = 0; time < 12; time += 1) {
    t.equal((await attempt(address, user.email, 'wrong', api)).statusCode, 401);
  }
  t.equal((await attempt(address, user.email, user.password, api)).statusCode, 303);
});
