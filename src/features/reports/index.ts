import type { Core } from '../../platform/core.js';
import { Idempotency } from '../../platform/idempotency/idempotency.js';
import { createReportValidator } from './pages/report-validator.js';
import { ReportCreators } from './report-creators.js';
import { ReportHandlers } from './report-handlers.js';
import { ReportResultHandlers } from './report-result-handlers.js';
import { ReportRuns } from './report-runs.js';
import { Reports } from './reports.js';
import { ReportCharts } from './results/report-charts.js';
import { ReportExports, ReportResults } from './results/report-results.js';

/** Creates the services and handlers for reports. */
export function createReports({
  config,
  contract,
  database,
  reads,
  clock,
  auditedExports,
  reportSlots,
  downloads,
}: Core) {
  const { baseUrl, maxReportsPerAccount: maxReports, maxIdempotencyKeys: maxKeys } = config;
  const idempotency = new Idempotency(database, { maxKeys });
  const reports = new Reports(database, { reads, idempotency, maxReports });
  const reportResults = new ReportResults(reads);
  const reportExports = new ReportExports(auditedExports, reportResults);
  const reportRuns = new ReportRuns(reportSlots);
  return {
    reports,
    reportCreators: new ReportCreators(reads),
    reportResults,
    reportCharts: new ReportCharts(reads),
    reportRuns,
    reportExports,
    validateReport: createReportValidator(contract),
    handlers: [
      new ReportHandlers(reports, { baseUrl, clock }),
      new ReportResultHandlers(reportResults, {
        ...{ reports, baseUrl, clock, downloads },
        exports: reportExports,
        runs: reportRuns,
      }),
    ] as const,
  };
}
