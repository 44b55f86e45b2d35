import type { AuditAnchor, AuditLogReader } from '../services/audit-log-reader.js';
import { auditRetentionDays } from '../services/housekeeping.js';
import { auditColumns } from './audit-columns.js';
import { auditEventLabels, isAuditEventType } from './audit-event-labels.js';
import { DataTable } from './data-table.js';
import type { Site } from './site.js';
import { SitePage, settings } from './site-page.js';

const pageSize = 50;

/** Settings → Audit log: events of the account, newest first. */
export function auditLogPage(site: Site, { auditLog }: { auditLog: AuditLogReader }): void {
  site.get(settings.auditLog, async (context) => {
    const wanted = context.query.text('type');
    const type = isAuditEventType(wanted) ? wanted : undefined;
    const after = readAnchor(context.query.text('after'));
    const { entries, more } = await auditLog.list(context.user.accountId, {
      type,
      after,
      size: pageSize,
    });
    const last = entries.at(-1);
    return {
      page: (
        <SitePage context={context} title="Audit log" current="auditLog">
          <h1>Audit log</h1>
          <p>
            Actions of users and applications in your account. Events are kept for {auditRetentionDays} days.
          </p>
          <FilterForm type={type} />
          {entries.length > 0 ? (
            <DataTable
              caption="Events, newest first"
              columns={auditColumns(context.user)}
              rows={entries}
              rowKey={({ id }) => id}
            />
          ) : (
            <div class="empty">
              <p>
                <strong>No events.</strong>
              </p>
              <p>
                {after === undefined ? 'No events of this type were recorded.' : 'There are no older events.'}
              </p>
            </div>
          )}
          {(after !== undefined || more) && (
            <nav aria-label="Pages" class="pager">
              {after !== undefined && <a href={addressOf({ type })}>« Newest</a>}
              {more && last !== undefined && (
                <a href={addressOf({ type, after: last })} rel="next">
                  Older ›
                </a>
              )}
            </nav>
          )}
        </SitePage>
      ),
    };
  });
}

function FilterForm({ type }: { type: string | undefined }) {
  return (
    <form method="get" action={settings.auditLog} class="search">
      <div>
        <label for="type">Event type</label>
        <select id="type" name="type">
          <option value="">All</option>
          {Object.entries(auditEventLabels).map(([value, label]) => (
            <option key={value} value={value} selected={value === type}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Show</button>
    </form>
  );
}

function addressOf({ type, after }: { type: string | undefined; after?: AuditAnchor }): string {
  const query = new URLSearchParams();
  if (type !== undefined) query.set('type', type);
  if (after !== undefined) query.set('after', `${after.createdAt.getTime()}-${after.id}`);
  return query.size === 0 ? settings.auditLog : `${settings.auditLog}?${query}`;
}

/** Parses the cursor of a page. Any other value selects the first page. */
function readAnchor(text: string): AuditAnchor | undefined {
  const [, time, id] = /^(\d{1,15})-([a-z0-9]{1,64})$/.exec(text) ?? [];
  if (time === undefined || id === undefined || Number(time) > latest) return undefined;
  return { createdAt: new Date(Number(time)), id };
}

const latest = Date.UTC(9999, 11, 31);
