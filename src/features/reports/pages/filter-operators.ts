import { customOperators } from '../filter-rules.js';
import type { ReportFilter } from '../report.js';
import type { ReportColumns } from '../report-columns.js';
import type { FilterForm } from './report-form.js';

/** The operators that compare a column with values, the most useful one first. */
export function operatorsOf(field: string, columns: ReportColumns): readonly ReportFilter['operator'][] {
  const column = columns.get(field);
  if (column === undefined) return [];
  if (column.custom !== undefined) return customOperators[column.custom.type];
  const empty = column.canBeEmpty ? (['empty', 'not_empty'] as const) : [];
  if (column.type !== 'string') {
    const order = ['on_or_after', 'after', 'on_or_before', 'before'] as const;
    return [...order, 'eq', 'not_eq', 'in', 'not_in', ...empty];
  }
  const values = ['in', 'not_in', 'eq', 'not_eq'] as const;
  if (field === 'manager_id') return [...values, ...empty];
  if (isCounted(field)) return [...values, 'contains', 'starts_with', ...empty];
  return ['contains', 'starts_with', 'eq', 'not_eq', 'in', 'not_in', ...empty];
}

/** Whether few employees differ in an attribute of the contract, so that a filter offers its values. */
export function isCounted(field: string): field is 'status' | 'department' | 'location' {
  return field === 'status' || field === 'department' || field === 'location';
}

/** Whether a filter offers the values of a column. */
export function isChosen(field: string, columns: ReportColumns): boolean {
  return isCounted(field) || columns.get(field)?.custom?.type === 'choice';
}

/** Whether an operator compares with a list of values. */
export function isListOperator(operator: string): boolean {
  return operator === 'in' || operator === 'not_in';
}

/** Whether an operator compares with one whole value. */
export function isOneOperator(operator: string): boolean {
  return operator === 'eq' || operator === 'not_eq';
}

/** Whether an operator compares with nothing. */
export function isEmptyOperator(operator: string): boolean {
  return operator === 'empty' || operator === 'not_empty';
}

/** Whether a filter compares with one date or time. */
export function isDateFilter({ field, operator }: FilterForm, columns: ReportColumns): boolean {
  const { type } = columns.get(field) ?? {};
  const isDate = type === 'date' || type === 'date_time';
  return isDate && !isListOperator(operator) && !isEmptyOperator(operator);
}

/**
 * A filter that is added, without an operator, gets the most useful one. Dates start with a relative one, which most reports need, and
 * which shows that there are others.
 */
export function withOperator(filter: FilterForm, columns: ReportColumns): FilterForm {
  if (filter.operator !== '' || filter.value !== '') return filter;
  const complete = { ...filter, operator: operatorsOf(filter.field, columns)[0] ?? 'eq' };
  return isDateFilter(complete, columns) ? { ...complete, value: 'start_of_year' } : complete;
}
