import type { LightMyRequestResponse } from 'fastify';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { authorizationRequest, createScene, type Scene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database } = api;

/** Changes to a valid request that make its scope invalid. */
const scopeErrors = ['reports:write', 'user:read nonsense', ' '];

/** A scene whose application is configured with `user:read` only. */
const createNarrowScene = () => createScene(database, { scopes: ['user:read'] });

function sentToSignIn(t: Test, response: LightMyRequestResponse, url: string): void {
  const location = new URL(String(response.headers.location), 'http://api.test');
  t.equal(`${location.origin}${location.pathname}`, 'http://api.test/sign_in', url);
  t.equal(location.searchParams.get('return_to'), url);
}

/** Expects only the error in the query of the redirect URI. */
function sentBackWith(
  t: Test,
  response: LightMyRequestResponse,
  { redirectUri }: Scene,
  expected: { error: string; state: string | undefined },
): void {
  const { origin, pathname, searchParams } = new URL(String(response.headers.location));
  t.equal(`${origin}${pathname}`, redirectUri);
  t.match(searchParams.get('error_description'), /^[ !#-[\]-~]+$/);
  searchParams.delete('error_description');
  t.same(Object.fromEntries(searchParams), { ...expected, iss: 'http://api.test' });
}

/** The cookie and the CSRF token of a browser of this user. */
async function csrfOf(browser: Browser, scene: Scene): Promise<Record<string, string>> {
  return hiddenFields((await browser.open(authorizationRequest(scene, { scope: 'user:read' }).url)).body);
}

t.test('redirects a browser without a session to sign in, whatever the error of the scope', async (t) => {
  const scene = await createNarrowScene();
  for (const scope of scopeErrors) {
    const { url } = authorizationRequest(scene, { scope });
    const response = await new Browser(app).open(url);
    t.equal(response.statusCode, 302, scope);
    sentToSignIn(t, response, url);
  }
});

t.test('shows a user of another account an error page, whatever the error of the scope', async (t) => {
  const scene = await createNarrowScene();
  const other = await createScene(database);
  const browser = await signedInBrowser(api, other.user);
  const csrf = await csrfOf(browser, other);
  for (const scope of ['user:read', ...scopeErrors]) {
    const { url } = authorizationRequest(scene, { scope });
    for (const response of [
      await browser.open(url),
      await browser.submit(url, { ...csrf, decision: 'allow' }),
      await browser.submit(url, { ...csrf, decision: 'deny' }),
    ]) {
      t.equal(response.statusCode, 403, scope);
      t.notOk('location' in response.headers, scope);
      t.match(response.body, /<code>access_denied<\/code>/);
    }
  }
});

t.test('redirects a scope error after sign-in and the account check only', async (t) => {
  const scene = await createNarrowScene();
  for (const scope of scopeErrors) {
    const { url, parameters } = authorizationRequest(scene, { scope });
    const browser = new Browser(app);
    const { email, password } = scene.user;
    const signIn = await browser.open(String((await browser.open(url)).headers.location));
    const signedIn = await browser.submitForm(signIn, '/sign_in', { email, password });
    t.equal(signedIn.headers.location, url, 'the same request');
    const response = await browser.open(url);
    t.equal(response.statusCode, 302, scope);
    sentBackWith(t, response, scene, { error: 'invalid_scope', state: parameters.state });
  }
});

t.test('redirects a member who can grant nothing only after sign-in', async (t) => {
  const scene = await createScene(database, { role: 'member' });
  const { url, parameters } = authorizationRequest(scene, { scope: 'reports:read' });
  sentToSignIn(t, await new Browser(app).open(url), url);
  const response = await (await signedInBrowser(api, scene.user)).open(url);
  sentBackWith(t, response, scene, { error: 'access_denied', state: parameters.state });
});

t.test(
  'the consent form redirects a browser with an expired session to sign in, not to the client',
  async (t) => {
    const scene = await createNarrowScene();
    for (const scope of ['user:read', ...scopeErrors]) {
      const browser = await signedInBrowser(api, scene.user);
      const csrf = await csrfOf(browser, scene);
      await database.prisma.session.deleteMany({ where: { userId: scene.user.id } });
      for (const decision of ['allow', 'deny']) {
        const { url } = authorizationRequest(scene, { scope });
        const response = await browser.submit(url, { ...csrf, decision });
        t.equal(response.statusCode, 303, scope);
        sentToSignIn(t, response, url);
      }
    }
  },
);

t.test('the consent form redirects a scope error of a signed-in user of the account', async (t) => {
  const scene = await createNarrowScene();
  const browser = await signedInBrowser(api, scene.user);
  const csrf = await csrfOf(browser, scene);
  for (const scope of scopeErrors) {
    for (const decision of ['allow', 'deny']) {
      const { url, parameters } = authorizationRequest(scene, { scope });
      const response = await browser.submit(url, { ...csrf, decision });
      t.equal(response.statusCode, 303, scope);
      sentBackWith(t, response, scene, { error: 'invalid_scope', state: parameters.state });
    }
  }
});

t.test(
  'the page for an unregistered redirect URI names the application and the URI, and the problem document neither',
  async (t) => {
    const scene = await createNarrowScene();
    const { id } = scene.application;
    await database.prisma.application.updateMany({ where: { id }, data: { name: 'Payroll <b>' } });
    const redirect_uri = 'https://client.example/other?<script>';
    const { url } = authorizationRequest(scene, { redirect_uri, scope: 'openid' });
    const page = await new Browser(app).open(url);
    t.equal(page.statusCode, 400);
    t.match(page.body, 'Payroll &lt;b');
    t.match(page.body, '<code>https://client.example/other?&lt;script');
    t.notMatch(page.body, 'href="https://client.example');
    const document = await app.inject({ url, headers: { accept: 'application/json' } });
    t.equal(document.statusCode, 400);
    t.notMatch(document.body, 'Payroll');
    t.notMatch(document.body, 'script');
  },
);

t.test(
  'an unknown client, an unregistered redirect URI and a malformed parameter are rejected before sign-in',
  async (t) => {
    const scene = await createNarrowScene();
    const other = await createScene(database);
    const browsers = [
      new Browser(app),
      await signedInBrowser(api, scene.user),
      await signedInBrowser(api, other.user),
    ];
    const errors: [Record<string, string>, number][] = [
      [{ client_id: randomId(), scope: 'openid' }, 401],
      [{ redirect_uri: other.redirectUri.replace('callback', 'other'), scope: 'openid' }, 400],
      [{ redirect_uri: '//evil.example', scope: 'openid' }, 400],
      [{ state: '', scope: 'openid' }, 400],
      [{ state: 'é'.repeat(1025), scope: 'openid' }, 400],
      [{ code_challenge: 'x', scope: 'openid' }, 400],
      [{ scope: '' }, 400],
    ];
    for (const browser of browsers) {
      for (const [change, status] of errors) {
        const response = await browser.open(authorizationRequest(scene, change).url);
        t.equal(response.statusCode, status, JSON.stringify(change).slice(0, 100));
        t.notOk('location' in response.headers);
      }
    }
  },
);
