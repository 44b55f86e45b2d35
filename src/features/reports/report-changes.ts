import type { ReportContent } from './report.js';
import { allColumnKeys } from './report-columns.js';

/** Changes of a report. Absent members are not changed. */
export type ReportChanges = { readonly [Member in keyof ReportContent]?: ReportContent[Member] | undefined };

/** The content of a new report. By default it has all columns of all employees. */
export function newContent(given: ReportChanges & { readonly title: string }): ReportContent {
  const groupBy = given.groupBy ?? [];
  return {
    title: given.title,
    description: given.description ?? null,
    columns: given.columns ?? (groupBy.length > 0 ? [] : allColumnKeys),
    filters: given.filters ?? [],
    sort: given.sort ?? [],
    groupBy,
  };
}

/** The content of a report after a change. `columns` and `groupBy` exclude each other: changing one clears the other. */
export function changedContent(current: ReportContent, changes: ReportChanges): ReportContent {
  return {
    title: changes.title ?? current.title,
    description: changes.description === undefined ? current.description : changes.description,
    filters: changes.filters ?? current.filters,
    sort: changes.sort ?? current.sort,
    ...shape(current, changes),
  };
}

function shape(
  current: ReportContent,
  { columns, groupBy }: ReportChanges,
): Pick<ReportContent, 'columns' | 'groupBy'> {
  if (columns !== undefined) return { columns, groupBy: groupBy ?? [] };
  if (groupBy === undefined) return { columns: current.columns, groupBy: current.groupBy };
  if (groupBy.length > 0) return { columns: [], groupBy };
  return { columns: current.columns.length > 0 ? current.columns : allColumnKeys, groupBy };
}
