import { type ApplicationReader, requestedApplication } from '../../../oauth/clients/application-details.js';
import { applicationPage, tabAddress } from '../../../oauth/clients/application-tabs.js';
import type { Contract, ProblemCode } from '../../../platform/contract/contract.js';
import { numberText } from '../../../platform/counted.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { problemSlug } from '../../../platform/problems/problem.js';
import { storedFailures, storedRejections } from '../unstored-usage.js';
import {
  type FailuresInHour,
  lastDays,
  type RejectedRequest,
  rejectionRetentionDays,
  type UsageReader,
} from '../usage-reader.js';
import { usageIntervalMilliseconds } from '../usage-recorder.js';

const requestIdField = 'request_id';

/** The form that finds a request. */
function SearchForm({ path, requestId }: { path: string; requestId: string }) {
  return (
    <search>
      <form method="get" action={path} class="search">
        <div>
          <label for={requestIdField}>Request ID</label>
          <input
            type="search"
            id={requestIdField}
            name={requestIdField}
            value={requestId}
            maxLength={255}
            autocomplete="off"
            aria-describedby={`${requestIdField}-hint`}
          />
        </div>
        <button type="submit">Find</button>
        {requestId !== '' && (
          <a class="button secondary" href={path}>
            Show the last requests
          </a>
        )}
      </form>
      <p class="hint" id={`${requestIdField}-hint`}>
        It is in the header <code>X-Request-Id</code> of each response.
      </p>
    </search>
  );
}

interface RequestsProps {
  readonly requests: readonly RejectedRequest[];
  readonly problems: Contract['problems'];
}

/** The requests with the request id that was searched for. */
function FoundSection({ requests, problems }: RequestsProps) {
  return (
    <section>
      <h2>Found</h2>
      {requests.length === 0 ? (
        <p>
          No rejected request of this application has this request ID. A request is stored at most{' '}
          {usageIntervalMilliseconds / 1000} seconds after its response, for {rejectionRetentionDays} days.
          One with an unknown client ID is not stored.
        </p>
      ) : (
        <RequestsTable caption="Requests with this request ID, newest first" {...{ requests, problems }} />
      )}
    </section>
  );
}

/** The last rejected requests of an application, newest first. */
function RejectionsSection({ requests, problems }: RequestsProps) {
  return (
    <section>
      <h2>Last rejected requests</h2>
      <p>
        The last {storedRejections} requests of the last {rejectionRetentionDays} days that were rejected.
      </p>
      {requests.length === 0 ? (
        <p>No rejected requests.</p>
      ) : (
        <RequestsTable caption="Last rejected requests, newest first" {...{ requests, problems }} />
      )}
    </section>
  );
}

/** The last requests with the client ID of an application whose authentication failed, newest first. */
function FailuresSection({
  requests,
  problems,
  byHour,
}: RequestsProps & { byHour: readonly FailuresInHour[] }) {
  const total = byHour.reduce((sum, { failures }) => sum + failures, 0);
  const full = byHour.filter(({ failures }) => failures > storedFailures);
  return (
    <section>
      <h2>Failed client authentications</h2>
      <p>
        Requests for tokens with the client ID of this application and a wrong or missing secret, in the last{' '}
        {rejectionRetentionDays} days: {numberText(total)}. Anyone who knows the client ID can send them.
      </p>
      {full.length > 0 && (
        <DataTable
          caption={`Hours with more than ${storedFailures} failed client authentications`}
          columns={hourColumns}
          rows={full}
        />
      )}
      {requests.length > 0 && (
        <>
          <p>
            The first {storedFailures} of each hour are stored, and the last {storedFailures} are shown.
          </p>
          <RequestsTable caption="Failed client authentications, newest first" {...{ requests, problems }} />
        </>
      )}
    </section>
  );
}

const hourColumns: readonly Column<FailuresInHour>[] = [
  column('Hour from', ({ hour }) => <Timestamp at={hour} />),
  column('Failed client authentications', ({ failures }) => numberText(failures), { kind: 'number' }),
];

function RequestsTable({ caption, requests, problems }: RequestsProps & { caption: string }) {
  return <DataTable caption={caption} columns={columnsFor(problems)} rows={requests} />;
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
    const { id } = application;
    const { accountId, at } = context.auditContext;
    const requestId = context.query.text(requestIdField);
    const form = <SearchForm path={tabAddress(id, 'requests')} requestId={requestId} />;
    if (requestId !== '') {
      const requests = await usage.rejectedRequestsWithId(accountId, id, requestId);
      const body = (
        <>
          {form}
          <FoundSection {...{ requests, problems }} />
        </>
      );
      return applicationPage(application, 'requests', { body });
    }
    const [rejections, failures, byHour] = await Promise.all([
      usage.rejectedRequestsOf(accountId, id),
      usage.failedAuthenticationsOf(accountId, id),
      usage.failuresByHour(accountId, id, lastDays(at, rejectionRetentionDays)),
    ]);
    const body = (
      <>
        {form}
        <RejectionsSection requests={rejections} problems={problems} />
        <FailuresSection requests={failures} {...{ problems, byHour }} />
      </>
    );
    return applicationPage(application, 'requests', { body });
  });
}
