import { isDateText } from '../../platform/contract/outside-text.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { type CustomType, comparedTextRule } from '../employees/index.js';
import { isRelativeDate } from './relative-dates.js';
import { type ReportFilter, valuesOf } from './report.js';
import type { ReportColumn } from './report-columns.js';
import { readRfc3339 } from './rfc3339.js';

type Operator = ReportFilter['operator'];

/** An inconsistency of a filter, and its location in the filter. */
interface FilterError {
  readonly path: readonly (string | number)[];
  readonly violation: Violation;
}

const whole = ['eq', 'not_eq', 'in', 'not_in'] as const;
const parts = ['contains', 'starts_with'] as const;
const emptiness = ['empty', 'not_empty'] as const;

/** The operators of filters by a custom attribute, the most useful one first. */
export const customOperators: Readonly<Record<CustomType, readonly Operator[]>> = {
  text: [...parts, ...whole, ...emptiness],
  long_text: [...parts, ...emptiness],
  number: ['gte', 'gt', 'lte', 'lt', ...whole, ...emptiness],
  date: ['on_or_after', 'after', 'on_or_before', 'before', ...whole, ...emptiness],
  boolean: ['eq', 'not_eq', ...emptiness],
  choice: ['in', 'not_in', 'eq', 'not_eq', ...parts, ...emptiness],
  choices: ['contains', ...emptiness],
  employee: ['in', 'not_in', 'eq', 'not_eq', ...emptiness],
};

/** What the values of a filter must be; texts can be any. */
const valueRules: Partial<Readonly<Record<ReportColumn['type'], (text: string) => Violation | undefined>>> = {
  date: (text) => (isDateText(text) || isRelativeDate(text) ? undefined : violation('filter_date')),
  date_time: (text) =>
    readRfc3339(text) !== null || isRelativeDate(text) ? undefined : violation('filter_timestamp'),
  number: (text) => comparedTextRule('number', text),
  boolean: (text) =>
    text === 'true' || text === 'false' ? undefined : violation('one_of', { values: ['true', 'false'] }),
};

/** Finds inconsistencies between the column, the operator and the values of a filter. */
export function* filterErrors(filter: ReportFilter, { type, custom }: ReportColumn): Iterable<FilterError> {
  const { field, operator, value } = filter;
  const operators = custom && customOperators[custom.type];
  if (operators !== undefined && !operators.includes(operator)) {
    yield { path: ['operator'], violation: violation('operator_of', { field, operators }) };
    return;
  }
  if (custom === undefined && type !== 'string' && (operator === 'contains' || operator === 'starts_with')) {
    yield { path: ['operator'], violation: violation('text_operator', { operator, field }) };
    return;
  }
  for (const [index, text] of valuesOf(filter).entries()) {
    // No attribute has an empty text as its value.
    const empty = custom && text === '' ? violation('not_blank') : undefined;
    const violated = valueRules[type]?.(text) ?? empty;
    if (violated !== undefined)
      yield { path: typeof value === 'string' ? ['value'] : ['value', index], violation: violated };
  }
}
