import type { Core } from '../../platform/core.js';
import { AccountColumns } from './account-columns.js';
import { createReportValidator } from './pages/report-validator.js';
import { ReportHandlers } from './report-handlers.js';
import { ReportResultHandlers } from './report-result-handlers.js';
import { Reports } from './reports.js';
import { ReportResults } from './results/report-results.js';

export function createReports(core: Core) {
  const { config, contract, database, reads, clock, idempotency } = core;
  const { baseUrl, maxReportsPerAccount: maxReports } = config;
  const reports = new Reports(database, { reads, idempotency, maxReports });
  const reportResults = new ReportResults(core);
  const reportColumns = new AccountColumns(reads);
  return {
    reports,
    reportResults,
    reportColumns,
    validateReport: createReportValidator(contract),
    handlers: [
      new ReportHandlers(reports, { baseUrl, clock }),
      new ReportResultHandlers({ results: reportResults, reports, columns: reportColumns }, core),
    ] as const,
  };
}
