import type { LightMyRequestResponse } from 'fastify';
import { Browser } from '../../support/browser/browser.js';
import { openTestDatabase } from '../../support/database/database.js';
import { authorizationRequest, createScene } from '../../support/oauth/users.js';
import { buildTestApp, type TestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);

/** Every cookie that the pages set: before sign-in, during a session and after sign-out. */
async function cookiesOf({ app }: TestApp): Promise<string[]> {
  const scene = await createScene(database);
  const { email, password } = scene.user;
  const browser = new Browser(app);
  const { url } = authorizationRequest(scene);
  const responses: LightMyRequestResponse[] = [
    await browser.open('/sign_in'),
    await browser.signIn(email, 'a wrong password'),
    await browser.signIn(email, password),
    await browser.open('/people'),
    await browser.open('/people/settings/oauth_applications'),
    await browser.open('/people/settings/connected_applications'),
    await browser.open('/people/settings/audit_log'),
  ];
  const consent = await browser.open(url);
  responses.push(consent, await browser.submitForm(consent, url, { decision: 'allow' }));
  const page = await browser.open('/people');
  responses.push(page, await browser.submitForm(page, '/sign_out', {}), await browser.open('/sign_in'));
  return responses.flatMap(({ headers }) => headers['set-cookie'] ?? []);
}

const nameOf = (cookie: string) => cookie.slice(0, cookie.indexOf('='));

t.test('every cookie has the prefix __Host- when BASE_URL is https://', async (t) => {
  const environment = { BASE_URL: 'https://api.test', RATE_LIMIT_FAILURES: '0' };
  const cookies = await cookiesOf(await buildTestApp(t, { database, environment }));
  t.ok(cookies.length >= 4, 'they are set and cleared');
  for (const cookie of cookies) {
    t.match(cookie, /^__Host-/);
    // Browsers reject the prefix without these. RFC 6265bis, section 4.1.3.2
    t.match(cookie, /; Secure(;|$)/i, cookie);
    t.match(cookie, /; Path=\/(;|$)/i, cookie);
    t.notMatch(cookie, /; Domain/i, cookie);
    t.match(cookie, /; HttpOnly(;|$)/i, cookie);
    t.match(cookie, /; SameSite=Lax(;|$)/i, cookie);
  }

  const plain = await cookiesOf(
    await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } }),
  );
  const names = (of: readonly string[]) => [...new Set(of.map(nameOf))].sort();
  t.same(
    names(cookies),
    names(plain).map((name) => `__Host-${name}`),
    'no others exist',
  );
  for (const cookie of plain) t.notMatch(cookie, /; Secure|^__Host-/i, 'a browser rejects both over http');
});
