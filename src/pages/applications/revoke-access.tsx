import { recordNotFound } from '../../problems/problem.js';
import type { ApplicationDetails } from '../../services/applications/application-details.js';
import { ConfirmForm } from '../confirm-form.js';
import { withNotice } from '../notices.js';
import type { PageContext } from '../page-context.js';
import type { Site } from '../site.js';
import { SitePage, settings } from '../site-page.js';
import { type ApplicationPagesDependencies, addressOf, requestedApplication } from './application-pages.js';

/** Confirmation page that lists the effects, and revocation of all access of an application. */
export function revokeAccessPages(site: Site, dependencies: ApplicationPagesDependencies): void {
  const path = `${settings.applications}/:id/revoke_access`;

  site.get(path, async (context) => {
    const application = await requestedApplication(context, dependencies);
    return { page: <RevokeAccessPage context={context} application={application} /> };
  });

  site.post(path, async (context) => {
    const { id } = await requestedApplication(context, dependencies);
    const revoked = await dependencies.applications.revokeAccess(context.auditContext, id);
    if (revoked === null) throw recordNotFound();
    return { redirect: withNotice(addressOf(id), 'access_revoked') };
  });
}

function RevokeAccessPage({
  context,
  application,
}: {
  context: PageContext;
  application: ApplicationDetails;
}) {
  const { id, name, clientType, connectedUsers } = application;
  const title = `Revoke all access of ${name}?`;
  return (
    <SitePage context={context} title={title} current="applications">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>This takes effect immediately:</strong>
        </p>
        <ul>
          <li>All access tokens and refresh tokens of the application are revoked.</li>
          <li>
            {connectedUsers === 0
              ? 'No users are connected.'
              : connectedUsers === 1
                ? '1 connected user is disconnected and has to authorize the application again.'
                : `${connectedUsers} connected users are disconnected and have to authorize the application again.`}
          </li>
        </ul>
        {clientType === 'confidential' ? (
          <p>
            The client ID and the client secrets stay valid: a client that has a secret can still get new
            tokens with the client credentials grant. If a secret may have leaked,{' '}
            <a href={addressOf(id)}>replace it</a> first.
          </p>
        ) : (
          <p>The client ID and the settings are kept. Users can authorize the application again.</p>
        )}
      </div>
      <ConfirmForm
        context={context}
        action={addressOf(id, 'revoke_access')}
        button="Revoke all access"
        cancel={addressOf(id)}
      />
    </SitePage>
  );
}
