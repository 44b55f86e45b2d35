import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { changePages } from './changes.js';
import { disconnectPages } from './disconnect.js';
import { invitationPages } from './invite.js';
import { listPage } from './list.js';
import { ShowPage } from './show-page.js';
import { mayChange, requestedUser, type UserPagesDependencies } from './user-pages.js';

/** Settings → Users. */
export function userPages(site: PageRouter, dependencies: UserPagesDependencies): void {
  const { userSessions, grants, passwordLinks } = dependencies;
  listPage(site, dependencies);
  invitationPages(site, dependencies);
  site.get(`${settings.users}/:id`, async (context) => {
    const { accountId, at: now } = context.auditContext;
    const user = await requestedUser(context, dependencies);
    const shown = mayChange(context, user);
    const sessions = shown ? await userSessions.list({ id: user.id, accountId }) : [];
    const connections = shown ? await grants.connectedApplications(accountId, { userId: user.id, now }) : [];
    return {
      page: <ShowPage {...{ context, user, sessions, connections }} delivers={passwordLinks.delivers} />,
    };
  });
  changePages(site, dependencies);
  disconnectPages(site, dependencies);
}
