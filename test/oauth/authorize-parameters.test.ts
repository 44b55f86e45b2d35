import { randomId } from '../../src/platform/database/ids.js';
import { authorizeResponses, responseParameters } from '../support/oauth/authorize-responses.js';
import { authorizationRequest, authorizeUrl, createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database } = api;
const { rejectedHere } = authorizeResponses(api);

t.test('each missing, empty or malformed parameter is 400 and never redirects', async (t) => {
  const scene = await createScene(database);
  const signedIn = await signedInBrowser(api, scene.user);
  const malformed: Record<string, string[]> = {
    response_type: ['token', 'code token', 'CODE', 'none'],
    client_id: ['x'.repeat(256)],
    redirect_uri: [`https://client.example/${'x'.repeat(2048)}`],
    scope: ['user:read '.repeat(200)],
    state: ['x'.repeat(2049), 'é'.repeat(1025), 'nul\u0000'],
    code_challenge: ['x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(42)}+`],
    code_challenge_method: ['plain', 's256', 'S512'],
  };
  for (const [parameter, values] of Object.entries(malformed)) {
    const { parameters } = authorizationRequest(scene);
    const { [parameter]: value = '', ...rest } = parameters;
    await rejectedHere(t, authorizeUrl(rest), 400, 'invalid_request', { parameter });
    for (const bad of ['', ...values]) {
      const url = authorizeUrl({ ...rest, [parameter]: bad });
      await rejectedHere(t, url, 400, 'invalid_request', { parameter, browser: signedIn });
    }
    // Repeated with another value, and with the same value.
    for (const again of ['x', value]) {
      const url = `${authorizeUrl(parameters)}&${parameter}=${encodeURIComponent(again)}`;
      await rejectedHere(t, url, 400, 'invalid_request', { parameter });
    }
  }
});

t.test('a request without scope or state is told why it is required and what to send', async (t) => {
  const scene = await createScene(database);
  for (const [parameter, advice] of [
    ['scope', /^scope is required: the user is asked .* Send the scopes that you need, separated by spaces/],
    ['state', /^state is required: it protects .* Send a new unguessable value in each request/],
  ] as const) {
    const { [parameter]: _, ...rest } = authorizationRequest(scene).parameters;
    const url = authorizeUrl(rest);
    t.match((await api.get(url)).json().errors, [{ parameter, detail: advice }]);
    const page = await app.inject({ url, headers: { accept: 'text/html' } });
    t.equal(page.statusCode, 400);
    t.match(page.body, new RegExp(advice.source.slice(1)), 'the page');
  }
});

t.test('a query that is not percent-encoded UTF-8 is 400', async (t) => {
  const scene = await createScene(database);
  const { url } = authorizationRequest(scene);
  for (const state of ['%FF', '%E0%A4%A', '%', '%zz']) {
    await rejectedHere(t, url.replace(/state=\w+/, `state=${state}`), 400, 'invalid_request');
  }
});

t.test('names each rule that a request breaks', async (t) => {
  const response = await api.get('/v1/oauth/authorize?state=x');
  t.equal(response.statusCode, 400);
  const named = response.json().errors.map((error: { parameter: string }) => error.parameter);
  t.same(named.toSorted(), [
    'client_id',
    'code_challenge',
    'code_challenge_method',
    'redirect_uri',
    'response_type',
    'scope',
  ]);
});

t.test('an unknown client is 401 invalid_client and never redirects', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { clientId } = scene.application;
  for (const client_id of [
    randomId(),
    clientId.toUpperCase(),
    `${clientId} `,
    `${clientId}\u0000`,
    "' OR 1=1",
  ]) {
    const { url } = authorizationRequest(scene, { client_id });
    // Text that the database cannot store is malformed.
    const malformed = client_id.includes('\u0000');
    await rejectedHere(t, url, malformed ? 400 : 401, malformed ? 'invalid_request' : 'invalid_client', {
      browser,
    });
  }
});

