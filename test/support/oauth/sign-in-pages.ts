import type { LightMyRequestResponse } from 'fastify';
import type { Browser } from '../browser/browser.js';
import type { TestApp } from '../server/app.js';
import { type Scene, signedInBrowser } from './users.js';

/** A browser whose user signed in this time ago. */
export async function signedInAgo(
  api: TestApp,
  seconds: number,
  { user }: Pick<Scene, 'user'>,
): Promise<Browser> {
  const browser = await signedInBrowser(api, user);
  api.clock.advanceSeconds(seconds);
  return browser;
}

/** Enters the password on the sign-in page. */
export async function enter(browser: Browser, address: string, { user }: Pick<Scene, 'user'>) {
  const page = await browser.open(address);
  return browser.submitForm(page, '/sign_in', { email: user.email, password: user.password });
}

/** The e-mail address on a sign-in page, as it is in HTML. */
export function emailIn({ body }: LightMyRequestResponse): string {
  const [input = ''] =
    body.match(/<input(?: [\w-]+(?:="[^"]*")?)* name="email"(?: [\w-]+(?:="[^"]*")?)*/) ?? [];
  return / value="([^"]*)"/.exec(input)?.[1] ?? '';
}

/** Whether a response is the consent screen. */
export function isConsent({ statusCode, body }: LightMyRequestResponse): boolean {
  return statusCode === 200 && body.includes('to access your account?');
}
