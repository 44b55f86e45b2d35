import type { ApplicationReader } from '../../../oauth/clients/application-details.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import type { Contract } from '../../../platform/contract/contract.js';
import { settings } from '../../../platform/pages/paths.js';
import type { Site } from '../../../platform/pages/site.js';
import { lastDays } from '../usage-range.js';
import type { UsageReader } from '../usage-reader.js';
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
