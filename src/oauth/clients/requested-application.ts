import { isRecordId } from '../../platform/pages/fields.js';
import type { PageContext } from '../../platform/pages/page-context.js';
import { recordNotFound } from '../../platform/problems/problem.js';
import type { ApplicationDetails, ApplicationReader } from './application-details.js';

/**
 * The application that the path identifies.
 *
 * @throws {Problem} 404 `not_found` when the account has no application with this id
 */
export async function requestedApplication(
  { auditContext: { accountId, at }, parameter }: PageContext,
  { applications }: { readonly applications: ApplicationReader },
): Promise<ApplicationDetails> {
  const id = parameter('id');
  const application = isRecordId(id) ? await applications.get(accountId, { id, now: at }) : null;
  if (application === null) throw recordNotFound();
  return application;
}
