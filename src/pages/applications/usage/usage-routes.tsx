import type { Contract } from '../../../contract/contract.js';
import type { ApplicationReader } from '../../../services/applications/application-details.js';
import { lastDays } from '../../../services/usage/usage-range.js';
import type { UsageReader } from '../../../services/usage/usage-reader.js';
import { settings } from '../../paths.js';
import type { Site } from '../../site.js';
import { requestedApplication } from '../requested-application.js';
import type { ApplicationLimits } from './limits-section.js';
import { selectedDay, usageDays } from './usage-days.js';
import { UsagePage } from './usage-page.js';

/** Dependencies of the page for the usage of an application. */
export interface UsagePageDependencies {
  readonly usage: UsageReader;
  readonly limits: ApplicationLimits;
  readonly problems: Contract['problems'];
}

/** Settings → OAuth applications → an application → Usage. */
export function usagePage(
  site: Site,
  dependencies: { readonly applications: ApplicationReader } & UsagePageDependencies,
): void {
  const { usage, limits, problems } = dependencies;
  site.get(`${settings.applications}/:id/usage`, async (context) => {
    const { accountId, at } = context.auditContext;
    const range = lastDays(at, usageDays);
    const day = selectedDay(context.query, range);
    const application = await requestedApplication(context, dependencies);
    const { id } = application;
    const [byDay, byHour, rejections] = await Promise.all([
      usage.usageOf(accountId, id, { ...range, per: 'day' }),
      usage.usageOf(accountId, id, { ...day, per: 'hour' }),
      usage.rejectedRequestsOf(accountId, id),
    ]);
    const read = { range, byDay, day, byHour, rejections };
    return { page: <UsagePage {...{ context, application, limits, problems, ...read }} /> };
  });
}
