import type { PageRouter } from '../../../../platform/pages/page-router.js';
import { profilePages } from '../../../profile/index.js';
import { ownSecondFactorPages } from '../../../second-factors/index.js';
import type { AccountPagesDependencies } from './account-pages.js';
import { emailPages } from './email.js';
import { overviewPages } from './overview.js';
import { passwordPages } from './password.js';

/** Settings → My account. */
export function accountPages(site: PageRouter, dependencies: AccountPagesDependencies): void {
  overviewPages(site, dependencies);
  profilePages(site, dependencies);
  emailPages(site, dependencies);
  passwordPages(site, dependencies);
  ownSecondFactorPages(site, dependencies);
}
