import type { PageContext } from '../../page-context.js';
import { home, safeReturnTo } from '../../return-to.js';
import { ownSecondFactorPath, withReturnTo } from '../../second-factor/next-step.js';
import { type Crumb, settings } from '../../site-page.js';

/** The overview of second factors, for pages below it. */
export const parentCrumb: Crumb = { title: 'Second factor', href: ownSecondFactorPath };

/** Name of the field with the page that the user wanted to see before setting up a second factor. */
export const returnField = 'return_to';

/** Where to go after setting up a second factor: My account, or the page that the user wanted to see when signing in. */
export function returnAddress({ query, form }: PageContext, baseUrl: string): string {
  const given = form.secret(returnField) || query.secret(returnField);
  return given === '' ? settings.account : safeReturnTo(given, baseUrl);
}

/** An address that keeps where to return to. */
export function addressWithReturn(address: string, returnTo: string): string {
  return returnTo === settings.account || returnTo === home ? address : withReturnTo(address, returnTo);
}
