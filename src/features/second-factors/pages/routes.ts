import type { PageRouter } from '../../../platform/pages/page-router.js';
import { appPages } from './app.js';
import { secondFactorOverviewPage } from './overview.js';
import { passkeyPages } from './passkeys.js';
import { recoveryCodePages } from './recovery-codes.js';
import type { OwnSecondFactorDependencies } from './second-factor-pages.js';

/** Settings → My account → Second factor, also for users who have to set one up before their sign-in is complete. */
export function ownSecondFactorPages(site: PageRouter, dependencies: OwnSecondFactorDependencies): void {
  const enrolment = site.forEnrolment();
  secondFactorOverviewPage(enrolment, dependencies);
  appPages(enrolment, dependencies);
  passkeyPages(enrolment, dependencies);
  recoveryCodePages(site, dependencies);
}
