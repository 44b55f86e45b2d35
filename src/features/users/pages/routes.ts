import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import { settings } from '../../../platform/pages/paths.js';
import { changePages } from './changes.js';
import { invitationPages } from './invite.js';
import { listPage } from './list.js';
import { showPage } from './show-page.js';
import type { UserPagesDependencies } from './user-pages.js';

/** Settings → Users. */
export const userPages: SettingsPage<UserPagesDependencies> = {
  title: 'Users',
  path: settings.users,
  audience: 'administrators',
  register(site, dependencies) {
    listPage(site, dependencies);
    invitationPages(site, dependencies);
    showPage(site, dependencies);
    changePages(site, dependencies);
  },
};
