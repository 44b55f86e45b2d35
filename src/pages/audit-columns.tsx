import type { AuditEntry } from '../services/audit-log-reader.js';
import type { User } from '../services/user.js';
import { auditEventLabel } from './audit-event-labels.js';
import type { Column } from './data-table.js';
import { Timestamp } from './timestamp.js';

/** Columns of the audit log. */
export function auditColumns(reader: User): Column<AuditEntry>[] {
  return [
    {
      key: 'when',
      heading: 'When',
      label: 'When',
      cell: ({ createdAt }) => <Timestamp at={createdAt} reader={reader} />,
    },
    { key: 'what', heading: 'What', label: 'What', cell: (entry) => <What entry={entry} /> },
    {
      key: 'who',
      heading: 'Who',
      label: 'Who',
      cell: ({ userId, userName, userEmail }) =>
        userId === null ? (
          '–'
        ) : (
          <>
            {userName ?? 'Deleted user'}
            <span class="hint"> {userEmail ?? userId}</span>
          </>
        ),
    },
    {
      key: 'application',
      heading: 'Application',
      label: 'Application',
      cell: ({ applicationId, applicationName, details }) =>
        applicationId === null ? '–' : (applicationName ?? textOf(details.name) ?? 'Deleted application'),
    },
    {
      key: 'from',
      heading: 'From',
      label: 'From',
      cell: ({ address, requestId }) => (
        <>
          {address ?? 'Command line'}
          {requestId !== null && <span class="hint"> {requestId}</span>}
        </>
      ),
    },
  ];
}

function What({ entry: { type, details } }: { entry: AuditEntry }) {
  const facts = Object.entries(details).filter(([, value]) => textOf(value) !== null);
  return (
    <>
      <strong>{auditEventLabel(type)}</strong>
      {facts.length > 0 && (
        <details>
          <summary>Details</summary>
          <dl class="small">
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll('_', ' ')}</dt>
                <dd>{textOf(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(', ') : null;
}
