import { isRecordId } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { Employees } from '../../employees/index.js';
import type { Report } from '../report.js';
import type { Reports } from '../reports.js';
import type { ReportResults } from '../results/report-results.js';
import type { ReportValidator } from './report-validator.js';

export interface ReportPagesDependencies {
  readonly employees: Pick<Employees, 'names'>;
  readonly reports: Reports;
  readonly reportResults: ReportResults;
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
