import type { SessionSummary } from '../../../platform/accounts/sessions.js';
import type { User } from '../../../platform/accounts/user.js';
import { Badge } from '../../../platform/pages/badge.js';
import { browserName } from '../../../platform/pages/browser-name.js';
import { type Column, DataTable } from '../../../platform/pages/data-table.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';

/** The sessions of a user, with browser, address and last use. */
export function SessionList({ reader, sessions }: { reader: User; sessions: readonly SessionSummary[] }) {
  return (
    <DataTable
      caption="Sessions, the last used first"
      columns={columnsFor(reader)}
      rows={[...sessions.entries()]}
      rowKey={([index]) => String(index)}
    />
  );
}

function columnsFor(reader: User): Column<[number, SessionSummary]>[] {
  const column = (
    label: string,
    cell: (session: SessionSummary) => ReturnType<Column<SessionSummary>['cell']>,
  ): Column<[number, SessionSummary]> => ({
    key: label,
    label,
    heading: label,
    cell: ([, session]) => cell(session),
  });
  return [
    column('Browser', ({ userAgent, current }) => (
      <>
        {browserName(userAgent)} {current && <Badge>This browser</Badge>}
      </>
    )),
    column('Address', ({ address }) => address ?? 'Unknown'),
    column('Last used', ({ lastSeenAt }) => <Timestamp at={lastSeenAt} reader={reader} />),
    column('Signed in', ({ createdAt }) => <Timestamp at={createdAt} reader={reader} />),
  ];
}
