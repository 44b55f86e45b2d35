import {
  type ApplicationDetails,
  type ApplicationReader,
  requestedApplication,
} from '../../../oauth/clients/application-details.js';
import type { Contract } from '../../../platform/contract/contract.js';
import { requestedId } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import type { Webhooks } from '../services.js';
import type { EndpointOwner, WebhookEndpoint } from '../webhook-endpoint.js';

/** Dependencies of the pages for the webhook endpoints of an application. */
export interface WebhookPagesDependencies {
  readonly applications: ApplicationReader;
  readonly webhooks: Webhooks;
  readonly contract: Contract;
}

export interface RequestedEndpoint {
  readonly owner: EndpointOwner;
  readonly application: ApplicationDetails;
  readonly endpoint: WebhookEndpoint;
}

/** Path of the page of an endpoint, or of one below it. */
export function endpointAddress(
  { application, endpoint }: Pick<RequestedEndpoint, 'application' | 'endpoint'>,
  ...below: readonly string[]
): string {
  return applicationAddress(application.id, 'webhooks', endpoint.id, ...below);
}

/** @throws {Problem} 404 `not_found`, also for a public application, which cannot have endpoints */
export async function confidentialApplication(
  context: PageContext,
  dependencies: WebhookPagesDependencies,
): Promise<ApplicationDetails> {
  const application = await requestedApplication(context, dependencies);
  if (application.clientType === 'public') throw recordNotFound();
  return application;
}

/** @throws {Problem} 404 `not_found` when the account or the application does not have it */
export async function requestedEndpoint(
  context: PageContext,
  dependencies: WebhookPagesDependencies,
): Promise<RequestedEndpoint> {
  const application = await requestedApplication(context, dependencies);
  const id = requestedId(context, 'endpoint_id');
  const owner = { accountId: context.auditContext.accountId, applicationId: application.id };
  const endpoint = found(await dependencies.webhooks.endpoints.get(owner, id));
  return { owner, application, endpoint };
}
