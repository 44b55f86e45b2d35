import { type ApplicationReader, requestedApplication } from '../../../oauth/clients/application-details.js';
import { applicationPage, tabAddress } from '../../../oauth/clients/application-tabs.js';
import type { Contract, ProblemCode } from '../../../platform/contract/contract.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { problemSlug } from '../../../platform/problems/problem.js';
import { storedRejections } from '../unstored-usage.js';
import { type RejectedRequest, rejectionRetentionDays, type UsageReader } from '../usage-reader.js';

/** The last rejected requests of an application, newest first. */
function RejectionsSection({
  rejections,
  problems,
}: {
  rejections: readonly RejectedRequest[];
  problems: Contract['problems'];
}) {
  return (
    <section>
      <h2>Last rejected requests</h2>
      <p>
        The last {storedRejections} requests of the last {rejectionRetentionDays} days that were rejected. The
        request ID is in the header <code>X-Request-Id</code> of the response.
      </p>
      {rejections.length === 0 ? (
        <p>No rejected requests.</p>
      ) : (
        <DataTable
          caption="Last rejected requests, newest first"
          columns={columnsFor(problems)}
          rows={rejections}
          rowKey={({ requestId, at }) => `${at.getTime()} ${requestId}`}
        />
      )}
    </section>
  );
}

function columnsFor(problems: Contract['problems']): Column<RejectedRequest>[] {
  return [
    column('When', ({ at }) => <Timestamp at={at} />),
    column('Operation', ({ operation }) => <code>{operation}</code>, { isName: true }),
    column('Status', ({ status }) => status, { kind: 'number' }),
    column('Error', ({ code }) =>
      code !== null && Object.hasOwn(problems, code) ? (
        <a href={`/errors/${problemSlug(code as ProblemCode)}`}>{code}</a>
      ) : (
        (code ?? '–')
      ),
    ),
    column('Request ID', ({ requestId }) => <code>{requestId}</code>, { kind: 'short' }),
  ];
}

export interface RequestsPageDependencies {
  readonly usage: UsageReader;
  readonly problems: Contract['problems'];
}

/** Settings → OAuth applications → an application → Requests. */
export function requestsPage(
  site: PageRouter,
  dependencies: { readonly applications: ApplicationReader } & RequestsPageDependencies,
): void {
  const { usage, problems } = dependencies;
  site.get(tabAddress(':id', 'requests'), async (context) => {
    const application = await requestedApplication(context, dependencies);
    const rejections = await usage.rejectedRequestsOf(context.auditContext.accountId, application.id);
    const body = <RejectionsSection {...{ rejections, problems }} />;
    return applicationPage(application, 'requests', { body });
  });
}
