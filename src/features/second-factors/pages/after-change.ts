import { type Notice, withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import { ownSecondFactorPath, settings } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { FactorAddition, FactorRemoval } from '../factor-changes.js';
import { recoveryCodesPage } from './recovery-codes.js';

/** The response after a second factor was added: the recovery codes with the first one, or the requested page. */
export function afterAddition(
  context: PageContext,
  { recoveryCodes, sessionId }: FactorAddition,
  { added, returnTo }: { added: Notice; returnTo: string },
): PageResponse {
  const renewed = context.withSession(sessionId);
  const next = returnTo === settings.account ? withNotice(ownSecondFactorPath, added) : returnTo;
  return recoveryCodes === null
    ? { redirect: next }
    : recoveryCodesPage(renewed, recoveryCodes, { title: 'Second factor saved', next });
}

/**
 * The response after a second factor was removed.
 *
 * @throws {Problem} 404 `not_found`
 */
export function afterRemoval({ kind }: FactorRemoval, removed: Notice): PageResponse {
  if (kind === 'not_found') throw recordNotFound();
  return { redirect: withNotice(ownSecondFactorPath, kind === 'required' ? 'factor_required' : removed) };
}
