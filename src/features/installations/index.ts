import type { Core } from '../../platform/core.js';
import { ApprovalMails } from './approval-mails.js';
import { Approvals } from './approvals.js';

export { type ApprovalPagesDependencies, HostList } from './pages/approval-form.js';
export { policyName, policyPage, policyPath } from './pages/policy.js';
export { approvalAddress, RequestsSection, readRequests, requestPages } from './pages/requests.js';

/** Creates the services for the approval of applications of other accounts. */
export function createInstallations(core: Core) {
  return { approvals: new Approvals(core.database), approvalMails: new ApprovalMails(core) };
}
