import type { LightMyRequestResponse } from 'fastify';
import { fillDemoData } from '../../src/features/demo-data/fill.js';
import { isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { captureLog } from '../support/server/captured-log.js';
import t, { type Test } from '../support/tap.js';

const redirectUri = 'http://api.test/console/callback';
const warning = /CONSOLE_CLIENT_ID must be the client id of a public application/;

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const { accountId } = await createTenant(database);

/** The console of a server that is configured with this client id, and its log. */
async function openConsole(t: Test, clientId?: string) {
  const log = captureLog('warn');
  const environment = clientId === undefined ? {} : { CONSOLE_CLIENT_ID: clientId };
  const { app } = await buildTestApp(t, { database, environment, logger: log.logger });
  return { page: await app.inject('/console'), log: log.lines.join('') };
}

function dataOf({ body }: LightMyRequestResponse): Record<string, string> {
  const [, attributes = ''] = /<div id="console"([^>]*)>/.exec(body) ?? [];
  return Object.fromEntries([...attributes.matchAll(/data-([\w-]+)="([^"]*)"/g)].map(([, k, v]) => [k, v]));
}

t.test('the console runs scripts and sends requests of this server only', async (t) => {
  const page = await api.app.inject('/console');
  isPage(t, page);
  t.equal(
    page.headers['content-security-policy'],
    "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  t.equal(page.headers['cross-origin-opener-policy'], 'same-origin');
  t.notMatch(page.body, /(src|href)="(https?:)?\/\//, 'nothing of another origin');
  t.match(page.body, /<noscript>.*<a href="\/docs">/s);
});

t.test('other pages may not send requests', async (t) => {
  const { headers } = await api.app.inject('/sign_in');
  t.notMatch(headers['content-security-policy'], /connect-src/);
});

t.test('without an application users paste a token', async (t) => {
  const { page, log } = await openConsole(t);
  t.same(dataOf(page), { 'base-url': 'http://api.test' });
  t.match(page.body, 'paste an access');
  t.equal(log, '');
});

t.test('users sign in with the public application that CONSOLE_CLIENT_ID names', async (t) => {
  const { clientId } = await createApplication(database, accountId, {
    clientType: 'public',
    redirectUris: ['https://app.example/callback', redirectUri],
    scopes: ['reports:read', 'user:read'],
  });
  const { page, log } = await openConsole(t, clientId);
  t.same(dataOf(page), {
    'base-url': 'http://api.test',
    'client-id': clientId,
    scopes: 'reports:read user:read',
  });
  t.notMatch(page.body, 'demo data');
  t.equal(log, '');
});

t.test('an application that cannot sign users in is not used, and logged', async (t) => {
  const confidential = await createApplication(database, accountId, { redirectUris: [redirectUri] });
  const otherUri = await createApplication(database, accountId, {
    clientType: 'public',
    redirectUris: [`${redirectUri}/`],
  });
  for (const clientId of [confidential.clientId, otherUri.clientId, 'unknown']) {
    const { page, log } = await openConsole(t, clientId);
    isPage(t, page);
    t.same(dataOf(page), { 'base-url': 'http://api.test' });
    t.match(log, warning);
  }
});

t.test('with the demo data users sign in with its application', async (t) => {
  const { app, config, database: demo, clock } = await buildTestApp(t);
  await fillDemoData(demo, { baseUrl: config.baseUrl, hashPassword: async () => '!', now: clock() });
  const page = await app.inject('/console');
  t.match(dataOf(page), {
    'client-id': 'democonsole',
    scopes: 'reports:read reports:write user:read user:write',
  });
  t.match(page.body, 'owner@acme.example');
});

t.test('every file that the console loads exists, with the media type that browsers require', async (t) => {
  const read = async (url: string) => {
    const response = await api.injectUnchecked({ url });
    t.equal(response.statusCode, 200, url);
    t.equal(response.headers['x-content-type-options'], 'nosniff', url);
    const expected = /\.js\b/.test(url) ? /^text\/javascript/ : /^(text\/css|image\/svg)/;
    t.match(response.headers['content-type'], expected, url);
    return response.body;
  };
  for (const url of ['/console', '/console/callback?code=x&state=y']) {
    const { body } = await api.app.inject(url);
    const addresses = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, found = '']) => found);
    t.ok(addresses.length >= 4);
    for (const address of addresses) await read(address);
  }
  const imports = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, found = '']) => found);
  const styles = imports(await read('/assets/console.css'), /@import url\("([^"]+)"\)/g);
  const modules = imports(await read('/assets/console.js'), /from '\.(\/[^']+)'/g);
  t.same([styles.length, modules.length], [2, 3]);
  for (const address of [...styles, ...modules.map((name) => `/assets${name}`)]) await read(address);
});

t.test('the page of the redirect URI explains an error, and does not show text from the URL', async (t) => {
  for (const [query, text] of [
    ['code=x&state=y', 'You can close this window'],
    [
      'error=access_denied&error_description=Call%20555',
      'You did not allow the console to access your account',
    ],
    ['error=invalid_scope', 'Select fewer scopes'],
    ['error=Call%20555', 'The authorization server rejected the request'],
    ['error=constructor', 'The authorization server rejected the request'],
    ['error=x&error=access_denied', 'The authorization server rejected the request'],
    ['', 'You can close this window'],
  ]) {
    const page = await api.app.inject(`/console/callback?${query}`);
    isPage(t, page, 200, query);
    t.match(page.body, text);
    t.match(page.body, '<a href="/console">');
    t.notMatch(page.body, '555');
  }
});
