import type { Page } from 'playwright-core';
import { authorizationRequest, createScene } from '../../support/oauth/users.js';
import {
  callApi,
  callback,
  createApplication,
  getToken,
  main,
  shownSecret,
  signIn,
  signOut,
} from './browser-steps.js';
import { browserTest, isAccessible } from './chromium.js';

browserTest(
  'creates an application, rotates its secret, uses its tokens and deletes it',
  async (t, page, site) => {
    const { user } = await createScene(site.api.database);
    await signIn(page, user);
    t.equal(new URL(page.url()).pathname, '/people');
    await createApplication(page, 'Nightly sync');
    t.equal(new URL(page.url()).search, '', 'nothing of the secret is in the address');

    const first = await shownSecret(page);
    await page.getByRole('button', { name: 'Copy' }).nth(1).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    t.equal(await page.evaluate(() => navigator.clipboard.readText()), first.clientSecret);
    t.equal(await main(page).getByRole('status').textContent(), 'Client secret copied.');
    t.equal((await getToken(site, first)).status, 200);

    await page.reload();
    t.match(page.url(), /notice=application_exists$/, 'reloading creates no other application');
    t.notMatch(await page.content(), first.clientSecret);
    const application = page.url().replace(/\?.*/, '');
    await page.goBack();
    t.notMatch(await page.content(), first.clientSecret, 'going back does not show it again');

    await page.goto(application);
    await page.getByRole('link', { name: 'Credentials', exact: true }).click();
    // Secrets are listed by the time of their creation.
    site.api.clock.advanceSeconds(1);
    await page.getByRole('button', { name: 'Create a second secret' }).click();
    const second = await shownSecret(page);
    await page.getByRole('link', { name: /I have stored the secret/ }).click();
    for (const credentials of [first, second]) {
      t.equal((await getToken(site, credentials)).status, 200, 'both are valid during the rotation');
    }
    await page
      .getByRole('link', { name: /^Revoke Secret ending in/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Revoke secret' }).click();
    t.match(await page.getByRole('status').textContent(), /Secret revoked/);
    t.equal((await getToken(site, first)).status, 401);
    const response = await getToken(site, second);
    const { access_token } = await response.json();
    t.equal((await callApi(site, access_token)).status, 200);

    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('link', { name: 'Delete application' }).click();
    await page.getByRole('button', { name: 'Delete application' }).click();
    t.match(await page.getByRole('status').textContent(), /deleted/);
    t.equal((await callApi(site, access_token)).status, 401);
    t.equal((await getToken(site, second)).status, 401);

    await signOut(page);
    await page.goto('/people');
    t.match(page.url(), /\/sign_in\?return_to=/);
  },
  { permissions: ['clipboard-read', 'clipboard-write'] },
);

/** Responds to the redirect of the page to the application, and returns its URL. */
async function backAtApplication(page: Page, press: string): Promise<URL> {
  await page.route(`${callback}**`, (route) => route.fulfill({ body: 'Back.' }));
  await page.getByRole('button', { name: press }).click();
  await page.waitForURL(`${callback}**`);
  return new URL(page.url());
}

browserTest(
  'Allow issues a code for tokens, Deny issues none, disconnecting revokes the tokens',
  async (t, page, site) => {
    const scene = await createScene(site.api.database, { name: 'Partner', redirectUri: callback });
    const denied = authorizationRequest(scene);
    await signIn(page, scene.user, denied.url);
    await isAccessible(t, page, 'consent');
    t.equal((await backAtApplication(page, 'Deny')).searchParams.get('error'), 'access_denied');

    const { url, verifier, parameters } = authorizationRequest(scene);
    await page.goto(url);
    const back = await backAtApplication(page, 'Allow');
    t.equal(back.searchParams.get('state'), parameters.state);
    const response = await fetch(`${site.baseUrl}/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: scene.application.clientId,
        redirect_uri: callback,
        code_verifier: verifier,
        code: back.searchParams.get('code') ?? '',
      }),
    });
    t.equal(response.status, 200);
    const { access_token } = await response.json();
    t.equal((await callApi(site, access_token)).status, 200);

    await page.goto('/people/settings/connected_applications');
    await page.getByRole('link', { name: 'Disconnect Partner' }).click();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    t.match(await page.getByRole('status').textContent(), /disconnected/);
    t.equal((await callApi(site, access_token)).status, 401);
  },
);

browserTest('every page can be used with the keyboard alone', async (t, page, site) => {
  const { user } = await createScene(site.api.database);
  await page.goto('/people');
  const focused = () =>
    page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);
  const tabTo = async (wanted: string) => {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await focused()) === wanted) return;
    }
    throw new Error(`${wanted} cannot be reached`);
  };
  const enter = async () => {
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
  };
  await page.keyboard.press('Tab');
  await page.keyboard.type(user.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(user.password);
  await enter();
  await page.keyboard.press('Tab');
  t.equal(await focused(), 'Skip to content');
  await tabTo('OAuth applications');
  await enter();
  await tabTo('New application');
  await enter();
  await tabTo('redirect_uris');
  await page.keyboard.type('ftp://nowhere.example/');
  await tabTo('scope_reports_read');
  await enter();
  t.match(await page.title(), /^Error: /, 'Enter submits the form');
  t.match(await focused(), /^There is a problem/, 'the error summary has the focus');
  await tabTo('The name must not be blank.');
  await page.keyboard.press('Enter');
  await page.keyboard.type('By keyboard');
  t.equal(await page.locator('#name').inputValue(), 'By keyboard', 'its link focuses the field');
  await tabTo('ftp://nowhere.example/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('https://partner.example/');
  await tabTo('scope_reports_read');
  await page.keyboard.press('Space');
  await enter();
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Application created');
});

browserTest(
  'every page works without JavaScript',
  async (t, page, site) => {
    const { user } = await createScene(site.api.database);
    await signIn(page, user);
    await createApplication(page, 'Without script');
    const credentials = await shownSecret(page);
    t.equal(
      await page.getByRole('button', { name: 'Copy' }).count(),
      0,
      'controls that need a script are hidden',
    );
    t.equal((await getToken(site, credentials)).status, 200);
    await page.getByRole('link', { name: /I have stored the secret/ }).click();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('link', { name: 'Edit' }).click();
    const uris = page.getByLabel('Redirect URIs', { exact: true });
    await uris.fill(`${await uris.inputValue()}\nhttps://second.example/`);
    await main(page).getByRole('button', { name: 'Save changes' }).click();
    t.match(await page.getByRole('status').textContent(), /Changes saved/);
    await page.getByRole('link', { name: 'People' }).first().click();
    await page.getByLabel('Name, e-mail address or number').fill('nobody');
    await page.getByRole('button', { name: 'Search' }).click();
    t.match(await main(page).textContent(), /No people match “nobody”/);
    await signOut(page);
    t.match(page.url(), /\/sign_in$/);
  },
  { javaScriptEnabled: false },
);
