import type { IdempotentOutcome } from '../../platform/idempotency/idempotency.js';
import type { DefinitionError } from './definition-rules.js';
import type { Report, ReportContent } from './report.js';
import { allColumnKeys } from './report-columns.js';

export type CreatedReport =
  | IdempotentOutcome
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] }
  /** The account has reached its limit of reports. */
  | { readonly kind: 'limit_reached'; readonly limit: number }
  /** The application was deleted after it authenticated. */
  | { readonly kind: 'application_deleted' };

export type CreatedThroughForm =
  | { readonly kind: 'created'; readonly id: string }
  /** The same form has already created this report. */
  | { readonly kind: 'repeated'; readonly id: string }
  | Extract<CreatedReport, { kind: 'invalid' | 'limit_reached' }>;

export type UpdatedReport =
  | { readonly kind: 'updated'; readonly report: Report }
  | { readonly kind: 'not_found' }
  /** The stored version does not meet the precondition. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'invalid'; readonly errors: readonly DefinitionError[] };

export type DeletedReport = 'deleted' | 'not_found' | 'conflict';

/** Rolls back the creation of a report when its application was deleted. */
export class ApplicationDeletedError extends Error {
  override readonly name = 'ApplicationDeletedError';
}

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
