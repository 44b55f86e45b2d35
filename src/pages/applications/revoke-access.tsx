import { recordNotFound } from '../../problems/problem.js';
import type { ApplicationDetails } from '../../services/applications/application-details.js';
import { ConfirmForm } from '../confirm-form.js';
import { withNotice } from '../notices.js';
import type { Site, Visit } from '../site.js';
import { SitePage, settings } from '../site-page.js';
import { type ApplicationPagesDependencies, addressOf, visitedApplication } from './application-pages.js';

/** Revoking all access of an application, after a page that shows what stops working. */
export function revokeAccessPages(site: Site, dependencies: ApplicationPagesDependencies): void {
  const path = `${settings.applications}/:id/revoke_access`;

  site.get(path, async (visit) => {
    const application = await visitedApplication(visit, dependencies);
    return { page: <RevokeAccessPage visit={visit} application={application} /> };
  });

  site.post(path, async (visit) => {
    const { id } = await visitedApplication(visit, dependencies);
    const revoked = await dependencies.applications.revokeAccess(visit.auditContext, id);
    if (revoked === null) throw recordNotFound();
    return { goTo: withNotice(addressOf(id), 'access_revoked') };
  });
}

function RevokeAccessPage({ visit, application }: { visit: Visit; application: ApplicationDetails }) {
  const { id, name, clientType, connectedUsers } = application;
  const title = `Revoke all access of ${name}?`;
  return (
    <SitePage visit={visit} title={title} current="applications">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>What stops working, at once:</strong>
        </p>
        <ul>
          <li>Every access token and refresh token that it has is rejected.</li>
          <li>
            {connectedUsers === 0
              ? 'No user is connected with it.'
              : connectedUsers === 1
                ? '1 user is connected with it, and has to allow it again.'
                : `${connectedUsers} users are connected with it, and have to allow it again.`}
          </li>
        </ul>
        {clientType === 'confidential' ? (
          <p>
            Its client ID and secrets stay: a client that has a secret can get new tokens for the application
            itself. If a secret may have leaked, <a href={addressOf(id)}>replace it</a> first.
          </p>
        ) : (
          <p>Its client ID and settings stay: users can allow it again.</p>
        )}
      </div>
      <ConfirmForm
        visit={visit}
        action={addressOf(id, 'revoke_access')}
        button="Revoke all access"
        cancel={addressOf(id)}
      />
    </SitePage>
  );
}
