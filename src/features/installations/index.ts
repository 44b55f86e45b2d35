import type { AuthorizationEndpoint } from '../../oauth/authorization-endpoint.js';
import type { ClientRegistry } from '../../oauth/clients/client-registry.js';
import type { Installations } from '../../oauth/clients/installations.js';
import type { Core } from '../../platform/core.js';
import { ApprovalMails } from './approval-mails.js';
import { Approvals } from './approvals.js';

export { HostList } from './pages/approval-form.js';
export { policyName, policyPage, policyPath } from './pages/policy.js';
export { approvalAddress, RequestsSection, readRequests, requestPages } from './pages/requests.js';

/** What the pages need that approve applications of other accounts. */
export interface ApprovalPagesDependencies extends ReturnType<typeof createInstallations> {
  readonly clients: ClientRegistry;
  readonly installations: Installations;
}

/** What the page needs to which an authorization request redirects. */
export type ApprovalRoutesDependencies = Core &
  ApprovalPagesDependencies & { readonly endpoint: AuthorizationEndpoint };

/** Creates the services for the approval of applications of other accounts. */
export function createInstallations(core: Core) {
  return { approvals: new Approvals(core.database), approvalMails: new ApprovalMails(core) };
}
