import { isRecordId } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { Report, ReportDefinition } from '../report.js';
import type { ReportCreators } from '../report-creators.js';
import type { ReportRuns } from '../report-runs.js';
import type { Reports } from '../reports.js';
import type { ChartData, ReportCharts } from '../results/report-charts.js';
import type { ReportExports, ReportResults, ResultPage } from '../results/report-results.js';
import type { ReportValidator } from './report-validator.js';

export interface ReportPagesDependencies {
  readonly reports: Reports;
  readonly reportCreators: ReportCreators;
  readonly reportResults: ReportResults;
  readonly reportCharts: ReportCharts;
  readonly reportRuns: ReportRuns;
  readonly reportExports: ReportExports;
  readonly validateReport: ReportValidator;
}

/** Path of the page of a report, or of a page below it. */
export function reportAddress(id: string, ...below: readonly string[]): string {
  return [reportsPath, id, ...below].join('/');
}

/**
 * The report that the path identifies.
 *
 * @throws {Problem} 404 `not_found` when the account has no report with this id
 */
export async function requestedReport(
  { auditContext: { accountId }, parameter }: PageContext,
  { reports }: Pick<ReportPagesDependencies, 'reports'>,
): Promise<Report> {
  const id = parameter('id');
  const report = isRecordId(id) ? await reports.get(accountId, id) : null;
  if (report === null) throw recordNotFound();
  return report;
}

/** A page of the result of a report, and on the first page the data of its chart; `null` for a report without groups. */
export interface ReportRun {
  readonly result: ResultPage;
  readonly chart: ChartData | null;
}

/**
 * Runs a report, which need not be saved.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
 */
export async function runReport(
  { auditContext: { accountId }, disconnected }: PageContext,
  { reportRuns, reportResults, reportCharts }: ReportPagesDependencies,
  { report, size, skip }: { report: ReportDefinition & Pick<Report, 'version'>; size: number; skip: number },
): Promise<ReportRun> {
  const signal = disconnected();
  const read = async () => {
    const result = await reportResults.readPage(accountId, {
      report,
      page: { size, from: { skip } },
      signal,
    });
    const hasChart = report.groupBy.length > 0 && result.recordCount > 0 && skip === 0;
    return { result, chart: hasChart ? await reportCharts.read(accountId, report, signal) : null };
  };
  return await reportRuns.run(accountId, { signal, read });
}
