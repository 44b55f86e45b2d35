import type { Site } from '../../site.js';
import type { AccountPagesDependencies } from '../account-pages.js';
import { appPages } from './app.js';
import { secondFactorOverviewPage } from './overview.js';
import { passkeyPages } from './passkeys.js';
import { recoveryCodePages } from './recovery-codes.js';

/** Settings → My account → Second factor, also for users who have to set one up before their sign-in is complete. */
export function ownSecondFactorPages(site: Site, dependencies: AccountPagesDependencies): void {
  const enrolment = site.forEnrolment();
  secondFactorOverviewPage(enrolment, dependencies);
  appPages(enrolment, dependencies);
  passkeyPages(enrolment, dependencies);
  recoveryCodePages(site, dependencies);
}
