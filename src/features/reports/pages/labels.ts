import type { ReportFilter } from '../report.js';
import { columnOf, describeGroupKey, type GroupKey } from '../report-columns.js';

const operators: Readonly<Record<ReportFilter['operator'], string>> = {
  eq: 'is',
  not_eq: 'is not',
  contains: 'contains',
  starts_with: 'starts with',
  in: 'is one of',
  not_in: 'is none of',
  before: 'is before',
  after: 'is after',
};

/** An operator as text. */
export function operatorWords(operator: string): string {
  return Object.hasOwn(operators, operator) ? operators[operator as ReportFilter['operator']] : operator;
}

/** A key of groups, or `count`, as text. */
export function keyLabel(key: string): string {
  return key === 'count' ? 'Count' : describeGroupKey(key as GroupKey).label;
}

/** A sort key as text, such as "Last name, descending". */
export function sortWords(key: string): string {
  return `${keyLabel(key.replace(/^-/, ''))}, ${key.startsWith('-') ? 'descending' : 'ascending'}`;
}

/** A list of names in a sentence, such as "department and hire year". */
export function listWords(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
}

/** A label within a sentence. */
export function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}

/** A filter as text, such as "Department is one of Sales, Legal". */
export function filterWords({ field, operator, value }: ReportFilter): string {
  const values = [value].flat().map((text) => (text === '' ? 'empty text' : text));
  return `${columnOf(field).label} ${operatorWords(operator)} ${values.join(', ')}`;
}
