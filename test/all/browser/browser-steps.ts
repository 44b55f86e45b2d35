import type { Page } from 'playwright-core';
import type { TestUser } from '../../support/oauth/users.js';
import type { LiveSite } from './chromium.js';

/** Redirect URI of the applications of browser tests. No server listens there. */
export const callback = 'http://localhost:9/callback';

/** Opens a page of the site and signs in on the sign-in page that it redirects to. */
export async function signIn(
  page: Page,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
  address = '/people',
): Promise<void> {
  await page.goto(address);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export const main = (page: Page) => page.getByRole('main');

/** Signs out on any page, in the menu of the user where there is one. */
export async function signOut(page: Page): Promise<void> {
  const menu = page.locator('details.who summary');
  if ((await menu.count()) > 0) await menu.click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}

/** Navigates to the form and creates a confidential application that may read all attributes of employees. */
export async function createApplication(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'OAuth applications' }).click();
  await page.getByRole('link', { name: 'New application' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Redirect URIs', { exact: true }).fill(callback);
  await page.getByLabel('reports:read').check();
  const attributes = page.getByRole('group', { name: 'Attributes of employees that it may read' });
  for (const attribute of await attributes.getByRole('checkbox').all()) await attribute.check();
  await main(page).getByRole('button', { name: 'Create application' }).click();
}

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Client id and secret as the page shows them. */
export async function shownSecret(page: Page): Promise<Credentials> {
  const [clientId, clientSecret] = [page.locator('#client-id'), page.locator('#client-secret')];
  return {
    clientId: (await clientId.textContent()) ?? '',
    clientSecret: (await clientSecret.textContent()) ?? '',
  };
}

/** Requests a token with client credentials, as a program does. */
export function getToken({ baseUrl }: LiveSite, { clientId, clientSecret }: Credentials): Promise<Response> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return fetch(`${baseUrl}/v1/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
}

/** Calls the API with a token, as a program does. */
export function callApi({ baseUrl }: LiveSite, token: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/employees`, { headers: { authorization: `Bearer ${token}` } });
}
