import { isDateText } from '../../platform/contract/date-text.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import type { ReportDefinition, ReportFilter } from './report.js';
import { columnOf } from './report-columns.js';
import { readRfc3339 } from './rfc3339.js';

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
  const keys = sort.map((entry) => entry.replace(/^-/, ''));
  return [...errors, ...sortErrors(keys, groupBy)];
}

const dateRule = { isValue: isDateText, error: violation('rfc3339_date') };
const timestampRule = {
  isValue: (text: string) => readRfc3339(text) !== null,
  error: violation('rfc3339_timestamp'),
};

function* filterErrors({ field, operator, value }: ReportFilter): Iterable<DefinitionError> {
  const { type } = columnOf(field);
  if (type === 'string') return;
  if (operator === 'contains' || operator === 'starts_with') {
    yield { path: ['operator'], violation: violation('text_operator', { operator, field }) };
    return;
  }
  const { isValue, error } = type === 'date' ? dateRule : timestampRule;
  for (const [index, text] of [value].flat().entries()) {
    if (!isValue(text))
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
