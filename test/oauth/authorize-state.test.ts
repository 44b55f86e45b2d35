import type { LightMyRequestResponse } from 'fastify';
import { Browser } from '../support/browser/browser.js';
import {
  authorizationRequest,
  authorizeUrl,
  createScene,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { exchange, listen } from '../support/server/sockets.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database } = api;

/** Each is returned as it was sent. */
const states: Readonly<Record<string, string>> = {
  'one character': 'x',
  'a plus sign and spaces': 'a+b c  d+',
  'a space at either end': ' x ',
  'text that looks percent-encoded': '%20%2B%C3%A9%',
  'separators of a query': 'a&b=c;d?e#f/g:h',
  quotes: `"double" 'single' \`back\` “curly”`,
  markup: '</script><script>alert(1)</script>&amp;',
  'an emoji of several code points': '👩‍👩‍👧‍👦🏳️‍🌈',
  'right-to-left text and its controls': 'שלום \u202Eمرحبا\u202C\u200F',
  'combining marks that no normalization may join': 'e\u0301 \u00E9 \u212B \uFB01',
  'line breaks and control characters': 'a\r\nb\tc\u0001\u007F\u0085\u2028\uFEFF',
  'a byte order mark first': '\uFEFFx',
  'noncharacters and the last code point': '\uFFFE\uFFFF\u{10FFFF}',
  '2,048 bytes of one byte each': 'x'.repeat(2048),
  '2,048 bytes of two bytes each': 'é'.repeat(1024),
  '2,048 bytes of four bytes each': '😀'.repeat(512),
  '2,048 bytes of three bytes each and two': `${'€'.repeat(682)}é`,
};

function stateAt(t: Test, response: LightMyRequestResponse, { redirectUri }: Scene): string | null {
  const { origin, pathname, search, searchParams } = new URL(String(response.headers.location));
  t.equal(`${origin}${pathname}`, redirectUri);
  t.equal(searchParams.get('iss'), 'http://api.test');
  t.same(searchParams.getAll('state').length, 1);
  // So that clients that do not decode `+` as a space read the same value.
  const plain = /[?&]state=([^&]*)/.exec(search)?.[1] ?? '';
  t.equal(decodeURIComponent(plain), searchParams.get('state'));
  return searchParams.get('state');
}

const narrow = await createScene(database, { scopes: ['user:read'] });

for (const [name, state] of Object.entries(states)) {
  t.test(`returns a state unchanged with a code or an error: ${name}`, async (t) => {
    const scene = narrow;
    const browser = await signedInBrowser(api, scene.user);
    const { url } = authorizationRequest(scene, { state, scope: 'user:read' });
    const page = await browser.open(url);
    t.equal(page.statusCode, 200, page.body);
    for (const decision of ['allow', 'deny']) {
      const response = await browser.submitForm(page, url, { decision });
      t.equal(stateAt(t, response, scene), state, decision);
    }
    const wrongScope = authorizationRequest(scene, { state, scope: 'openid' }).url;
    t.equal(stateAt(t, await browser.open(wrongScope), scene), state, 'an error');
    // The other encoding of the same characters in a query.
    const respelled = url.replaceAll('+', '%20').replaceAll(/%([\dA-F]{2})/g, (octet) => octet.toLowerCase());
    t.equal(stateAt(t, await browser.submitForm(page, respelled, { decision: 'deny' }), scene), state);
  });
}

t.test('returns a state unchanged after signing in', async (t) => {
  const scene = await createScene(database, { scopes: ['user:read'] });
  const { email, password } = scene.user;
  for (const name of ['text that looks percent-encoded', 'line breaks and control characters', 'markup']) {
    const state = states[name] ?? '';
    const { url } = authorizationRequest(scene, { state, scope: 'openid' });
    const browser = new Browser(app);
    const signIn = await browser.open(String((await browser.open(url)).headers.location));
    t.equal(signIn.statusCode, 200, name);
    const signedIn = await browser.submitForm(signIn, '/sign_in', { email, password });
    const response = await browser.open(String(signedIn.headers.location));
    t.equal(stateAt(t, response, scene), state, name);
  }
});

t.test('accepts the longest state through sign-in within the limits of a connection', async (t) => {
  const scene = await createScene(database);
  const port = await listen((await buildTestApp(t, { database })).app);
  const open = async (url: string) => {
    const [response] = await exchange(
      port,
      `GET ${url} HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n`,
    );
    return response;
  };
  const { url } = authorizationRequest(scene, { state: '😀'.repeat(512) });
  const redirect = await open(url);
  t.equal(redirect?.statusCode, 302);
  t.equal((await open(String(redirect?.headers.location)))?.statusCode, 200);
});

/** Expects 400 for the state from the page and the form, and no redirect. */
async function rejected(t: Test, browser: Browser, url: string, name: string): Promise<void> {
  const page = await browser.open(authorizationRequest(narrow).url);
  const direct = await app.inject({ url });
  const allowed = await browser.submitForm(page, url, { decision: 'allow' });
  for (const response of [direct, await browser.open(url), allowed]) {
    t.equal(response.statusCode, 400, name);
    t.notOk('location' in response.headers, name);
  }
  const problem = direct.json();
  t.equal(problem.code, 'invalid_request');
  t.same(
    [...new Set((problem.errors ?? []).map((error: { parameter: string }) => error.parameter))],
    name.startsWith('bytes') ? [] : ['state'],
    name,
  );
}

t.test('rejects a state that is missing, empty, repeated, too long or has NUL', async (t) => {
  const scene = await createScene(database);
  const { parameters } = authorizationRequest(scene);
  const { state: _, ...rest } = parameters;
  const address = authorizeUrl(rest);
  const browser = await signedInBrowser(api, scene.user);
  const rejectedStates: Readonly<Record<string, string>> = {
    missing: '',
    empty: '&state=',
    repeated: '&state=a&state=b',
    'repeated with the same value': '&state=a&state=a',
    'repeated, once empty': '&state=a&state=',
    '2,049 bytes of one byte each': `&state=${'x'.repeat(2049)}`,
    '2,049 bytes, the last character of two': `&state=${'x'.repeat(2047)}%C3%A9`,
    '2,050 bytes of two bytes each': `&state=${encodeURIComponent('é'.repeat(1025))}`,
    '2,051 bytes of three bytes each and two': `&state=${encodeURIComponent(`${'€'.repeat(683)}é`)}`,
    '2,052 bytes of four bytes each': `&state=${encodeURIComponent('😀'.repeat(513))}`,
    'NUL alone': '&state=%00',
    'NUL within': '&state=a%00b',
    'bytes that are not UTF-8': '&state=%FF',
    'bytes of half a surrogate pair': '&state=%ED%A0%80',
    'bytes of an overlong encoding': '&state=%C0%80',
  };
  for (const [name, query] of Object.entries(rejectedStates)) {
    await rejected(t, browser, `${address}${query}`, name);
  }
  t.equal(await database.prisma.authorizationCode.count({ where: { userId: scene.user.id } }), 0);
});
