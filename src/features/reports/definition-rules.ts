import { isDateText } from '../../platform/contract/outside-text.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { isRelativeDate } from './relative-dates.js';
import { keyOf, type ReportDefinition, type ReportFilter, valuesOf } from './report.js';
import { columnOf } from './report-columns.js';

const timestampForm =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Parses an RFC 3339 date-time to milliseconds, the precision of the database; `null` for any other string. Leap seconds and
 * the year 0 are rejected, because PostgreSQL cannot store them.
 */
export function readRfc3339(text: string): Date | null {
  if (!timestampForm.test(text) || !isDayOfMonth(text)) return null;
  const date = new Date(text.toUpperCase());
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : null;
}

/** Whether the month has this day: `Date` converts 30 February to 2 March. */
function isDayOfMonth(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return day <= last.getUTCDate();
}

/** An inconsistency in a definition, and its location. */
export interface DefinitionError {
  readonly path: readonly (string | number)[];
  readonly violation: Violation;
}

/** Finds inconsistencies between the parts of a definition. Each part is valid by itself. */
export function findDefinitionErrors({ filters, sort, groupBy }: ReportDefinition): DefinitionError[] {
  const errors: DefinitionError[] = [];
  for (const [index, filter] of filters.entries()) {
    for (const { path, violation } of filterErrors(filter)) {
      errors.push({ path: ['filters', index, ...path], violation });
    }
  }
  const keys = sort.map(keyOf);
  return [...errors, ...sortErrors(keys, groupBy)];
}

const dateRule = { isValue: isDateText, error: violation('filter_date') };
const timestampRule = {
  isValue: (text: string) => readRfc3339(text) !== null,
  error: violation('filter_timestamp'),
};

function* filterErrors(filter: ReportFilter): Iterable<DefinitionError> {
  const { field, operator, value } = filter;
  const { type } = columnOf(field);
  if (type === 'string') return;
  if (operator === 'contains' || operator === 'starts_with') {
    yield { path: ['operator'], violation: violation('text_operator', { operator, field }) };
    return;
  }
  const { isValue, error } = type === 'date' ? dateRule : timestampRule;
  for (const [index, text] of valuesOf(filter).entries()) {
    if (!isValue(text) && !isRelativeDate(text))
      yield { path: typeof value === 'string' ? ['value'] : ['value', index], violation: error };
  }
}

function* sortErrors(keys: readonly string[], groupBy: readonly string[]): Iterable<DefinitionError> {
  const grouped = groupBy.length > 0;
  for (const [index, key] of keys.entries()) {
    const path = ['sort', index];
    if (grouped && key !== 'count' && !groupBy.includes(key)) {
      yield { path, violation: violation('grouped_sort') };
    }
    if (!grouped && (key === 'count' || key === 'hire_year')) {
      yield { path, violation: violation('ungrouped_sort', { key }) };
    }
  }
}
