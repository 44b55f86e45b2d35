import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { freshAddress, newPassword } from '../../support/browser/user-pages.js';
import { createScene } from '../../support/oauth/users.js';
import type { Test } from '../../support/tap.js';
import {
  callback,
  createApplication,
  getToken,
  main,
  shownSecret,
  signIn,
  signOut,
} from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

const security = '/people/settings/security';
const ownFactors = '/people/settings/account/second_factor';
const title = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();
const notice = (page: Page) => main(page).getByRole('status').first();

/** The current code of the authenticator app; with `later`, a code of that many periods later. */
function codeOf({ api }: LiveSite, secret: string, { later = 0 } = {}): string {
  return new TOTP({ secret }).generate({ timestamp: api.clock().getTime() + later * 30_000 });
}

/** Sets up an authenticator app from the page that offers it. Returns its secret and the recovery codes. */
async function setUpApp(page: Page, site: LiveSite) {
  await page.getByRole('link', { name: 'Set up an authenticator app' }).click();
  const secret = ((await page.locator('code.key').textContent()) ?? '').replaceAll(' ', '');
  const used = codeOf(site, secret, { later: -1 });
  await page.getByLabel('Code').fill(used);
  await page.getByRole('button', { name: 'Save' }).click();
  const codes = ((await page.locator('#codes').textContent()) ?? '').trim().split('\n');
  return { secret, used, codes };
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel(/^(Code|Recovery code)$/).fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** An owner requires a second factor of all users, and invites another owner. Returns the link. */
async function inviteOwner(t: Test, site: LiveSite, email: string): Promise<string> {
  const { user } = await createScene(site.api.database);
  const { page } = await site.open(t);
  await signIn(page, user);
  await page.goto(security);
  await page.getByLabel('All users must have one').check();
  await page.getByRole('button', { name: 'Save' }).click();
  t.match(await title(page), 'Second factor', 'the owner who requires it needs one too');
  await setUpApp(page, site);
  await page.goto('/people/settings/users/invite');
  await main(page).getByLabel('E-mail address').fill(email);
  await main(page)
    .getByLabel(/^Owner/)
    .check();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  return (await page.locator('#link').textContent()) ?? '';
}

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `an invited owner signs in to an application after the setup of a second factor, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    async (t, page, site) => {
      const email = freshAddress();
      const link = await inviteOwner(t, site, email);
      await page.goto(link);
      await page.getByLabel('First name').fill('Grace');
      await page.getByLabel('Last name').fill('Hopper');
      await page.getByLabel('Password').fill(newPassword);
      await page.getByRole('button', { name: 'Join' }).click();
      t.equal(await title(page), 'Second factor');
      t.match(await main(page).textContent(), /requires a second factor. Set one up to continue/);
      t.equal(await page.getByRole('navigation').count(), 0, 'no other page can be opened');
      const { codes } = await setUpApp(page, site);
      t.equal(codes.length, 10);
      await page.getByRole('link', { name: 'I have saved the codes' }).click();
      await createApplication(page, 'Payroll');
      t.equal((await getToken(site, await shownSecret(page))).status, 200);
    },
    { javaScriptEnabled },
  );
}

browserTest(
  'an authenticator app and recovery codes work without JavaScript, and each code once',
  async (t, page, site) => {
    const { user } = await createScene(site.api.database);
    await signIn(page, user);
    await page.goto('/people/settings/account');
    await page.getByRole('link', { name: 'Set up a second factor' }).click();
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    t.match(await main(page).textContent(), /This needs JavaScript/);
    t.equal(await page.getByRole('button', { name: 'Continue' }).count(), 0);
    await page.goBack();
    const { secret, used, codes } = await setUpApp(page, site);
    await signOut(page);

    await signIn(page, user);
    t.match(page.url(), /\/sign_in\/second_factor/);
    await enterCode(page, used);
    t.match(await page.getByRole('alert').textContent(), /Incorrect code/, 'a used code');
    await enterCode(page, codeOf(site, secret));
    t.equal(await title(page), 'People');
    await signOut(page);

    for (const expected of ['People', 'Second factor']) {
      await signIn(page, user);
      await enterCode(page, codes[0]?.toUpperCase() ?? '');
      t.equal(await title(page), expected, 'the first use, and the second');
      await signOut(page);
    }
    await signIn(page, user);
    await enterCode(page, codeOf(site, secret, { later: 1 }));
    await page.goto(ownFactors);
    t.match(await main(page).textContent(), /You have 9 unused recovery codes/);
    await page.getByRole('link', { name: 'Remove the authenticator app' }).click();
    await page.getByRole('button', { name: 'Remove authenticator app' }).click();
    t.match(await notice(page).textContent(), /Authenticator app removed/);
  },
  { javaScriptEnabled: false },
);

/** Adds an authenticator that confirms every request with a fingerprint. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

browserTest('a passkey is the second factor, and signs in without a password', async (t, page, site) => {
  const { user } = await createScene(site.api.database);
  await addAuthenticator(page);
  await signIn(page, user);
  await page.goto(ownFactors);
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name').fill('My laptop');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('link', { name: 'I have saved the codes' }).click();
  t.match(await notice(page).textContent(), /Passkey saved/);
  t.match(await main(page).textContent(), /My laptop/);

  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await main(page).getByText('This device already has a passkey for you.').waitFor();

  await signOut(page);
  await signIn(page, user);
  t.match(page.url(), /\/sign_in\/second_factor/);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/people');
  await signOut(page);

  // A challenge is valid if the passkey was not used since it was created.
  site.api.clock.advanceSeconds(1);
  await page.goto('/people/settings/audit_log');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/people/settings/audit_log', { waitUntil: 'load' });
  t.equal(await title(page), 'Audit log', 'without a password');
  t.match(await main(page).textContent(), /Passkey added/);
});

browserTest(
  'an application gets its code and its state back through a second factor',
  async (t, page, site) => {
    const scene = await createScene(site.api.database, { redirectUri: callback });
    await signIn(page, scene.user);
    await page.goto(ownFactors);
    const { secret } = await setUpApp(page, site);
    await page.getByRole('link', { name: 'I have saved the codes' }).click();
    await signOut(page);
    const { clientId } = scene.application;
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      scope: 'reports:read',
      state: 'a state & more',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    await signIn(page, scene.user, `/v1/oauth/authorize?${query}`);
    await enterCode(page, codeOf(site, secret));
    const redirected = page.waitForRequest((request) => request.url().startsWith(callback));
    await page.getByRole('button', { name: 'Allow' }).click();
    const { searchParams } = new URL((await redirected).url());
    t.equal(searchParams.get('state'), 'a state & more');
    t.ok(searchParams.get('code'));
  },
);

browserTest('axe reports no violation on the pages of second factors', async (t, page, site) => {
  const { user } = await createScene(site.api.database);
  await signIn(page, user);
  for (const address of [security, ownFactors, `${ownFactors}/app`, `${ownFactors}/passkeys`]) {
    await page.goto(address);
    await isAccessible(t, page, address);
  }
  await page.goto(`${ownFactors}/app`);
  await page.getByRole('button', { name: 'Save' }).click();
  await isAccessible(t, page, 'a wrong code');
  await page.goto(ownFactors);
  await setUpApp(page, site);
  await isAccessible(t, page, 'the recovery codes');
  await page.goto(ownFactors);
  await isAccessible(t, page, 'an authenticator app');
  await signOut(page);
  await signIn(page, user);
  await isAccessible(t, page, 'the second step');
  await enterCode(page, '000000');
  await isAccessible(t, page, 'the second step with an error');
});
