import { Browser, hiddenFields } from '../support/browser/browser.js';
import { responseParameters } from '../support/oauth/authorize-responses.js';
import { authorizationRequest, createScene, hashOf, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database } = api;

const offer = 'Use another account';

t.test(
  '"Use another account" redirects through the sign-in page to the same authorization request',
  async (t) => {
    const scene = await createScene(database);
    const stranger = await createScene(database, { accountName: 'Globex & Sons' });
    const browser = await signedInBrowser(api, stranger.user);
    const session = browser.cookies.get('session') ?? '';
    const { url, parameters, verifier } = authorizationRequest(scene, { state: `a b&c="d"+é%20<` });
    const rejected = await browser.open(url);
    t.equal(rejected.statusCode, 403);
    t.match(rejected.body, offer);
    t.match(rejected.body, stranger.user.email);
    t.match(rejected.body, 'Globex &amp; Sons');

    const signedOut = await browser.submit('/sign_out', hiddenFields(rejected.body));
    t.equal(signedOut.statusCode, 303);
    t.equal(await database.prisma.session.count({ where: { idHash: hashOf(session) } }), 0);
    t.notOk(browser.cookies.has('session'));
    const where = { accountId: stranger.accountId, type: 'sign_out' };
    t.equal(await database.prisma.auditEvent.count({ where }), 1);

    const signIn = await browser.open(String(signedOut.headers.location));
    t.equal(signIn.statusCode, 200);
    const { email, password } = scene.user;
    const back = await browser.submit('/sign_in', {
      ...hiddenFields(signIn.body),
      email,
      password,
    });
    t.equal(back.statusCode, 303);
    const address = new URL(String(back.headers.location), 'http://api.test');
    t.equal(address.origin, 'http://api.test');
    t.equal(address.pathname, '/v1/oauth/authorize');
    t.same(Object.fromEntries(address.searchParams), parameters);

    const request = `${address.pathname}${address.search}`;
    const consent = await browser.open(request);
    t.equal(consent.statusCode, 200);
    t.notMatch(consent.body, offer);
    const allowed = await browser.submitForm(consent, request, { decision: 'allow' });
    const returned = responseParameters(t, allowed, scene.redirectUri);
    t.equal(returned.get('state'), parameters.state);
    const token = await api.postForm('/v1/oauth/token', {
      grant_type: 'authorization_code',
      client_id: scene.application.clientId,
      redirect_uri: scene.redirectUri,
      code: returned.get('code') ?? '',
      code_verifier: verifier,
    });
    t.equal(token.statusCode, 200, token.body);
  },
);

t.test('the page for a rejected consent form also offers another account', async (t) => {
  const scene = await createScene(database);
  const stranger = await createScene(database);
  const browser = await signedInBrowser(api, stranger.user);
  const own = await browser.open(authorizationRequest(stranger).url);
  const { url } = authorizationRequest(scene);
  const rejected = await browser.submitForm(own, url, { decision: 'allow' });
  t.equal(rejected.statusCode, 403);
  t.match(rejected.body, offer);
  t.equal(hiddenFields(rejected.body).return_to, url);
});

t.test('only the page for a user of another account offers another account', async (t) => {
  const scene = await createScene(database);
  const stranger = await createScene(database);
  const browser = await signedInBrowser(api, stranger.user);
  const { url } = authorizationRequest(scene);
  const cookie = `session=${browser.cookies.get('session')}`;
  const problem = await app.inject({ url, headers: { accept: 'application/json', cookie } });
  t.equal(problem.statusCode, 403);
  t.equal(problem.headers['content-type'], 'application/problem+json');
  t.notMatch(problem.body, offer);
  t.notMatch((await browser.submit(url, { decision: 'allow' })).body, offer, 'without a CSRF token');
  for (const changes of [{ client_id: 'unknown' }, { redirect_uri: 'https://evil.example/callback' }]) {
    const rejected = await browser.open(authorizationRequest(scene, changes).url);
    t.ok(rejected.statusCode >= 400, String(rejected.statusCode));
    t.notMatch(rejected.body, offer);
  }
});

t.test('sign-out needs the CSRF token, also with return_to', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const rejected = await browser.submit('/sign_out', { return_to: '/people' });
  t.equal(rejected.statusCode, 403);
  t.notOk('location' in rejected.headers);
  t.equal((await browser.open('/people')).statusCode, 200, 'the user is still signed in');
});

t.test('return_to of sign-out never redirects to another server', async (t) => {
  const { user } = await createScene(database);
  const addresses = [
    'https://evil.example/v1/oauth/authorize',
    '//evil.example/v1/oauth/authorize',
    '/\\evil.example/people',
    'http://api.test@evil.example/people',
    'javascript:alert(1)',
    '/people/..//evil.example',
    '/sign_out',
  ];
  for (const return_to of addresses) {
    const browser = await signedInBrowser(api, user);
    const page = await browser.open('/people');
    const response = await browser.submitForm(page, '/sign_out', { return_to });
    t.equal(response.statusCode, 303);
    t.equal(response.headers.location, '/sign_in?return_to=%2Fpeople%2Fhome', return_to);
  }
  const without = await signedInBrowser(api, user);
  const page = await without.open('/people');
  t.equal((await without.submitForm(page, '/sign_out', {})).headers.location, '/sign_in');
  t.equal((await new Browser(app).open('/people')).statusCode, 303);
});
