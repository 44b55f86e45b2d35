import { recordNotFound } from '../problems/problem.js';
import type { ConnectedApplication, Grants } from '../services/grants/grants.js';
import { isRecordId } from './applications/application-pages.js';
import { ConfirmForm } from './confirm-form.js';
import { Fact, Facts } from './form-parts.js';
import { withNotice } from './notices.js';
import { scopeLabel } from './scope-labels.js';
import type { Site, Visit } from './site.js';
import { SitePage, settings } from './site-page.js';
import { Timestamp, TimestampOrNever } from './timestamp.js';

/** Settings → Connected applications: what a person allowed, and the way to take it back. */
export function connectedApplicationsPages(site: Site, { grants }: { grants: Grants }): void {
  const path = `${settings.connected}/:id/disconnect`;

  site.get(settings.connected, async (visit) => {
    const { accountId, userId, at: now } = visit.auditContext;
    const connections = await grants.connectedApplications(accountId, { userId, now });
    return { page: <ConnectionsPage visit={visit} connections={connections} /> };
  });

  site.get(path, async (visit) => {
    const { accountId, userId, at: now } = visit.auditContext;
    const applicationId = visitedId(visit);
    const [connection] = await grants.connectedApplications(accountId, { userId, now, applicationId });
    if (connection === undefined) throw recordNotFound();
    return { page: <DisconnectPage visit={visit} connection={connection} /> };
  });

  site.post(path, async (visit) => {
    if (!(await grants.disconnect(visit.auditContext, visitedId(visit)))) throw recordNotFound();
    return { goTo: withNotice(settings.connected, 'disconnected') };
  });
}

function visitedId(visit: Visit): string {
  const id = visit.parameter('id');
  if (!isRecordId(id)) throw recordNotFound();
  return id;
}

function disconnectAddress(applicationId: string): string {
  return `${settings.connected}/${applicationId}/disconnect`;
}

function ConnectionsPage({
  visit,
  connections,
}: {
  visit: Visit;
  connections: readonly ConnectedApplication[];
}) {
  return (
    <SitePage visit={visit} title="Connected applications" current="connected">
      <h1>Connected applications</h1>
      <p>Applications that you allowed to act for you. Disconnect what you do not use or do not know.</p>
      {connections.length === 0 && (
        <div class="empty">
          <p>
            <strong>No application is connected.</strong>
          </p>
          <p>When you allow one something, it appears here.</p>
        </div>
      )}
      {connections.map(({ applicationId, name, scopes, connectedAt, lastTokenAt }) => (
        <article key={applicationId} aria-labelledby={`connection-${applicationId}`}>
          <div class="heading">
            <h2 id={`connection-${applicationId}`}>{name}</h2>
            <a class="button secondary" href={disconnectAddress(applicationId)}>
              Disconnect<span class="unseen"> {name}</span>
            </a>
          </div>
          <Facts>
            <Fact name="It may">
              <ul class="plain">
                {scopes.length === 0 && <li>Do nothing any more: what you allowed was taken from it.</li>}
                {scopes.map((scope) => (
                  <li key={scope}>{scopeLabel(scope)}</li>
                ))}
              </ul>
            </Fact>
            <Fact name="Connected">
              <Timestamp at={connectedAt} reader={visit.user} />
            </Fact>
            <Fact name="Last token issued">
              <TimestampOrNever at={lastTokenAt} reader={visit.user} />
            </Fact>
          </Facts>
        </article>
      ))}
    </SitePage>
  );
}

function DisconnectPage({ visit, connection }: { visit: Visit; connection: ConnectedApplication }) {
  const { applicationId, name } = connection;
  const title = `Disconnect ${name}?`;
  return (
    <SitePage visit={visit} title={title} current="connected">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          From that moment it can neither read nor change anything for you. What it has already read stays
          with it. To use it again you have to allow it again.
        </p>
      </div>
      <ConfirmForm
        visit={visit}
        action={disconnectAddress(applicationId)}
        button="Disconnect"
        cancel={settings.connected}
      />
    </SitePage>
  );
}
