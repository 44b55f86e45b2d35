import { type Column, column } from '../../../platform/pages/data-table.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import type { AuditEntry } from '../audit-log-reader.js';
import { auditEventLabel } from './audit-event-labels.js';
import { auditAddress } from './resolve-filter.js';

export const auditColumns: readonly Column<AuditEntry>[] = [
  column('When', ({ createdAt }) => <Timestamp at={createdAt} />),
  column('What', (entry) => <What entry={entry} />, { isName: true }),
  column('Who', ({ userId, userName, userEmail }) =>
    userId === null ? (
      '–'
    ) : (
      <>
        {userEmail === null ? (
          'Deleted user'
        ) : (
          <a href={auditAddress({ person: userEmail })}>
            <bdi>{userName}</bdi>
          </a>
        )}
        <span class="hint"> {userEmail ?? userId}</span>
      </>
    ),
  ),
  column('Application', ({ applicationId, applicationName, details }) =>
    applicationId === null ? (
      '–'
    ) : (
      <a href={auditAddress({ application: applicationId })}>
        <bdi>{applicationName ?? textOf(details.name) ?? 'Deleted application'}</bdi>
      </a>
    ),
  ),
  column('From', ({ address, requestId }) => (
    <>
      {address ?? 'Command line'}
      {requestId !== null && <span class="hint"> {requestId}</span>}
    </>
  )),
];

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
