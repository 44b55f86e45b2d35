import { requestedId } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { found } from '../../../platform/problems/problem.js';
import type { Directory, Employees, ManagerChoices } from '../../employees/index.js';
import type { createReports } from '../index.js';
import type { Report } from '../report.js';

export type ReportPagesDependencies = Omit<ReturnType<typeof createReports>, 'handlers'> & {
  readonly employees: Pick<Employees, 'names'>;
  readonly directory: Pick<Directory, 'choices'>;
  readonly managerChoices: ManagerChoices;
};

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
  context: PageContext,
  { reports }: Pick<ReportPagesDependencies, 'reports'>,
): Promise<Report> {
  return found(await reports.get(context.user.accountId, requestedId(context)));
}

/** The name of a file with a report: the title without the characters that file systems reserve, of at most 100 characters. */
export function fileNameOf({ id, title }: Report): string {
  const name = title
    .replace(/[\p{C}\\/:*?"<>|]+/gu, ' ')
    .replace(/ +/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '');
  return [...name].slice(0, 100).join('').trim() || `report-${id}`;
}
