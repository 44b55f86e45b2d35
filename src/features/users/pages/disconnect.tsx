import type { ConnectedApplication } from '../../../oauth/grants/grants.js';
import type { UserSummary } from '../../../platform/accounts/users.js';
import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import {
  afterChange,
  changeableUser,
  requestedUser,
  type UserPagesDependencies,
  userAddress,
} from './user-pages.js';

/** Confirmation page, and revocation of the access that another user has granted an application. */
export function disconnectPages(site: PageRouter, dependencies: UserPagesDependencies): void {
  const { grants, userAdministration } = dependencies;
  const path = `${settings.users}/:id/applications/:application_id/disconnect`;

  site.get(path, async (context) => {
    const user = await changeableUser(context, dependencies);
    const { accountId, at: now } = context.auditContext;
    const applicationId = requestedApplicationId(context);
    const query = { userId: user.id, now, applicationId };
    const [connection] = await grants.connectedApplications(accountId, query);
    if (connection === undefined) throw recordNotFound();
    return { page: <DisconnectPage {...{ context, user, connection }} /> };
  });

  site.post(path, async (context) => {
    const { id } = await requestedUser(context, dependencies);
    const applicationId = requestedApplicationId(context);
    const change = await userAdministration.disconnect(context.auditContext, id, applicationId);
    if (change.kind === 'unchanged') throw recordNotFound();
    return afterChange(change, id, 'user_disconnected');
  });
}

function requestedApplicationId(context: PageContext): string {
  const id = context.parameter('application_id');
  if (!isRecordId(id)) throw recordNotFound();
  return id;
}

function DisconnectPage({
  context,
  user,
  connection,
}: {
  context: PageContext;
  user: UserSummary;
  connection: ConnectedApplication;
}) {
  const { applicationId, name } = connection;
  const title = `Disconnect ${name}?`;
  return (
    <SitePage context={context} title={title} current="users">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          The application immediately loses its access on behalf of {user.email}. It keeps the data that it
          has already read. To use it again, the user has to authorize it again.
        </p>
      </div>
      <ConfirmForm
        context={context}
        action={userAddress(user.id, 'applications', applicationId, 'disconnect')}
        button="Disconnect"
        cancel={userAddress(user.id)}
      />
    </SitePage>
  );
}
