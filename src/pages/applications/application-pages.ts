import type { Contract } from '../../contract/contract.js';
import { recordNotFound } from '../../problems/problem.js';
import type { ApplicationDetails } from '../../services/applications/application-details.js';
import type { ClientSecrets } from '../../services/applications/client-secrets.js';
import type { OAuthApplications } from '../../services/applications/oauth-applications.js';
import type { PageContext } from '../page-context.js';
import { settings } from '../site-page.js';

/** Dependencies of the application pages. */
export interface ApplicationPagesDependencies {
  readonly applications: OAuthApplications;
  readonly clientSecrets: ClientSecrets;
  readonly baseUrl: string;
  readonly production: boolean;
  readonly scopes: Contract['scopes'];
}

/** Path of the page of an application, or of a page below it. */
export function addressOf(id: string, ...below: readonly string[]): string {
  return [settings.applications, id, ...below].join('/');
}

/**
 * The application that the path identifies.
 *
 * @throws {Problem} 404 `not_found` when the account has no application with this id
 */
export async function requestedApplication(
  { auditContext: { accountId, at }, parameter }: PageContext,
  { applications }: Pick<ApplicationPagesDependencies, 'applications'>,
): Promise<ApplicationDetails> {
  const id = parameter('id');
  const application = isRecordId(id) ? await applications.get(accountId, { id, now: at }) : null;
  if (application === null) throw recordNotFound();
  return application;
}

/** Whether text has the form of a record id. */
export function isRecordId(text: string): boolean {
  return /^[a-z0-9]{1,64}$/.test(text);
}
