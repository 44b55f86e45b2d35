import type { Report as ReportRow } from '../../platform/database/generated/client.js';
import type { Measure } from './measures.js';
import { allColumnKeys, type ColumnKey, type GroupKey } from './report-columns.js';

/** A condition on employees that compares with one value. */
interface ReportTextFilter {
  readonly field: ColumnKey;
  readonly operator: 'eq' | 'not_eq' | 'contains' | 'starts_with';
  readonly value: string;
}

/** A condition on employees that compares with a list of values. */
interface ReportListFilter {
  readonly field: ColumnKey;
  readonly operator: 'in' | 'not_in';
  readonly value: readonly string[];
}

/** A condition on employees that compares a date, a timestamp or a number with one value. */
interface ReportRangeFilter {
  readonly field: ColumnKey;
  readonly operator: 'before' | 'after' | 'on_or_before' | 'on_or_after' | 'lt' | 'lte' | 'gt' | 'gte';
  readonly value: string;
}

/** A condition that employees have no value, or have one. */
interface ReportEmptyFilter {
  readonly field: ColumnKey;
  readonly operator: 'empty' | 'not_empty';
  readonly value?: never;
}

export type ReportFilter = ReportTextFilter | ReportListFilter | ReportRangeFilter | ReportEmptyFilter;

/** The values that a filter compares with. */
export function valuesOf({ value = [] }: ReportFilter): readonly string[] {
  return [value].flat();
}

/** A key of a column, of computed groups or of a measure, or `count`; a leading `-` means descending. */
type SortKey = string;

/** The definition of a report. Exactly one of `columns` and `groupBy` is empty. Only with `groupBy`, it has measures. */
export interface ReportDefinition {
  readonly columns: readonly ColumnKey[];
  readonly filters: readonly ReportFilter[];
  readonly sort: readonly SortKey[];
  readonly groupBy: readonly GroupKey[];
  readonly measures: readonly Measure[];
}

/** The members of a report that clients write. */
export interface ReportContent extends ReportDefinition {
  readonly title: string;
  readonly description: string | null;
}

/** A saved report of one account. */
export interface Report extends ReportContent {
  readonly id: string;
  /** Increases with every change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The user and the application that created it, which may have been deleted. */
  readonly createdByUserId: string | null;
  readonly createdByApplicationId: string | null;
}

/** Converts a stored row, which was validated when it was written. */
export function toReport(row: Omit<ReportRow, 'accountId'>): Report {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    columns: row.columns as ColumnKey[],
    filters: row.filters as unknown as ReportFilter[],
    sort: row.sort,
    groupBy: row.groupBy as GroupKey[],
    measures: row.measures as unknown as Measure[],
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    createdByUserId: row.createdByUserId,
    createdByApplicationId: row.createdByApplicationId,
  };
}

/** Converts content to the members of a row. Repeated columns and sort keys are removed. */
export function toStored({ title, description, columns, filters, sort, groupBy, measures }: ReportContent) {
  return {
    title,
    description,
    columns: [...new Set(columns)],
    filters: filters.map(({ field, operator, value }) => ({
      field,
      operator,
      ...(value !== undefined && { value: typeof value === 'string' ? value : [...value] }),
    })),
    sort: sort.filter((entry, index) => sort.findIndex((other) => keyOf(other) === keyOf(entry)) === index),
    groupBy: [...new Set(groupBy)],
    measures: measures.map(({ function: name, field }) => ({ function: name, field })),
  };
}

/** The key of a sort key, without its direction. */
export function keyOf(entry: SortKey): string {
  return entry.replace(/^-/, '');
}

/** The keys by which a definition filters, sorts and groups, and from which it computes measures. */
export function comparedKeys({
  filters = [],
  sort = [],
  groupBy = [],
  measures = [],
}: Partial<ReportDefinition>): string[] {
  const fields = [...filters, ...measures].map(({ field }) => field);
  return [...fields, ...sort.map(keyOf), ...groupBy];
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
    measures: given.measures ?? [],
  };
}

/**
 * The content of a report after a change. `columns` and `groupBy` exclude each other: changing one clears the other. A report that
 * becomes a list loses its measures.
 */
export function changedContent(current: ReportContent, changes: ReportChanges): ReportContent {
  const { columns, groupBy } = shape(current, changes);
  return {
    title: changes.title ?? current.title,
    description: changes.description === undefined ? current.description : changes.description,
    filters: changes.filters ?? current.filters,
    sort: changes.sort ?? current.sort,
    columns,
    groupBy,
    measures: changes.measures ?? (groupBy.length > 0 ? current.measures : []),
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
