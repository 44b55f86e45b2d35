import { randomId } from '../../src/platform/database/ids.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { authorizeResponses, responseParameters } from '../support/oauth/authorize-responses.js';
import { authorizationRequest, createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database } = api;
const { codesOf } = authorizeResponses(api);

t.test('redirects through the sign-in page back to the same request', async (t) => {
  const scene = await createScene(database);
  const states = ['a b+c%20d&e=f#g?h/i:j;k,l', `"quotes" 'and' <tags> &amp;&quot;`];
  for (const state of states) {
    const { url } = authorizationRequest(scene, { state });
    const browser = new Browser(app);
    const redirect = await browser.open(url);
    t.equal(redirect.statusCode, 302, state);
    t.equal(redirect.headers['cache-control'], 'no-store');
    const signInUrl = String(redirect.headers.location);
    t.match(signInUrl, /^\/sign_in\?return_to=/);
    const page = await browser.open(signInUrl);
    const { email, password } = scene.user;
    const signedIn = await browser.submitForm(page, '/sign_in', { email, password });
    t.equal(signedIn.statusCode, 303);
    const back = String(signedIn.headers.location);
    t.match(back, /^\/v1\/oauth\/authorize\?/);
    const consent = await browser.open(back);
    t.equal(consent.statusCode, 200, consent.body);
    const action = unescapeHtml(/<form method="post" action="(\/v1[^"]*)"/.exec(consent.body)?.[1] ?? '');
    const decided = await browser.submitForm(consent, action, { decision: 'allow' });
    t.equal(decided.statusCode, 303);
    t.equal(responseParameters(t, decided, scene.redirectUri).get('state'), state);
  }
});

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

t.test(
  'the consent page shows the application, the account and every scope with its description',
  async (t) => {
    const scene = await createScene(database, { name: 'Payroll Sync', accountName: 'Hooper Ltd' });
    const browser = await signedInBrowser(api, scene.user);
    const scopes = Object.keys(contract.scopes);
    const page = await browser.open(authorizationRequest(scene, { scope: scopes.join(' ') }).url);
    t.equal(page.statusCode, 200);
    t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    t.equal(page.headers['cache-control'], 'no-store');
    t.match(page.body, 'Payroll Sync');
    t.match(page.body, 'Hooper Ltd');
    t.match(page.body, scene.user.email);
    const sentences = [...page.body.matchAll(/<li>(.*?)<\/li>/gs)].map(([, words = '']) =>
      words.replaceAll(/<code>.*?<\/code>|<[^>]*>/g, '').trim(),
    );
    t.equal(new Set(sentences).size, scopes.length);
    for (const sentence of sentences) t.match(sentence, /^[A-Z][a-z]+\b.* [a-z]+/, sentence);
    t.match(page.body, /<button[^>]*name="decision" value="allow"/);
    t.match(page.body, /<button[^>]*name="decision" value="deny"/);
    t.equal((await codesOf(scene)).length, 0, 'opening the page grants nothing');
  },
);

t.test('the consent page is shown each time, also for scopes that were allowed before', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  for (let time = 0; time < 2; time += 1) {
    const { url } = authorizationRequest(scene);
    const page = await browser.open(url);
    t.equal(page.statusCode, 200);
    t.equal((await browser.submitForm(page, url, { decision: 'allow' })).statusCode, 303);
  }
  t.equal((await codesOf(scene)).length, 2);
});