t.test('a redirect URI that differs from the registered one is 400 and never redirects', async (t) => {
  const redirectUri = 'https://client.example:8443/call/back?tenant=7';
  const scene = await createScene(database, { redirectUri });
  const browser = await signedInBrowser(api, scene.user);
  const others = [
    'https://client.example:8443/call/back?tenant=',
    `${redirectUri}7`,
    `${redirectUri}&extra=1`,
    `${redirectUri}#fragment`,
    'https://client.example:8443/call/back',
    'https://client.example:8443/call/back/?tenant=7',
    'https://client.example:8443/call',
    'https://client.example:8443/call/../call/back?tenant=7',
    'https://client.example:8443/call%2Fback?tenant=7',
    'https://client.example:8444/call/back?tenant=7',
    'https://client.example/call/back?tenant=7',
    'https://CLIENT.example:8443/call/back?tenant=7',
    'https://client.example:8443/Call/back?tenant=7',
    'HTTPS://client.example:8443/call/back?tenant=7',
    'http://client.example:8443/call/back?tenant=7',
    'https://client.example.evil.example:8443/call/back?tenant=7',
    'https://user@client.example:8443/call/back?tenant=7',
    'https://evil.example/?https://client.example:8443/call/back?tenant=7',
    ` ${redirectUri}`,
    `${redirectUri} `,
    'javascript:alert(1)',
    'urn:ietf:wg:oauth:2.0:oob',
    '/call/back',
    'x',
  ];
  for (const redirect_uri of others) {
    const { url } = authorizationRequest(scene, { redirect_uri });
    await rejectedHere(t, url, 400, 'invalid_request', { browser, parameter: 'redirect_uri' });
  }
  t.equal((await browser.open(authorizationRequest(scene).url)).statusCode, 200, 'the registered one');
});

t.test('the redirect URI of another application is 400 and never redirects', async (t) => {
  const scene = await createScene(database);
  const other = await createScene(database, { redirectUri: 'https://other.example/callback' });
  const { url } = authorizationRequest(scene, { redirect_uri: other.redirectUri });
  await rejectedHere(t, url, 400, 'invalid_request', { parameter: 'redirect_uri' });
});

t.test('error_description of a redirect has the characters of RFC 6749 only', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  for (const scope of ['é', '"quoted"', 'back\\slash', 'tab\there', 'line\nbreak', '\u{1F600}']) {
    const response = await browser.open(authorizationRequest(scene, { scope }).url);
    t.equal(response.statusCode, 302);
    const returned = responseParameters(t, response, scene.redirectUri);
    t.equal(returned.get('error'), 'invalid_scope');
    t.match(returned.get('error_description'), /^[ !#-[\]-~]+$/, scope);
  }
});

t.test('unknown parameters are ignored', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, {
    nonce: 'n',
    prompt: 'none',
    'x[y]': '',
  });
  t.equal((await browser.open(`${url}&unknown=1&unknown=2`)).statusCode, 200);
});

t.test('responds to HEAD as to GET, without a body', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { url } = authorizationRequest(scene);
  const head = (headers: Record<string, string>, address = url) =>
    app.inject({ method: 'HEAD', url: address, headers });
  const consent = await head({ cookie, accept: 'text/html' });
  t.equal(consent.statusCode, 200);
  t.match(consent.headers['content-type'], /^text\/html/);
  t.equal(consent.body, '');
  const signIn = await head({});
  t.equal(signIn.statusCode, 302);
  t.match(signIn.headers.location, /^\/sign_in\?return_to=/);
  const refused = await head({}, authorizeUrl({}));
  t.equal(refused.statusCode, 400);
  t.equal(refused.body, '');
});

t.test('other methods match no route', async (t) => {
  const { url } = authorizationRequest(await createScene(database));
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const response = await app.inject({ method, url });
    t.equal(response.statusCode, 404, method);
    t.equal(response.json().code, 'public-api-not-found');
  }
});
