import { confirmPage } from '../../../platform/pages/define-pages.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import {
  afterChange,
  changeableUser,
  requestedUser,
  type UserPagesDependencies,
  userAddress,
} from './user-pages.js';

/** Revocation of the access that another user has granted an application. */
export function disconnectPages(site: PageRouter, dependencies: UserPagesDependencies): void {
  const { grants, userAdministration } = dependencies;
  confirmPage(site, userAddress(':id', 'applications', ':application_id', 'disconnect'), {
    reason: 'revokes the access of an application',
    view: async (context) => {
      const user = await changeableUser(context, dependencies);
      const { accountId, at: now } = context.auditContext;
      const applicationId = requestedApplicationId(context);
      const query = { userId: user.id, now, applicationId };
      const [connection] = await grants.connectedApplications(accountId, query);
      if (connection === undefined) throw recordNotFound();
      return {
        title: `Disconnect ${connection.name}?`,
        button: 'Disconnect',
        cancel: userAddress(user.id),
        body: (
          <div class="warning">
            <p>
              The application immediately loses its access on behalf of {user.email}. It keeps the data that
              it has already read. To use it again, the user has to authorize it again.
            </p>
          </div>
        ),
      };
    },
    save: async (context) => {
      const { id } = await requestedUser(context, dependencies);
      const applicationId = requestedApplicationId(context);
      const change = await userAdministration.disconnect(context.auditContext, id, applicationId);
      if (change.kind === 'unchanged') throw recordNotFound();
      return afterChange(change, id, 'user_disconnected');
    },
  });
}

function requestedApplicationId(context: PageContext): string {
  const id = context.parameter('application_id');
  if (!isRecordId(id)) throw recordNotFound();
  return id;
}
