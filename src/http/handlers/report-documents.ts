import type { components } from '../../contract/generated.js';
import type { Report } from '../../services/reports/report.js';
import type { ReportChanges } from '../../services/reports/report-changes.js';
import type { ColumnDescription } from '../../services/reports/report-columns.js';
import type { ResultRow } from '../../services/reports/results/read-page.js';

type Schemas = components['schemas'];

/** A report as the contract shows it. */
export function toResource(report: Report): Schemas['Report'] {
  return {
    id: report.id,
    type: 'reports',
    attributes: {
      title: report.title,
      description: report.description,
      columns: [...report.columns],
      filters: report.filters.map(({ field, operator, value }) => ({
        field,
        operator,
        value: typeof value === 'string' ? value : [...value],
      })),
      sort: [...report.sort],
      group_by: [...report.groupBy],
      created_at: report.createdAt.toISOString(),
      updated_at: report.updatedAt.toISOString(),
    },
  };
}

/** What a body asks a report to be. */
export function toChanges(
  body: Schemas['ReportCreateRequest'] | Schemas['ReportUpdateRequest'],
): ReportChanges {
  const { title, description, columns, filters, sort, group_by: groupBy } = body;
  return { title, description, columns, filters, sort, groupBy };
}

/** A row of a result, its attributes in the order of the columns. */
export function toRowResource(row: ResultRow, columns: readonly ColumnDescription[]): Schemas['ReportRow'] {
  const attributes = columns.map(({ key }, index) => [key, row.values[index]]);
  return { id: row.id, type: 'report_rows', attributes: Object.fromEntries(attributes) };
}
