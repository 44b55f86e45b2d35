import { recordNotFound } from '../../problems/problem.js';
import type { ApplicationDetails } from '../../services/applications/application-details.js';
import { ConfirmForm } from '../confirm-form.js';
import { withNotice } from '../notices.js';
import type { Site, Visit } from '../site.js';
import { SitePage, settings } from '../site-page.js';
import { Timestamp } from '../timestamp.js';
import { type ApplicationPagesDependencies, addressOf, visitedApplication } from './application-pages.js';

/** Deleting an application, after a look at what goes with it. */
export function deletePages(site: Site, dependencies: ApplicationPagesDependencies): void {
  const path = `${settings.applications}/:id/delete`;

  site.get(path, async (visit) => {
    const application = await visitedApplication(visit, dependencies);
    return { page: <DeletePage visit={visit} application={application} /> };
  });

  site.post(path, async (visit) => {
    const { id } = await visitedApplication(visit, dependencies);
    if (!(await dependencies.applications.delete(visit.auditContext, id))) throw recordNotFound();
    return { goTo: withNotice(settings.applications, 'application_deleted') };
  });
}

function DeletePage({ visit, application }: { visit: Visit; application: ApplicationDetails }) {
  const { id, name, clientType, connectedUsers, lastTokenAt } = application;
  const title = `Delete ${name}?`;
  return (
    <SitePage visit={visit} title={title} current="applications">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>What stops working, at once:</strong>
        </p>
        <ul>
          <li>
            {connectedUsers === 0
              ? 'No user is connected with it.'
              : connectedUsers === 1
                ? '1 user is connected with it, and will be disconnected.'
                : `${connectedUsers} users are connected with it, and will be disconnected.`}
          </li>
          <li>
            {lastTokenAt === null ? (
              'It has never got a token.'
            ) : (
              <>
                It last got a token on <Timestamp at={lastTokenAt} reader={visit.user} />: something may still
                use it.
              </>
            )}
          </li>
          <li>
            Its client ID{clientType === 'confidential' && ', its secrets'} and every token that it has are
            refused.
          </li>
        </ul>
        <p>This cannot be undone: the same application, registered again, gets another client ID.</p>
      </div>
      <ConfirmForm
        visit={visit}
        action={addressOf(id, 'delete')}
        button="Delete application"
        cancel={addressOf(id)}
      />
    </SitePage>
  );
}
