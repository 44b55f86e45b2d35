import type { AuthorizationEndpoint } from '../../../oauth/authorization-endpoint.js';
import type { ClientRegistry } from '../../../oauth/clients/client-registry.js';
import type { Installations } from '../../../oauth/clients/installations.js';
import type { ReadPushedRequest } from '../../../oauth/consent/pushed-request-query.js';
import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { Core } from '../../../platform/core.js';
import type { ApprovalMails } from '../approval-mails.js';
import type { Approvals } from '../approvals.js';

/** What the pages need that approve applications of other accounts. */
export interface ApprovalPagesDependencies {
  readonly approvals: Approvals;
  readonly approvalMails: ApprovalMails;
  readonly clients: ClientRegistry;
  readonly installations: Installations;
  readonly developmentPolicy: { isAllowed(accountId: AccountId): Promise<boolean> };
}

/** What the page needs to which an authorization request redirects. */
export type ApprovalRoutesDependencies = Core &
  ApprovalPagesDependencies & {
    readonly endpoint: AuthorizationEndpoint;
    readonly readPushedRequest: ReadPushedRequest;
  };
