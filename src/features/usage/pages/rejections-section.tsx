import type { User } from '../../../platform/accounts/user.js';
import type { Contract, ProblemCode } from '../../../platform/contract/contract.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { problemSlug } from '../../../platform/problems/problem-document.js';
import { storedRejections } from '../recent-rejections.js';
import { rejectionRetentionDays } from '../usage-range.js';
import type { RejectedRequest } from '../usage-reader.js';

/** The last rejected requests of an application, newest first. */
export function RejectionsSection({
  rejections,
  problems,
  reader,
}: {
  rejections: readonly RejectedRequest[];
  problems: Contract['problems'];
  reader: User;
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
          columns={columnsFor(problems, reader)}
          rows={rejections}
          rowKey={({ requestId, at }) => `${at.getTime()} ${requestId}`}
        />
      )}
    </section>
  );
}

function columnsFor(problems: Contract['problems'], reader: User): Column<RejectedRequest>[] {
  const column = (label: string, cell: Column<RejectedRequest>['cell']): Column<RejectedRequest> => {
    return { key: label, heading: label, label, cell };
  };
  return [
    column('When', ({ at }) => <Timestamp at={at} reader={reader} />),
    column('Operation', ({ operation }) => <code>{operation}</code>),
    column('Status', ({ status }) => status),
    column('Error', ({ code }) =>
      code !== null && Object.hasOwn(problems, code) ? (
        <a href={`/errors/${problemSlug(code as ProblemCode)}`}>{code}</a>
      ) : (
        (code ?? '–')
      ),
    ),
    column('Request ID', ({ requestId }) => <code>{requestId}</code>),
  ];
}
