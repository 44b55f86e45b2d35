import type { Core } from '../../platform/core.js';
import { UsageReader } from './usage-reader.js';

export { type CallCounts, describeCalls, sumOf, usageDays } from './pages/calls-chart.js';
export { type RequestsPageDependencies, requestsPage } from './pages/requests.js';
export { type UsagePageDependencies, usagePage } from './pages/usage.js';
export { lastDays } from './usage-reader.js';

/** Creates the service that reads the usage of applications. */
export function createUsage({ database }: Core) {
  return { usage: new UsageReader(database) };
}
