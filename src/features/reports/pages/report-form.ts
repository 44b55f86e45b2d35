import type { Fields } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { sentence, type Violation, type Words } from '../../../platform/problems/rule-texts.js';
import type { DefinitionError } from '../definition-rules.js';
import type { Report, ReportContent } from '../report.js';
import { allColumnKeys } from '../report-columns.js';
import { formatOperator, formatSortKey, keyLabel } from './definition.js';

/** A filter as it was entered. */
interface FilterForm {
  readonly field: string;
  readonly operator: string;
  /** A list has one value on each line. */
  readonly value: string;
}

/** The submitted form of a report, valid or not. */
export interface ReportForm {
  readonly title: string;
  readonly description: string;
  /** One row for each employee, or for each group; empty when none was selected. */
  readonly kind: 'list' | 'groups' | '';
  readonly columns: readonly string[];
  readonly groups: readonly string[];
  readonly sort: readonly string[];
  readonly filters: readonly FilterForm[];
}

/** Initial values of the form for a new report. */
export const emptyForm: ReportForm = {
  title: '',
  description: '',
  kind: 'list',
  columns: [],
  groups: [],
  sort: [],
  filters: [],
};

/** `id` of each field, which is also its name. Positions start at 1. */
export const fieldIds = {
  title: 'title',
  description: 'description',
  kind: (kind: 'list' | 'groups') => `kind_${kind}`,
  column: (position: number) => `column_${position}`,
  group: (position: number) => `group_${position}`,
  sort: (position: number) => `sort_${position}`,
  filter: (position: number, part: keyof FilterForm) => `filter_${position}_${part}`,
} as const;

/** Reads the fields of the form and ignores all others. Fields without a value are skipped. */
export function readReportForm(form: Fields): ReportForm {
  const kind = form.text('kind');
  return {
    title: form.text(fieldIds.title),
    description: lines(form.text(fieldIds.description)).join('\n'),
    kind: kind === 'list' || kind === 'groups' ? kind : '',
    columns: readList(form, /^column_([1-9]\d{0,2})$/, fieldIds.column),
    groups: readList(form, /^group_([1-9]\d{0,2})$/, fieldIds.group),
    sort: readList(form, /^sort_([1-9]\d{0,2})$/, fieldIds.sort),
    filters: positions(form, /^filter_([1-9]\d{0,2})_(?:field|value)$/).map((position) => ({
      field: form.text(fieldIds.filter(position, 'field')),
      operator: form.text(fieldIds.filter(position, 'operator')),
      value: form.text(fieldIds.filter(position, 'value')),
    })),
  };
}

export function storedForm(report: Pick<Report, keyof ReportContent>): ReportForm {
  return {
    title: report.title,
    description: report.description ?? '',
    kind: report.groupBy.length > 0 ? 'groups' : 'list',
    columns: report.columns,
    groups: report.groupBy,
    sort: report.sort,
    filters: report.filters.map(({ field, operator, value }) => ({
      field,
      operator,
      value: [value].flat().join('\n'),
    })),
  };
}

/** The lines of a text, without the spaces around them. */
export function lines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.trim());
}

function readList(form: Fields, pattern: RegExp, name: (position: number) => string): string[] {
  return positions(form, pattern)
    .map((position) => form.text(name(position)))
    .filter((value) => value !== '');
}

/** Positions of the fields whose names match, in ascending order. A form has at most 100 fields. */
function positions(form: Fields, pattern: RegExp): number[] {
  const found = form.entries().flatMap(([name]) => {
    const position = pattern.exec(name)?.[1];
    return position === undefined ? [] : [Number(position)];
  });
  return [...new Set(found)].sort((one, other) => one - other);
}

/** Errors of a definition as errors of the fields of the form, one for each field. */
export function toFormErrors(errors: readonly DefinitionError[], form: ReportForm): FormError[] {
  const byField = new Map<string, FormError>();
  for (const { path, violation } of errors) {
    const error = toFormError(path.map(String), violation, form);
    if (!byField.has(error.field)) byField.set(error.field, error);
  }
  return [...byField.values()];
}

function toFormError(path: readonly string[], violation: Violation, form: ReportForm): FormError {
  const [member = '', index, part] = path;
  const position = Number(index ?? 0) + 1;
  const error = (field: string, subject: string) => ({ field, message: sentence(subject, violation, words) });
  const subject = (list: string, item: string) => (index === undefined ? list : `${item} ${position}`);
  switch (member) {
    case 'title':
      return error(fieldIds.title, 'Title');
    case 'description':
      return error(fieldIds.description, 'Description');
    case 'columns':
      return error(fieldIds.column(position), subject('Columns', 'Column'));
    case 'group_by':
      return error(fieldIds.group(position), subject('Groups', 'Group'));
    case 'sort':
      return error(fieldIds.sort(position), subject('Order', 'Order key'));
  }
  const field = fieldIds.filter(position, 'field');
  if (index === undefined) return error(field, 'Filters');
  const filter = `Filter ${position}`;
  if (part === 'value') return error(fieldIds.filter(position, 'value'), `${filter}: the value`);
  if (part === 'operator') return error(fieldIds.filter(position, 'operator'), `${filter}: the condition`);
  if (form.filters[position - 1]?.field === '') return { field, message: `${filter}: choose an attribute.` };
  return error(field, `${filter}: the attribute`);
}

const keys: ReadonlySet<string> = new Set([...allColumnKeys, 'hire_year', 'count']);

/** The labels of the form in place of the names of the API. */
const words: Words = {
  name: formatKey,
  oneOf: (names) => `one of: ${names.map(formatKey).join('; ')}`,
  item: ['entry', 'entries'],
};

function formatKey(key: string): string {
  if (key === 'group_by') return 'the groups';
  if (key.startsWith('-') && keys.has(key.slice(1))) return formatSortKey(key);
  return keys.has(key) ? keyLabel(key) : formatOperator(key);
}
