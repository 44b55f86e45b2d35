import type { SessionSummary } from '../../../platform/accounts/sessions.js';
import { Badge } from '../../../platform/pages/badge.js';
import { browserName } from '../../../platform/pages/browser-name.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';

/** The sessions of a user, with browser, address and last use. */
export function SessionList({ sessions }: { sessions: readonly SessionSummary[] }) {
  return (
    <DataTable
      caption="Sessions, the last used first"
      columns={columns}
      rows={[...sessions.entries()]}
      rowKey={([index]) => String(index)}
    />
  );
}

const columns: readonly Column<[number, SessionSummary]>[] = [
  column('Browser', ([, { userAgent, current }]) => (
    <>
      {browserName(userAgent)} {current && <Badge>This browser</Badge>}
    </>
  )),
  column('Address', ([, { address }]) => address ?? 'Unknown'),
  column('Last used', ([, { lastSeenAt }]) => <Timestamp at={lastSeenAt} />),
  column('Signed in', ([, { createdAt }]) => <Timestamp at={createdAt} />),
];
