import { shownOncePage } from '../../../platform/pages/copyable.js';
import { type Flash, withFlash } from '../../../platform/pages/flash.js';
import type { Crumb, PageContext, PageResponse, PageView } from '../../../platform/pages/page-context.js';
import {
  homePath,
  ownSecondFactorPath,
  safeReturnTo,
  settings,
  withReturnTo,
} from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { AuthenticatorApps } from '../authenticator-apps.js';
import type { FactorAddition, FactorRemoval } from '../factor-changes.js';
import type { Passkeys } from '../passkeys.js';
import type { RecoveryCodes } from '../recovery-codes.js';

export interface OwnSecondFactorDependencies {
  readonly apps: AuthenticatorApps;
  readonly passkeys: Passkeys;
  readonly recoveryCodes: RecoveryCodes;
  readonly baseUrl: string;
}

/** The overview of second factors, for pages below it. */
export const parentCrumb: Crumb = { title: 'Second factor', href: ownSecondFactorPath };

/** Name of the field with the page that was requested before the setup of a second factor. */
export const returnField = 'return_to';

/** The page after the setup of a second factor: My account, or the page that was requested before sign-in. */
export function returnPath({ query, form }: PageContext, baseUrl: string): string {
  const submitted = form.secret(returnField) || query.secret(returnField);
  return submitted === '' ? settings.account : safeReturnTo(submitted, baseUrl);
}

/** Adds the page to return to. */
export function pathWithReturn(path: string, returnTo: string): string {
  return returnTo === settings.account || returnTo === homePath ? path : withReturnTo(path, returnTo);
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

/** The only page that shows recovery codes. */
export function recoveryCodesPage(
  context: PageContext,
  codes: readonly string[],
  { title, next }: { title: string; next: string },
): PageView {
  return {
    ...shownOncePage({
      title,
      warning: (
        <>
          <strong>Save these recovery codes now. You won't be able to see them again.</strong> Each can be
          used once, when you do not have your second factor. Keep them in a password manager or print them.
        </>
      ),
      values: [{ id: 'codes', label: 'Recovery codes', value: codes.join('\n'), codes: true }],
      next: { href: next, label: 'I have saved the codes' },
    }),
    // The sign-in is complete now: the page has the navigation.
    context: { ...context, stage: 'complete' },
  };
}
