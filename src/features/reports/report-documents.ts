import type { components } from '../../platform/contract/generated.js';
import type { Report, ReportFilter } from './report.js';
import type { ReportChanges } from './report-changes.js';
import type { ColumnDescription, ColumnKey, GroupKey } from './report-columns.js';
import type { ResultRow } from './results/result-row.js';

type Schemas = components['schemas'];

/** A report as a resource of the contract. */
export function toResource(report: Report): Schemas['Report'] {
  return {
    id: report.id,
    type: 'reports',
    attributes: {
      title: report.title,
      description: report.description,
      columns: [...report.columns],
      filters: report.filters.map(toFilterDocument),
      sort: [...report.sort],
      group_by: [...report.groupBy],
      created_at: report.createdAt.toISOString(),
      updated_at: report.updatedAt.toISOString(),
    },
  };
}

function toFilterDocument(filter: ReportFilter): Schemas['ReportFilter'] {
  const { field } = filter;
  switch (filter.operator) {
    case 'in':
    case 'not_in':
      return { field, operator: filter.operator, value: [...filter.value] };
    default:
      return { field, operator: filter.operator, value: filter.value };
  }
}

/** Changes of a report in a request body. */
export function toChanges(
  body: Schemas['ReportCreateRequest'] | Schemas['ReportUpdateRequest'],
): ReportChanges {
  const { title, description, filters, sort } = body;
  return {
    title,
    description,
    columns: keysOf<ColumnKey>(body.columns),
    filters,
    sort,
    groupBy: keysOf<GroupKey>(body.group_by),
  };
}

/** Items of arrays that must be empty have the type `''`. */
function keysOf<Key extends GroupKey>(
  keys: readonly Key[] | readonly ''[] | undefined,
): readonly Key[] | undefined {
  return keys as readonly Key[] | undefined;
}

/** A row of a result, its attributes in the order of the columns. */
export function toRowResource(row: ResultRow, columns: readonly ColumnDescription[]): Schemas['ReportRow'] {
  const attributes = columns.map(({ key }, index) => [key, row.values[index]]);
  return { id: row.id, type: 'report_rows', attributes: Object.fromEntries(attributes) };
}
