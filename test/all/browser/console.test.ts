import { hash } from '@node-rs/argon2';
import type { Page } from 'playwright-core';
import { demoPassword } from '../../../src/features/demo-data/accounts.js';
import { fillDemoData } from '../../../src/features/demo-data/fill.js';
import { contract } from '../../support/server/app.js';
import type { Test } from '../../support/tap.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

/** Swagger UI skips heading levels in its dialog (axe: `heading-order`). */
const dialogHeadings = ['#console .auth-container h4', '#console .auth-container h6'];

const hashPassword = (password: string) => hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });

/** A test of the console on a server with the demo data. No window may log an error. */
function consoleTest(title: string, body: (t: Test, page: Page, site: LiveSite) => Promise<void>): void {
  browserTest(title, async (t, page, site) => {
    const { api, baseUrl } = site;
    await fillDemoData(api.database, { baseUrl, hashPassword, now: api.clock() });
    const errors: string[] = [];
    page.context().on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    page.context().on('weberror', (error) => errors.push(String(error.error())));
    await page.goto('/console');
    await body(t, page, site);
    t.same(errors, [], 'no window logs an error');
  });
}

/** Opens the dialog and the window of the sign-in, and signs in if necessary. */
async function startSignIn(page: Page, { signedIn = false } = {}): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
  const popup = await opened;
  if (signedIn) return popup;
  await popup.getByLabel('E-mail address').fill('owner@acme.example');
  await popup.getByLabel('Password').fill(demoPassword);
  await popup.getByRole('button', { name: 'Sign in', exact: true }).click();
  return popup;
}

async function decide(popup: Page, decision: 'Allow' | 'Deny'): Promise<void> {
  const closed = popup.waitForEvent('close');
  await popup.getByRole('button', { name: decision }).click();
  await closed;
}

const authorize = (page: Page) => page.getByRole('button', { name: 'Authorize', exact: true });
const logOut = (page: Page) => page.getByRole('button', { name: 'Remove authorization' });
const operation = (page: Page, id: string) => page.locator(`[id$="-${id}"].opblock`);

/** Opens an operation, presses the buttons, and returns the status of the response. */
async function execute(page: Page, id: string): Promise<string | null> {
  const block = operation(page, id);
  await block.getByRole('button').first().click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const status = block.locator('.live-responses-table .response-col_status');
  await status.last().waitFor();
  return status.last().textContent();
}

consoleTest('a visitor signs in with the demo data and lists employees', async (t, page, site) => {
  await authorize(page).click();
  const scopes = page.locator('.auth-container .scopes input');
  t.same(
    await scopes.evaluateAll((all) =>
      all.map((box) => [box.dataset.value, (box as HTMLInputElement).checked]),
    ),
    ['reports:read', 'reports:write', 'user:read', 'user:write'].map((scope) => [scope, true]),
    'the scopes of the application',
  );
  t.equal(await page.getByText('clientCredentials').count(), 0, 'no other flow');
  t.equal(await page.locator('input[type=password]').count(), 0, 'no field for a secret');
  await isAccessible(t, page, 'the dialog', { exclude: dialogHeadings });

  const tokenRequest = page.waitForRequest('**/v1/oauth/token');
  await decide(await startSignIn(page), 'Allow');
  const sent = await tokenRequest;
  const form = Object.fromEntries(new URLSearchParams(sent.postData() ?? ''));
  t.match(form, { client_id: 'democonsole', redirect_uri: `${site.baseUrl}/console/callback` });
  t.match(form, { code_verifier: /^[\w-]{43,}$/, client_secret: undefined });
  t.same([(await sent.allHeaders()).authorization, (await sent.allHeaders()).cookie], [undefined, undefined]);
  await logOut(page).waitFor();
  await page.getByRole('button', { name: 'Close' }).first().click();

  t.equal(await execute(page, 'listEmployees'), '200');
  t.equal(new URL(page.url()).hash, '#/Employees/listEmployees');
  const response = operation(page, 'listEmployees').locator('.live-responses-table');
  t.match(await response.textContent(), '@acme.example');
  t.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0, 'nothing is stored');
});

consoleTest('a visitor who denies access sees why, and can try again', async (t, page) => {
  await authorize(page).click();
  await decide(await startSignIn(page), 'Deny');
  await page.getByText('You did not allow the console to access your account.').waitFor();
  await decide(await startSignIn(page, { signedIn: true }), 'Allow');
  await logOut(page).waitFor();
  await page.getByRole('button', { name: 'Close' }).first().click();
  t.equal(await execute(page, 'getCurrentUser'), '200');
  await isAccessible(t, page, 'an operation with its response');
});

consoleTest('a sign-in completes in the console that started it', async (t, page) => {
  const other = await page.context().newPage();
  await other.goto('/console');
  await authorize(other).click();
  await authorize(page).click();
  await decide(await startSignIn(page), 'Allow');
  await logOut(page).waitFor();
  t.equal(await logOut(other).count(), 0);
});

consoleTest('a visitor pastes a token of an application', async (t, page, site) => {
  const token = await site.api.token({
    id: '',
    clientId: 'demoreadonly',
    clientSecret: 'demoreadonlysecret',
  });
  await authorize(page).click();
  await page.getByLabel('auth-bearer-value').fill(token);
  await page.getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close' }).first().click();
  t.equal(await execute(page, 'listReports'), '200');
});

consoleTest('the console shows every operation, and a link to one opens it', async (t, page) => {
  await authorize(page).waitFor();
  await isAccessible(t, page, 'the console');
  for (const { id } of contract.operations.values()) t.equal(await operation(page, id).count(), 1, id);
  await page.setViewportSize({ width: 320, height: 900 });
  // Wide tables: the one of the grants in a text, and those of responses and their headers.
  for (const id of ['createToken', 'listReports', 'updateReport']) {
    await operation(page, id).getByRole('button').first().click();
    await operation(page, id).locator('.responses-table').first().waitFor();
    t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${id} fits a phone`);
  }
  await page.goto('about:blank');
  await page.goto('/console#/Reports/exportReport');
  await operation(page, 'exportReport').getByRole('button', { name: 'Try it out' }).waitFor();
});

browserTest('a console that cannot load the contract shows an alert', async (t, _page, site) => {
  // Another window, because the failed request is an error that fails the test of the first one.
  const { page } = await site.open(t);
  await page.route('**/openapi/v1.json', (route) => route.fulfill({ status: 503 }));
  await page.goto('/console');
  t.equal(await page.getByRole('alert').textContent(), 'The console could not be loaded. Reload the page.');
});

browserTest('another host name redirects to the public one', async (t, _page, site) => {
  // Another window, because a request to another host fails the test of the first one.
  const { page } = await site.open(t);
  await page.goto(`${site.baseUrl.replace('localhost', 'api.localhost')}/console#/Users/getCurrentUser`);
  await page.waitForURL(`${site.baseUrl}/console#/Users/getCurrentUser`);
});

browserTest('the page of the redirect URI is accessible, also without the console', async (t, page) => {
  await page.goto('/console/callback?error=access_denied&state=unknown');
  t.equal(new URL(page.url()).search, '', 'the response is not left in the address');
  await isAccessible(t, page, 'the page of the redirect URI');
  await page.getByRole('link', { name: 'open the console' }).click();
  await page.getByRole('heading', { name: 'API console' }).waitFor();
});

browserTest(
  'without JavaScript the console links to the reference',
  async (t, page) => {
    await page.goto('/console');
    t.ok(await page.locator('noscript').getByRole('link', { name: 'reference' }).isVisible());
  },
  { javaScriptEnabled: false },
);
