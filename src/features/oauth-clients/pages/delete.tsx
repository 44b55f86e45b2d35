import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { ApplicationPagesDependencies } from './application-pages.js';

/** Confirmation page that lists the effects, and deletion of an application. */
export function deletePages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const path = `${settings.applications}/:id/delete`;

  site.get(path, async (context) => {
    const application = await requestedApplication(context, dependencies);
    return { page: <DeletePage context={context} application={application} /> };
  });

  site.post(path, async (context) => {
    const { id } = await requestedApplication(context, dependencies);
    if (!(await dependencies.applications.delete(context.auditContext, id))) throw recordNotFound();
    return { redirect: withNotice(settings.applications, 'application_deleted') };
  });
}

function DeletePage({ context, application }: { context: PageContext; application: ApplicationDetails }) {
  const { id, name, clientType, connectedUsers, lastTokenAt } = application;
  const title = `Delete ${name}?`;
  return (
    <SitePage
      context={context}
      title={title}
      current="applications"
      parent={{ title: name, href: applicationAddress(id) }}
    >
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>This takes effect immediately:</strong>
        </p>
        <ul>
          {connectedUsers > 0 && (
            <li>
              {connectedUsers === 1
                ? '1 connected user is disconnected.'
                : `${connectedUsers} connected users are disconnected.`}
            </li>
          )}
          <li>
            The client ID{clientType === 'confidential' && ', the client secrets'} and all tokens of the
            application stop working.
          </li>
        </ul>
        <p>
          {lastTokenAt === null ? (
            'No token has been issued yet.'
          ) : (
            <>
              The last token was issued on <Timestamp at={lastTokenAt} reader={context.user} />: a client may
              still use the application.
            </>
          )}
          {connectedUsers === 0 && ' No user is connected.'}
        </p>
        <p>This cannot be undone. If you register the application again, it gets a new client ID.</p>
      </div>
      <ConfirmForm
        context={context}
        action={applicationAddress(id, 'delete')}
        button="Delete application"
        cancel={applicationAddress(id)}
      />
    </SitePage>
  );
}
