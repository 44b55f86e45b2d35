import type { LightMyRequestResponse } from 'fastify';
import { hashPassword, maximumPasswordLength } from '../../src/platform/accounts/passwords.js';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { app } = api;

const unknownAddress = () => `${randomId(10)}@users.example`;
const setCookies = ({ headers }: LightMyRequestResponse): string[] => [headers['set-cookie'] ?? []].flat();

/** The page of a rejected sign-in, without the parts that differ for each request. */
function withoutPersonal({ body }: LightMyRequestResponse, email: string): string {
  return body
    .replaceAll(email, 'E-MAIL')
    .replaceAll(/<input type="hidden"[^>]*>/g, '')
    .replaceAll(/challenge&quot;:&quot;[\w-]+/g, 'challenge');
}

t.test('shows a form that loads nothing from other sites and is not cached', async (t) => {
  const page = await new Browser(app).open('/sign_in');
  t.equal(page.statusCode, 200);
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  t.equal(page.headers['cache-control'], 'no-store');
  t.match(page.headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/);
  t.equal(page.headers['x-frame-options'], 'DENY');
  t.match(page.body, /<input type="email" name="email"/);
  t.match(page.body, /<input type="password" name="password"/);
  t.same(page.body.match(/<script[^>]*/g)?.length, 1, 'the script for passkeys');
  t.match(page.body, /<script src="\/assets\/passkey.js/);
  t.notMatch(page.body, /https?:\/\//);
});

t.test('signs in with the right password and the e-mail address in any case', async (t) => {
  const { user } = await createScene(database);
  for (const email of [user.email, user.email.toUpperCase()]) {
    const response = await new Browser(app).signIn(email, user.password);
    t.equal(response.statusCode, 303);
    t.equal(response.headers.location, '/people/home');
    t.equal(response.headers['cache-control'], 'no-store');
  }
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 2);
});

t.test('a wrong password and an unknown address get the same response', async (t) => {
  const { user } = await createScene(database);
  const disabled = await createScene(database);
  await database.prisma.user.updateMany({
    where: { id: disabled.user.id },
    data: { disabledAt: new Date() },
  });
  const stranger = unknownAddress();
  const responses: [string, LightMyRequestResponse][] = [];
  for (const [email, password] of [
    [user.email, 'wrong'],
    [stranger, 'wrong'],
    [stranger, ''],
    [user.email, ''],
    [disabled.user.email, disabled.user.password],
    [user.email, `${user.password} `],
  ] as const) {
    const browser = new Browser(app);
    const response = await browser.signIn(email, password);
    t.equal(response.statusCode, 401, email);
    t.notOk(browser.cookies.has('session'));
    responses.push([email, response]);
  }
  const [first, ...others] = responses.map(([email, response]) => withoutPersonal(response, email));
  for (const other of others) t.equal(other, first);
  const namesOf = ({ headers }: LightMyRequestResponse) => Object.keys(headers).toSorted();
  for (const [, response] of responses) t.same(namesOf(response), namesOf(responses[0]?.[1] ?? response));
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 0);
});

t.test('an overlong password gets the response of a wrong one, and an oversized form gets 413', async (t) => {
  const { accountId } = await createScene(database);
  const longest = 'p'.repeat(maximumPasswordLength);
  const user = await createUser(database, accountId, { passwordHash: await hashPassword(longest) });
  t.equal((await new Browser(app).signIn(user.email, longest)).statusCode, 303);
  for (const email of [user.email, unknownAddress()]) {
    t.equal((await new Browser(app).signIn(email, `${longest}p`)).statusCode, 401);
    t.equal((await new Browser(app).signIn(email, 'p'.repeat(50_000))).statusCode, 401);
  }
  const huge = await new Browser(app).signIn(user.email, 'p'.repeat(70_000));
  t.equal(huge.statusCode, 413);
  t.match(huge.headers['content-type'], /^text\/html/);
});

t.test('rejects a sign-in with repeated, empty, malformed or unknown fields', async (t) => {
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

t.test('shows the typed address again escaped, and never the password', async (t) => {
  const email = `"><script>alert(1)</script>@x.example`;
  const response = await new Browser(app).signIn(email, 'the password that was typed');
  t.equal(response.statusCode, 401);
  t.notMatch(response.body, /<script>/);
  t.match(response.body, '&lt;script');
  t.notMatch(response.body, 'the password that was typed');
});
