import type { PageContext } from '../../../platform/pages/page-context.js';
import { home, ownSecondFactorPath, settings, withReturnTo } from '../../../platform/pages/paths.js';
import { safeReturnTo } from '../../../platform/pages/return-to.js';
import type { Crumb } from '../../../platform/pages/site-page.js';

/** The overview of second factors, for pages below it. */
export const parentCrumb: Crumb = { title: 'Second factor', href: ownSecondFactorPath };

/** Name of the field with the page that was requested before the setup of a second factor. */
export const returnField = 'return_to';

/** The page after the setup of a second factor: My account, or the page that was requested before sign-in. */
export function returnAddress({ query, form }: PageContext, baseUrl: string): string {
  const given = form.secret(returnField) || query.secret(returnField);
  return given === '' ? settings.account : safeReturnTo(given, baseUrl);
}

/** A URL with the page to return to. */
export function addressWithReturn(address: string, returnTo: string): string {
  return returnTo === settings.account || returnTo === home ? address : withReturnTo(address, returnTo);
}
