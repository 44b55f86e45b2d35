import type { LightMyRequestResponse } from 'fastify';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { authorizationRequest, createScene, hashOf, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const https = await buildTestApp(t, { database, environment: { BASE_URL: 'https://api.test' } });
const { app } = api;

const setCookies = ({ headers }: LightMyRequestResponse): string[] => [headers['set-cookie'] ?? []].flat();

t.test('replaces a session cookie that was planted before sign-in', async (t) => {
  const { user } = await createScene(database);
  const browser = new Browser(app);
  const planted = 'planted-by-somebody-else';
  browser.setCookie('session', planted);
  t.equal((await browser.signIn(user.email, user.password)).statusCode, 303);
  const session = browser.cookies.get('session') ?? '';
  t.not(session, planted);
  t.ok(Buffer.from(session, 'base64url').length >= 32, 'ids are not predictable');
  t.equal(await database.prisma.session.count({ where: { idHash: hashOf(planted) } }), 0);
  t.equal(await database.prisma.session.count({ where: { idHash: hashOf(session) } }), 1);
});

t.test('signing in over the session of another user revokes that session', async (t) => {
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

t.test('each sign-in creates another session, stored as a hash only', async (t) => {
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

t.test('cookies are HttpOnly, SameSite and for this host only', async (t) => {
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
      [`${prefix}visitor`, `${prefix}known_browser`, `${prefix}session`],
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

t.test('with https a session cookie without the prefix is ignored', async (t) => {
  const scene = await createScene(database);
  const browser = new Browser(https.app);
  browser.setCookie('session', (await signedInBrowser(https, scene.user)).cookies.get('session') ?? '');
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 302);
});

t.test('signing out revokes the session on the server and deletes the cookie', async (t) => {
  const scene = await createScene(database);
  const browser = new Browser(app);
  await browser.signIn(scene.user.email, scene.user.password);
  const session = browser.cookies.get('session') ?? '';
  const elsewhere = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const response = await browser.submitForm(await browser.open(url), '/sign_out', {});
  t.equal(response.statusCode, 303);
  t.equal(response.headers.location, '/sign_in');
  t.equal(response.headers['cache-control'], 'no-store');
  t.notOk(browser.cookies.has('session'));
  t.equal(await database.prisma.session.count({ where: { idHash: hashOf(session) } }), 0);
  browser.setCookie('session', session);
  t.equal((await browser.open(url)).statusCode, 302, 'the saved cookie is not accepted');
  t.equal((await elsewhere.open(url)).statusCode, 200, 'other browsers stay signed in');
});
