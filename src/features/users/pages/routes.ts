import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import { settings } from '../../../platform/pages/paths.js';
import { changePages } from './changes.js';
import { disconnectPages } from './disconnect.js';
import { invitationPages } from './invite.js';
import { listPage } from './list.js';
import { showPage } from './show-page.js';
import { mayChange, requestedUser, type UserPagesDependencies, userAddress } from './user-pages.js';

/** Settings → Users. */
export const userPages: SettingsPage<UserPagesDependencies> = {
  title: 'Users',
  path: settings.users,
  audience: 'administrators',
  register(site, dependencies) {
    const { userSessions, grants, passwordLinks } = dependencies;
    listPage(site, dependencies);
    invitationPages(site, dependencies);
    site.get(userAddress(':id'), async (context) => {
      const { accountId, at: now } = context.auditContext;
      const user = await requestedUser(context, dependencies);
      const shown = mayChange(context, user);
      const sessions = shown ? await userSessions.list({ id: user.id, accountId }) : [];
      const connections = shown
        ? await grants.connectedApplications(accountId, { userId: user.id, now })
        : [];
      return showPage({ context, user, sessions, connections, canSendMail: passwordLinks.canSendMail });
    });
    changePages(site, dependencies);
    disconnectPages(site, dependencies);
  },
};
