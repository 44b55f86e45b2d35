import type { Contract } from '../../contract/contract.js';
import { recordNotFound } from '../../problems/problem.js';
import type { ApplicationDetails } from '../../services/applications/application-details.js';
import type { ClientSecrets } from '../../services/applications/client-secrets.js';
import type { OAuthApplications } from '../../services/applications/oauth-applications.js';
import type { Visit } from '../site.js';
import { settings } from '../site-page.js';

/** What the pages about applications work with. */
export interface ApplicationPagesDependencies {
  readonly applications: OAuthApplications;
  readonly clientSecrets: ClientSecrets;
  readonly baseUrl: string;
  readonly production: boolean;
  readonly scopes: Contract['scopes'];
}

/** Address of an application's page, or of one below it. */
export function addressOf(id: string, ...below: readonly string[]): string {
  return [settings.applications, id, ...below].join('/');
}

/**
 * The application that a page's address names.
 *
 * @throws {Problem} 404 `not_found` when the account has none with this id, whoever else may have it
 */
export async function visitedApplication(
  { auditContext: { accountId, at }, parameter }: Visit,
  { applications }: Pick<ApplicationPagesDependencies, 'applications'>,
): Promise<ApplicationDetails> {
  const id = parameter('id');
  const application = isRecordId(id) ? await applications.get(accountId, { id, now: at }) : null;
  if (application === null) throw recordNotFound();
  return application;
}

/** Whether text can be the id of a record at all. */
export function isRecordId(text: string): boolean {
  return /^[a-z0-9]{1,64}$/.test(text);
}
