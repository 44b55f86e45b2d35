import { isDateText } from '../../platform/contract/date-text.js';
import type { ReportDefinition, ReportFilter } from './report.js';
import { columnOf } from './report-columns.js';
import { readRfc3339 } from './rfc3339.js';

/** An inconsistency in a definition, and its location. */
export interface DefinitionError {
  readonly path: readonly (string | number)[];
  /** The rule that the member violates, as text that follows its name. */
  readonly rule: string;
}

/** Finds inconsistencies between the parts of a definition. Each part is valid by itself. */
export function findDefinitionErrors({ filters, sort, groupBy }: ReportDefinition): DefinitionError[] {
  const errors: DefinitionError[] = [];
  for (const [index, filter] of filters.entries()) {
    for (const { path, rule } of filterErrors(filter)) {
      errors.push({ path: ['filters', index, ...path], rule });
    }
  }
  const keys = sort.map((entry) => entry.replace(/^-/, ''));
  return [...errors, ...sortErrors(keys, groupBy)];
}

const dateRule = { isValue: isDateText, rule: 'must be an RFC 3339 date, YYYY-MM-DD' };
const timestampRule = {
  isValue: (text: string) => readRfc3339(text) !== null,
  rule: 'must be an RFC 3339 date-time with a time zone',
};

function* filterErrors({ field, operator, value }: ReportFilter): Iterable<DefinitionError> {
  const { type } = columnOf(field);
  if (type === 'string') return;
  if (operator === 'contains' || operator === 'starts_with') {
    yield { path: ['operator'], rule: `must not be ${operator} for ${field}, which is not a text column` };
    return;
  }
  const { isValue, rule } = type === 'date' ? dateRule : timestampRule;
  for (const [index, text] of [value].flat().entries()) {
    if (!isValue(text)) yield { path: typeof value === 'string' ? ['value'] : ['value', index], rule };
  }
}

function* sortErrors(keys: readonly string[], groupBy: readonly string[]): Iterable<DefinitionError> {
  const grouped = groupBy.length > 0;
  for (const [index, key] of keys.entries()) {
    const path = ['sort', index];
    if (grouped && key !== 'count' && !groupBy.includes(key)) {
      yield { path, rule: 'must be count or one of the columns in group_by' };
    }
    if (!grouped && (key === 'count' || key === 'hire_year')) {
      yield { path, rule: `must not be ${key} in a report without group_by` };
    }
  }
}
