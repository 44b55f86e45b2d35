import type { LightMyRequestResponse } from 'fastify';
import { TOTP } from 'otpauth';
import { Browser } from '../browser/browser.js';
import { signedInBrowser, type TestUser } from '../oauth/users.js';
import type { TestApp } from '../server/app.js';
import { passkeyOptionsOn, SoftwareAuthenticator } from './software-authenticator.js';

export const factorsPath = '/people/settings/account/second_factor';
export const appPath = `${factorsPath}/app`;
export const passkeysPath = `${factorsPath}/passkeys`;
export const stepPath = '/sign_in/second_factor';
export const securityPath = '/people/settings/security';

/** The code that an authenticator app shows at the time of the clock. */
export function codeAt({ clock }: TestApp, secret: string, { laterSeconds = 0 } = {}): string {
  return new TOTP({ secret }).generate({ timestamp: clock().getTime() + laterSeconds * 1000 });
}

/** The secret that the set-up page shows. */
export function secretOn({ body }: LightMyRequestResponse): string {
  return (/<code class="key">([^<]*)</.exec(body)?.[1] ?? '').replaceAll(' ', '');
}

/** The recovery codes that a page shows. */
export function recoveryCodesOn({ body }: LightMyRequestResponse): string[] {
  return (/<pre id="codes"[^>]*>([^<]*)</.exec(body)?.[1] ?? '').trim().split('\n');
}

/** Sets up an authenticator app for a user. */
export async function setUpApp(api: TestApp, user: TestUser) {
  const browser = await signedInBrowser(api, user);
  const page = await browser.open(appPath);
  const secret = secretOn(page);
  const saved = await browser.submitForm(page, appPath, { code: codeAt(api, secret) });
  return { browser, secret, codes: recoveryCodesOn(saved) };
}

/** Adds a passkey for a user who has none. */
export async function addPasskey(api: TestApp, user: TestUser, authenticator = newAuthenticator()) {
  const browser = await signedInBrowser(api, user);
  return { browser, authenticator, saved: await addPasskeyIn(browser, authenticator) };
}

/** Adds a passkey in a browser of a user. */
export async function addPasskeyIn(browser: Browser, authenticator = newAuthenticator()) {
  const page = await browser.open(passkeysPath);
  const credential = authenticator.create(passkeyOptionsOn(page.body));
  return browser.submitForm(page, passkeysPath, { name: 'Laptop', credential });
}

function newAuthenticator(): SoftwareAuthenticator {
  return new SoftwareAuthenticator('http://api.test');
}

/** Enters the password, and returns the browser and the page for the second factor. */
export async function enterPassword(api: TestApp, { email, password }: TestUser, returnTo = '/people') {
  const browser = new Browser(api.app);
  const response = await browser.signIn(email, password, returnTo);
  const page = await browser.open(String(response.headers.location));
  return { browser, response, page };
}
