import type { LightMyRequestResponse } from 'fastify';
import { Browser, hiddenFields } from '../../support/browser/browser.js';
import { authorizationRequest, createScene, type Scene, signedInBrowser } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database } = api;

const tokenOn = (page: LightMyRequestResponse): string => {
  const token = hiddenFields(page.body).csrf_token;
  if (token === undefined) throw new Error(`No form on ${page.body}`);
  return token;
};

/** Expects that a form was rejected because of its CSRF token. */
function refused(t: Test, response: LightMyRequestResponse, label: string): void {
  t.equal(response.statusCode, 403, label);
  t.match(response.headers['content-type'], /^text\/html/, label);
  t.match(response.body, /<code>access_denied<\/code>/, label);
  t.notOk('location' in response.headers, label);
  t.notOk('set-cookie' in response.headers, label);
}

const sessionsOf = ({ user }: Scene) => database.prisma.session.count({ where: { userId: user.id } });
const codesOf = ({ application }: Scene) =>
  database.prisma.authorizationCode.count({ where: { applicationId: application.id } });

/** Every form, with the response when it is accepted. */
async function forms(scene: Scene) {
  const { url } = authorizationRequest(scene);
  const { email, password } = scene.user;
  return [
    { action: '/sign_in', fields: { email, password }, signedIn: false },
    { action: '/sign_out', fields: {}, signedIn: true },
    { action: url, fields: { decision: 'allow' }, signedIn: true },
  ];
}

/** A browser with the page of the form, and the CSRF token of this page. */
async function pageFor(scene: Scene, signedIn: boolean): Promise<{ browser: Browser; token: string }> {
  const browser = signedIn ? await signedInBrowser(api, scene.user) : new Browser(app);
  const page = await browser.open(signedIn ? authorizationRequest(scene).url : '/sign_in');
  return { browser, token: tokenOn(page) };
}

t.test('sign-in, sign-out and consent reject a form without a token', async (t) => {
  const scene = await createScene(database);
  for (const { action, fields, signedIn } of await forms(scene)) {
    const { browser } = await pageFor(scene, signedIn);
    const sessions = await sessionsOf(scene);
    refused(t, await browser.submit(action, fields as Record<string, string>), action);
    refused(t, await browser.submit(action, { ...fields, csrf_token: '' }), `${action} empty`);
    refused(t, await browser.submit(action, { ...fields, csrf_token: 'x'.repeat(43) }), `${action} guessed`);
    refused(t, await browser.submit(`${action}${action.includes('?') ? '&' : '?'}csrf_token=x`, {}), action);
    t.equal(await sessionsOf(scene), sessions, `${action} did nothing`);
  }
  t.equal(await codesOf(scene), 0);
});

t.test('rejects the token in the address, and twice in the form', async (t) => {
  const scene = await createScene(database);
  for (const { action, fields, signedIn } of await forms(scene)) {
    const { browser, token } = await pageFor(scene, signedIn);
    const inAddress = `${action}${action.includes('?') ? '&' : '?'}csrf_token=${token}`;
    refused(t, await browser.submit(inAddress, fields as Record<string, string>), `${action} in the address`);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const twice = await app.inject({
      method: 'POST',
      url: action,
      headers: { cookie, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams({ ...fields, csrf_token: token })}&csrf_token=${token}`,
    });
    refused(t, twice, `${action} twice`);
  }
  t.equal(await codesOf(scene), 0);
});

t.test('rejects the token of another browser', async (t) => {
  const scene = await createScene(database);
  const attacker = await createScene(database);
  for (const { action, fields, signedIn } of await forms(scene)) {
    const { browser } = await pageFor(scene, signedIn);
    const sessions = await sessionsOf(scene);
    for (const other of [await pageFor(attacker, false), await pageFor(attacker, true)]) {
      refused(t, await browser.submit(action, { ...fields, csrf_token: other.token }), action);
    }
    const own = await pageFor(scene, true);
    refused(t, await browser.submit(action, { ...fields, csrf_token: own.token }), 'same user elsewhere');
    t.equal(await sessionsOf(scene), sessions + 1, 'only the page of the other browser was received');
  }
  t.equal(await codesOf(scene), 0);
});

t.test(
  'a browser without cookies signs in no user, and other forms lead it to the sign-in page',
  async (t) => {
    const scene = await createScene(database);
    for (const { action, fields, signedIn } of await forms(scene)) {
      const { token } = await pageFor(scene, signedIn);
      const response = await new Browser(app).submit(action, { ...fields, csrf_token: token });
      if (!signedIn) refused(t, response, action);
      else t.match(response.headers.location, /^\/sign_in/, action);
      t.notOk('set-cookie' in response.headers, action);
    }
    t.equal(await codesOf(scene), 0);
  },
);

t.test('rejects the token from before sign-in after it', async (t) => {
  const scene = await createScene(database);
  const browser = new Browser(app);
  const before = tokenOn(await browser.open('/sign_in'));
  await browser.signIn(scene.user.email, scene.user.password);
  const { url } = authorizationRequest(scene);
  const after = tokenOn(await browser.open(url));
  t.not(after, before);
  refused(t, await browser.submit(url, { csrf_token: before, decision: 'allow' }), 'consent');
  refused(t, await browser.submit('/sign_out', { csrf_token: before }), 'sign-out');
  t.equal(await codesOf(scene), 0);
  t.equal(await sessionsOf(scene), 1);
  t.equal((await browser.submit(url, { csrf_token: after, decision: 'allow' })).statusCode, 303);
});

t.test('rejects the token of a session after sign-out and a new sign-in', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const first = tokenOn(await browser.open(url));
  t.equal((await browser.submit('/sign_out', { csrf_token: first })).statusCode, 303);
  await browser.signIn(scene.user.email, scene.user.password);
  refused(t, await browser.submit(url, { csrf_token: first, decision: 'allow' }), 'consent');
});

t.test('each form accepts the token of any page of the same browser', async (t) => {
  const scene = await createScene(database);
  const { browser, token } = await pageFor(scene, true);
  const { url } = authorizationRequest(scene);
  t.equal((await browser.submit(url, { csrf_token: token, decision: 'deny' })).statusCode, 303);
  t.equal((await browser.submit('/sign_out', { csrf_token: token })).statusCode, 303);
  t.equal(await sessionsOf(scene), 0);
});

t.test('GET changes nothing', async (t) => {
  const scene = await createScene(database);
  const { browser } = await pageFor(scene, true);
  t.equal((await browser.open('/sign_out')).statusCode, 404);
  const { url } = authorizationRequest(scene);
  t.equal((await browser.open(`${url}&decision=allow`)).statusCode, 200);
  t.equal(await codesOf(scene), 0);
  t.equal(await sessionsOf(scene), 1);
});

t.test('rejects a JSON body without the token', async (t) => {
  const scene = await createScene(database);
  for (const { action, fields, signedIn } of await forms(scene)) {
    const { browser } = await pageFor(scene, signedIn);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const payload of [fields, [], null, 'x', { ...fields, csrf_token: [''] }]) {
      const response = await app.inject({
        method: 'POST',
        url: action,
        headers: { cookie, accept: 'text/html', 'content-type': 'application/json' },
        payload: JSON.stringify(payload),
      });
      t.ok([400, 403, 415].includes(response.statusCode), `${action} ${response.statusCode}`);
    }
  }
  t.equal(await codesOf(scene), 0);
});
