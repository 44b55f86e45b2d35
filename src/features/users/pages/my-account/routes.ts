import type { SettingsPage } from '../../../../platform/pages/define-pages.js';
import { settings } from '../../../../platform/pages/paths.js';
import { profilePages } from '../../../profile/index.js';
import { ownSecondFactorPages } from '../../../second-factors/index.js';
import type { AccountPagesDependencies } from './account-pages.js';
import { emailPages } from './email.js';
import { overviewPages } from './overview.js';
import { passwordPages } from './password.js';

/** Settings → My account. */
export const accountPages: SettingsPage<AccountPagesDependencies> = {
  title: 'My account',
  path: settings.account,
  audience: 'users',
  register(site, dependencies) {
    overviewPages(site, dependencies);
    profilePages(site, dependencies);
    emailPages(site, dependencies);
    passwordPages(site, dependencies);
    ownSecondFactorPages(site, dependencies);
  },
};
