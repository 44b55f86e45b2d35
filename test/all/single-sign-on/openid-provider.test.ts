import { Browser } from '../../support/browser/browser.js';
import { openTestDatabase } from '../../support/database/database.js';
import { authorizationRequest, createScene, signedInBrowser } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import { clientId, clientSecret } from '../../support/single-sign-on/fake-provider.js';
import { providerUrl, signedInUser } from '../../support/single-sign-on/scene.js';
import t from '../../support/tap.js';
import { ProviderBrowser, startOpenIdProvider } from './openid-provider.js';

// oidc-provider has the claims of a scope in UserInfo, as most identity providers do, and announces `iss`.

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = database;
const settings = '/people/settings/single_sign_on';

/** An account whose owner has set up oidc-provider on the settings page. */
async function setUp() {
  const scene = await createScene(database);
  const path = `/sign_in/sso/${scene.accountId}`;
  const back = `http://api.test${path}/callback`;
  const person = { sub: 'owner', email: scene.user.email, email_verified: true };
  const idp = await startOpenIdProvider(t, { redirectUris: [back], person });
  const owner = await signedInBrowser(api, scene.user);
  const form = { issuer: idp.issuer, client_id: clientId, client_secret: clientSecret };
  const saved = await owner.submitForm(await owner.open(settings), settings, form);
  if (saved.statusCode !== 303) throw new Error(saved.body);
  /** Signs in, and returns the response of the callback. */
  const signIn = async (
    browser: Browser,
    {
      address = path,
      atProvider = new ProviderBrowser(),
    }: { address?: string; atProvider?: ProviderBrowser } = {},
  ) => {
    const url = await atProvider.signIn(providerUrl(await browser.open(address)), back);
    return browser.open(url.slice('http://api.test'.length));
  };
  return { ...scene, path, back, idp, signIn };
}

t.test('signs in with oidc-provider, and an authorization request keeps its state', async (t) => {
  const { signIn, path, user, ...scene } = await setUp();
  const { url, parameters } = authorizationRequest({ ...scene });
  const browser = new Browser(api.app);
  const address = `${path}?return_to=${encodeURIComponent(url)}`;
  const response = await signIn(browser, { address });
  t.equal(response.headers.location, url, response.body);
  t.equal(await signedInUser(browser), user.email);
  const allowed = await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  const query = new URL(String(allowed.headers.location)).searchParams;
  t.equal(query.get('state'), parameters.state);
  t.equal(await prisma.userIdentity.count({ where: { userId: user.id, subject: 'owner' } }), 1);
});

t.test('a user of single sign-on signs in again for settings after ten minutes', async (t) => {
  const { signIn, user, idp, accountId } = await setUp();
  const browser = new Browser(api.app);
  const atProvider = new ProviderBrowser();
  await signIn(browser, { atProvider });
  const page = await browser.open(settings);
  const change = { issuer: idp.issuer, client_id: clientId, client_secret: 'another-secret' };
  api.clock.advanceSeconds(601);
  const confirmation = await browser.submitForm(page, settings, change);
  t.equal(confirmation.statusCode, 200);
  t.match(confirmation.body, 'Sign in again (opens in a new tab)');
  t.notMatch(confirmation.body, 'name="confirm_password" type="password"');

  const early = await browser.submitForm(confirmation, settings, {});
  t.equal(early.statusCode, 401);
  t.match(early.body, 'Sign in again at your identity provider first.');

  const started = await browser.open('/sign_in/sso/confirm');
  const query = new URL(String(started.headers.location)).searchParams;
  t.equal(query.get('max_age'), '0');
  t.equal(query.get('prompt'), 'login');
  const confirmed = await signIn(browser, { address: '/sign_in/sso/confirm', atProvider });
  t.equal(confirmed.statusCode, 200, confirmed.body);
  t.match(confirmed.body, 'You are confirmed');
  const saved = await browser.submitForm(confirmation, settings, {});
  t.equal(saved.headers.location, `${settings}?notice=single_sign_on_saved`);
  const event = await prisma.auditEvent.findFirstOrThrow({
    where: { accountId, type: 'reauthentication.succeeded' },
  });
  t.match(event, { userId: user.id, address: '127.0.0.1', details: { method: 'single_sign_on' } });
});
