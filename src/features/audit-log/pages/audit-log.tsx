import { auditRetentionDays } from '../../../platform/audit/audit-log.js';
import { utcDate } from '../../../platform/clock.js';
import type { Core } from '../../../platform/core.js';
import { CsvHint, excelAddress } from '../../../platform/pages/csv-formats.js';
import { type Column, column, DataTable, Empty } from '../../../platform/pages/data-table.js';
import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { CursorPager } from '../../../platform/pages/pager.js';
import { settings } from '../../../platform/pages/paths.js';
import { Timestamp, timeZoneOf } from '../../../platform/pages/timestamp.js';
import { invalidParameter } from '../../../platform/problems/invalid-request.js';
import { violation } from '../../../platform/problems/rule-texts.js';
import type { OAuthApplications } from '../../oauth-clients/index.js';
import type { AuditAnchor, AuditEntry } from '../audit-log-reader.js';
import type { createAuditLog } from '../index.js';
import { auditEventLabel } from './audit-event-labels.js';
import {
  type AuditFilterChoices,
  AuditFilterForm,
  type AuditQuery,
  auditAddress,
  operatorLabel,
  readAnchor,
  readAuditQuery,
  resolveFilter,
} from './filter.js';

const pageSize = 50;

/** Users and applications that the form offers. Others can be selected by address, and by a link in the list. */
const offeredChoices = 200;

const csvPath = `${settings.auditLog}.csv`;

type AuditLogPageDependencies = Pick<Core, 'users'> &
  ReturnType<typeof createAuditLog> & { readonly applications: OAuthApplications };

/** Settings → Audit log: events of the account, newest first, and the same as CSV. */
export const auditLogPage: SettingsPage<AuditLogPageDependencies> = {
  title: 'Audit log',
  path: settings.auditLog,
  audience: 'administrators',
  register(site, dependencies) {
    const { auditLogReader, auditLogExports, users } = dependencies;
    site.get(settings.auditLog, async (context) => {
      const { user: viewer } = context;
      const query = readAuditQuery(context.query);
      const after = readAnchor(context.query.text('after'));
      const [choices, resolved] = await Promise.all([
        readChoices(context, dependencies),
        resolveFilter(query, { viewer, users }),
      ]);
      const { errors, filter } = resolved;
      const found =
        filter && (await auditLogReader.list(viewer.accountId, { filter, after, size: pageSize }));
      return {
        title: 'Audit log',
        errors,
        body: (
          <>
            <p>
              Actions of users and applications in your account. Events are kept for {auditRetentionDays}{' '}
              days. Tokens that are issued, refreshed and revoked are shown on request.
            </p>
            <AuditFilterForm {...{ query, choices }} />
            {found !== undefined && <Events {...{ query, after, ...found }} />}
          </>
        ),
      };
    });
    site.download(csvPath, async ({ query: fields, user: viewer, auditContext }) => {
      const query = readAuditQuery(fields);
      const resolved = await resolveFilter(query, { viewer, users });
      if (resolved.errors !== undefined) {
        const [{ field, message }] = resolved.errors as readonly [FormError];
        throw invalidParameter(field, violation('valid_because', { reason: message }));
      }
      const details = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
      return {
        fileName: `audit-log-${utcDate(auditContext.at)}.csv`,
        make: (signal) => auditLogExports.stream(auditContext, { ...resolved, details, signal }),
      };
    });
  },
};

async function readChoices(
  { user }: PageContext,
  { users, applications }: AuditLogPageDependencies,
): Promise<AuditFilterChoices> {
  const [people, names] = await Promise.all([
    users.names(user.accountId, offeredChoices),
    applications.names(user.accountId, offeredChoices),
  ]);
  return { people, applications: names, timeZone: timeZoneOf(user) };
}

function Events({
  query,
  after,
  entries,
  more,
}: {
  query: AuditQuery;
  after: AuditAnchor | undefined;
  entries: readonly AuditEntry[];
  more: boolean;
}) {
  const last = entries.at(-1);
  if (last === undefined) {
    return (
      <Empty title="No events.">
        <p>
          {after === undefined ? 'No event matches the filters.' : 'There are no older events.'}{' '}
          {after !== undefined && <a href={auditAddress(query)}>Show the newest</a>}
        </p>
      </Empty>
    );
  }
  return (
    <>
      <p>
        <a href={auditAddress(query, { path: csvPath })} download>
          Download all of these events as CSV
        </a>{' '}
        or as{' '}
        <a href={excelAddress(auditAddress(query, { path: csvPath }))} download>
          CSV for Excel
        </a>
      </p>
      <CsvHint />
      <DataTable caption="Events, newest first" columns={auditColumns} rows={entries} />
      <CursorPager
        first={after && auditAddress(query)}
        next={more ? auditAddress(query, { after: last }) : undefined}
        newestFirst
      />
    </>
  );
}

const auditColumns: readonly Column<AuditEntry>[] = [
  column('When', ({ createdAt }) => <Timestamp at={createdAt} />),
  column('What', (entry) => <What entry={entry} />, { isName: true }),
  column('Who', ({ userId, userName, userEmail, address }) =>
    userId === null ? (
      // Requests have an address; the command line and work in the background have none.
      address === null ? (
        operatorLabel
      ) : (
        '–'
      )
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
  column('From', ({ address }) => address ?? '–'),
];

function What({ entry: { type, details, requestId } }: { entry: AuditEntry }) {
  const facts = Object.entries({ ...details, request_ID: requestId }).filter(
    ([, value]) => textOf(value) !== null,
  );
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
  return Array.isArray(value) ? value.join(', ') || 'none' : null;
}
