import type { LightMyRequestResponse } from 'fastify';
import { Browser, hiddenFields } from '../../support/browser/browser.js';
import { openTestDatabase } from '../../support/database/database.js';
import { authorizationRequest, createScene, signedInBrowser } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { app } = api;

const home = '/people/home';

t.test('redirects a user who is already signed in', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const response = await browser.open(`/sign_in?return_to=${encodeURIComponent(url)}`);
  t.equal(response.statusCode, 303);
  t.equal(response.headers.location, url);
  t.equal((await browser.open('/sign_in')).headers.location, home);
});

t.test('return_to redirects to pages of this server', async (t) => {
  const { user } = await createScene(database);
  const addresses = [
    '/people',
    '/people?page=2',
    '/people/settings/oauth_applications',
    '/v1/oauth/authorize?state=a%20b%26c&scope=user%3Aread+reports%3Aread',
  ];
  for (const address of addresses) {
    const response = await new Browser(app).signIn(user.email, user.password, address);
    t.equal(response.headers.location, address);
  }
});

t.test('keeps return_to after a wrong password', async (t) => {
  const { user } = await createScene(database);
  const browser = new Browser(app);
  const again = await browser.signIn(user.email, 'wrong', '/people?page=2');
  t.equal(again.statusCode, 401);
  const { email, password } = user;
  const response = await browser.submitForm(again, '/sign_in', { email, password });
  t.equal(response.headers.location, '/people?page=2');
});

const openRedirects = [
  // Another host.
  ...['//evil.example', '//evil.example/people', '///evil.example/people'],
  ...[
    '////evil.example/v1/oauth/authorize',
    'https://evil.example',
    'https://evil.example/v1/oauth/authorize',
  ],
  ...['https:evil.example/people', 'https:/evil.example/people', 'http://api.test@evil.example/people'],
  ...['http://api.test.evil.example/people', '/\\evil.example', '/\\evil.example/people'],
  ...['\\/evil.example/people', '\\\\evil.example/people', '\\evil.example'],
  // Another scheme, or no path.
  ...['javascript:alert(1)', 'JavaScript:alert(1)//people', 'data:text/html,x', 'people', '?x=/people'],
  ...['#/people', '', ' '],
  // White space that browsers remove.
  ...[
    ' /people',
    '\t/people',
    '\t//evil.example/people',
    '/\t/evil.example/people',
    '/\n/evil.example/people',
  ],
  ...['/\r\n/evil.example/people', '/\t\\evil.example/people', '/people\r\nLocation: https://evil.example'],
  // Paths that are resolved, or encoded.
  ...['/people/..//evil.example', '/people/../..//evil.example', '/people/%2e%2e//evil.example'],
  ...['/people/..\\\\evil.example', '/%2Fevil.example/people', '/%5Cevil.example/people'],
  ...['%2F%2Fevil.example/people', '%2Fpeople', '/v1/oauth/authorize/../token'],
  '/v1/oauth/authorize%2F..%2Ftoken',
  // Other paths of this server.
  ...['/v1/oauth/authorize@evil.example', '/v1/oauth/authorize.evil.example', '/v1/oauth/authorize/'],
  ...['/v1/oauth/authorizes', '/V1/oauth/authorize', '/v1/oauth/token', '/v1/oauth/revoke', '/v1/employees'],
  ...['/sign_in', '/sign_out', '/errors', '/peopleevil', '/people@evil.example', '/people.evil.example', '/'],
];

t.test('return_to redirects nowhere else', async (t) => {
  const { user } = await createScene(database);
  const signedIn = await signedInBrowser(api, user);
  const url = (address: string) => `/sign_in?return_to=${encodeURIComponent(address)}`;
  const ways = [
    async (address: string) => {
      const page = await new Browser(app).open(url(address));
      t.equal(hiddenFields(page.body).return_to, home, `on the form: ${JSON.stringify(address)}`);
    },
    async (address: string) => {
      const sentOn = await signedIn.open(url(address));
      t.equal(ownPath(t, sentOn), home, `signed in: ${JSON.stringify(address)}`);
    },
    async (address: string) => {
      const browser = new Browser(app);
      const { csrf_token = '' } = hiddenFields((await browser.open('/sign_in')).body);
      const { email, password } = user;
      const form = { csrf_token, email, password, return_to: address };
      const sentOn = await browser.submit('/sign_in', form);
      t.equal(ownPath(t, sentOn), home, `in the form: ${JSON.stringify(address)}`);
    },
  ];
  // One function checks the address for every way.
  for (const [index, address] of openRedirects.entries()) await ways[index % ways.length]?.(address);
});

/** The path that a response redirects to. Expects that a browser resolves it to this server. */
function ownPath(t: Test, { headers, statusCode }: LightMyRequestResponse): string {
  t.equal(statusCode, 303);
  const { location } = headers;
  const { origin, pathname } = new URL(String(location), 'http://api.test/sign_in');
  t.equal(origin, 'http://api.test');
  t.notMatch(location, /[\r\n\t]/);
  return pathname.split(/[\r\n]/)[0] ?? '';
}

t.test('ignores or rejects a return_to that is repeated or not percent-encoded UTF-8', async (t) => {
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