t.test('names of applications and accounts are escaped', async (t) => {
  const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)> & Sons`;
  const scene = await createScene(database, { name: hostile, accountName: hostile });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { state: hostile });
  const page = await browser.open(url);
  t.equal(page.statusCode, 200);
  t.notMatch(page.body, /<script|<img/i);
  t.match(page.body, '&lt;script');
  t.equal(page.body.match(/&lt;script/g)?.length, 3, 'title, heading, account');
  t.notMatch(page.body, /action="[^"]*<|onerror=[^&]*"/);

  const refused = await browser.open(`${url}&response_type=${encodeURIComponent(hostile)}`);
  t.equal(refused.statusCode, 400);
  t.notMatch(refused.body, /<script|<img/i);
});

t.test(
  'the content security policy of the consent screen lets the application redirect further',
  async (t) => {
    const scene = await createScene(database, { redirectUri: 'https://client.example:8443/cb' });
    const browser = await signedInBrowser(api, scene.user);
    const page = await browser.open(authorizationRequest(scene).url);
    const policy = Object.fromEntries(
      String(page.headers['content-security-policy'])
        .split(';')
        .map((directive) => directive.trim().split(/ (.*)/s).slice(0, 2)),
    );
    t.notOk('form-action' in policy, 'browsers apply it to redirects of the application too');
    t.equal(policy['default-src'], "'none'");
    t.equal(policy['frame-ancestors'], "'none'");
    t.equal(policy['base-uri'], "'none'");
    t.notMatch(String(page.headers['content-security-policy']), /unsafe|script-src/);
    t.equal(page.headers['x-frame-options'], 'DENY');
    t.equal(page.headers['x-content-type-options'], 'nosniff');
    t.equal(page.headers['referrer-policy'], 'no-referrer');
  },
);

t.test('sign-in restricts where its form leads, unless it leads to an application', async (t) => {
  // Browsers apply form-action to every redirect after a form: sign-in, authorize, application.
  const scene = await createScene(database, { role: 'member' });
  const browser = new Browser(app);
  const { url } = authorizationRequest(scene, { scope: 'reports:read' });
  const page = await browser.open(String((await browser.open(url)).headers.location));
  const { email, password } = scene.user;
  let response = await browser.submitForm(page, '/sign_in', { email, password });
  while (String(response.headers.location ?? '').startsWith('/')) {
    response = await browser.open(String(response.headers.location));
  }
  t.equal(responseParameters(t, response, scene.redirectUri).get('error'), 'access_denied');
  t.notMatch(page.headers['content-security-policy'], /form-action/);
  const unregistered = url.replace('client.example', 'other.example');
  for (const returnTo of ['/people', unregistered]) {
    const other = await new Browser(app).open(`/sign_in?return_to=${encodeURIComponent(returnTo)}`);
    t.match(other.headers['content-security-policy'], /form-action 'self'(;|$)/, returnTo);
  }
});

t.test(
  'sign-in allows the redirect of a registered redirect URI only, and names no other application',
  async (t) => {
    const scene = await createScene(database);
    const { url, parameters } = authorizationRequest(scene);
    const formActionOf = async (returnTo: string) => {
      const page = await new Browser(app).open(`/sign_in?${new URLSearchParams({ return_to: returnTo })}`);
      t.equal(page.statusCode, 200, returnTo);
      const [, formAction] =
        /form-action ([^;]*)/.exec(String(page.headers['content-security-policy'])) ?? [];
      return formAction;
    };
    t.equal(await formActionOf(url), undefined, 'browsers apply it to all redirects of the application');
    for (const returnTo of [
      url.replace('/v1/oauth/authorize', '/people'),
      ...[
        { client_id: randomId() },
        { client_id: '' },
        { client_id: 'a\u0000b' },
        { redirect_uri: 'https://evil.example/callback' },
        { redirect_uri: 'https://client.example/' },
        { redirect_uri: '' },
      ].map((changes) => `/v1/oauth/authorize?${new URLSearchParams({ ...parameters, ...changes })}`),
    ]) {
      t.equal(await formActionOf(returnTo), "'self'", returnTo);
    }
  },
);

t.test('a member grants user:* only, and is shown the omitted scopes', async (t) => {
  const scene = await createScene(database, { role: 'member' });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene, { scope: 'reports:read user:read reports:write user:write' });
  const page = await browser.open(url);
  t.equal(page.statusCode, 200);
  const lists = [...page.body.matchAll(/<ul>(.*?)<\/ul>/gs)].map(([, list = '']) =>
    [...list.matchAll(/<code>(.*?)<\/code>/g)].map(([, scope]) => scope),
  );
  t.same(lists, [
    ['user:read', 'user:write'],
    ['reports:read', 'reports:write'],
  ]);
  t.match(page.body, /have permission to grant these/);
  await browser.submitForm(page, url, { decision: 'allow' });
  t.match(await codesOf(scene), [{ scopes: ['user:read', 'user:write'] }]);
});

t.test('a member who can grant no requested scope is redirected with access_denied', async (t) => {
  const scene = await createScene(database, { role: 'member' });
  const browser = await signedInBrowser(api, scene.user);
  const { url, parameters } = authorizationRequest(scene, { scope: 'reports:read reports:write' });
  const response = await browser.open(url);
  t.equal(response.statusCode, 302);
  const returned = responseParameters(t, response, scene.redirectUri);
  t.equal(returned.get('error'), 'access_denied');
  t.equal(returned.get('state'), parameters.state);
  t.equal(returned.get('iss'), 'http://api.test');

  // A form that is submitted without its page issues no code either.
  const token = hiddenFields((await browser.open(authorizationRequest(scene).url)).body);
  const forced = await browser.submit(url, { ...token, decision: 'allow' });
  t.equal(forced.statusCode, 303);
  t.equal(responseParameters(t, forced, scene.redirectUri).get('error'), 'access_denied');
  t.same(await codesOf(scene), []);
});

t.test('redirects to http://localhost with its registered port', async (t) => {
  const redirectUri = 'http://localhost:8080/callback';
  const scene = await createScene(database, { redirectUri });
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  t.ok(responseParameters(t, response, redirectUri).has('code'));
});
