import { fullAccess } from '../../../platform/contract/attribute-access.js';
import { requestedId } from '../../../platform/pages/fields.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { reportsPath } from '../../../platform/pages/paths.js';
import { found } from '../../../platform/problems/problem.js';
import type { AsOf, Directory, Employees, ManagerChoices } from '../../employees/index.js';
import type { createReports } from '../index.js';
import { asReadable } from '../readable-report.js';
import type { Report, ReportDefinition } from '../report.js';
import type { ReportColumns } from '../report-columns.js';

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

/** The columns of the user that reports need. Owners and administrators, for whom the pages are, see every attribute. */
export function columnsFor(
  context: PageContext,
  { reportColumns }: Pick<ReportPagesDependencies, 'reportColumns'>,
  reports: readonly Partial<ReportDefinition>[],
): Promise<ReportColumns> {
  return reportColumns.readFor({ accountId: context.user.accountId, access: fullAccess }, reports);
}

/**
 * The report that the path identifies, as the user can run it, with the columns of the user. `unusable`: the report needs a custom
 * attribute that is archived or deleted.
 *
 * @throws {Problem} 404 `not_found` when the account has no report with this id
 */
export async function runnableReport(
  context: PageContext,
  dependencies: Pick<ReportPagesDependencies, 'reports' | 'reportColumns'>,
): Promise<
  | { readonly report: Report; readonly columns: ReportColumns }
  | { readonly unusable: Report; readonly columns: ReportColumns }
> {
  const report = await requestedReport(context, dependencies);
  const columns = await columnsFor(context, dependencies, [report]);
  const readable = asReadable(report, { access: fullAccess, columns });
  return 'violation' in readable ? { unusable: report, columns } : { ...readable, columns };
}

/**
 * The name of a file with a report: the title without the characters that file systems reserve, of at most 100 characters, and the
 * date of its employees if it is not the present one.
 */
export function fileNameOf({ id, title }: Report, asOf?: AsOf): string {
  const name = title
    .replace(/[\p{C}\\/:*?"<>|]+/gu, ' ')
    .replace(/ +/g, ' ')
    .replace(/^[ .]+|[ .]+$/g, '');
  const shown = [...name].slice(0, 100).join('').trim() || `report-${id}`;
  return asOf === undefined ? shown : `${shown} ${asOf.date}`;
}
