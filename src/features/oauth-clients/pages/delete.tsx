import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import { confirmPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { ApplicationPagesDependencies } from './application-pages.js';

export function deletePages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  confirmPage(site, applicationAddress(':id', 'delete'), {
    reason: 'revokes all access, and destroys the application',
    view: async (context) => {
      const application = await requestedApplication(context, dependencies);
      const { id, name } = application;
      return {
        title: `Delete ${name}?`,
        parent: { title: name, href: applicationAddress(id) },
        button: 'Delete application',
        cancel: applicationAddress(id),
        body: <Effects {...application} />,
      };
    },
    save: async (context) => {
      const { id } = await requestedApplication(context, dependencies);
      if (!(await dependencies.applications.delete(context.auditContext, id))) throw recordNotFound();
      return { redirect: withFlash(settings.applications, 'application_deleted') };
    },
  });
}

function Effects({ clientType, connectedUsers, lastTokenAt }: ApplicationDetails) {
  return (
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
            The last token was issued on <Timestamp at={lastTokenAt} />: a client may still use the
            application.
          </>
        )}
        {connectedUsers === 0 && ' No user is connected.'}
      </p>
      <p>This cannot be undone. If you register the application again, it gets a new client ID.</p>
    </div>
  );
}
