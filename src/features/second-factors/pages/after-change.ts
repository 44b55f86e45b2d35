import { type Flash, withFlash } from '../../../platform/pages/flash.js';
import type { Crumb, PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import { home, ownSecondFactorPath, settings, withReturnTo } from '../../../platform/pages/paths.js';
import { safeReturnTo } from '../../../platform/pages/return-to.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { FactorAddition, FactorRemoval } from '../factor-changes.js';
import { recoveryCodesPage } from './recovery-codes.js';

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

/** The response after a second factor was added: the recovery codes with the first one, or the requested page. */
export function afterAddition(
  context: PageContext,
  { recoveryCodes, sessionId }: FactorAddition,
  { added, returnTo }: { added: Flash; returnTo: string },
): PageResponse {
  const renewed = context.withSession(sessionId);
  const next = returnTo === settings.account ? withFlash(ownSecondFactorPath, added) : returnTo;
  return recoveryCodes === null
    ? { redirect: next }
    : recoveryCodesPage(renewed, recoveryCodes, { title: 'Second factor saved', next });
}

/**
 * The response after a second factor was removed.
 *
 * @throws {Problem} 404 `not_found`
 */
export function afterRemoval({ kind }: FactorRemoval, removed: Flash): PageResponse {
  if (kind === 'not_found') throw recordNotFound();
  return { redirect: withFlash(ownSecondFactorPath, kind === 'required' ? 'factor_required' : removed) };
}
