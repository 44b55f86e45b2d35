import { normalizeNfc } from '../../../platform/contract/outside-text.js';
import { type Fields, lines } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { sentence, type Violation, type Words } from '../../../platform/problems/rule-texts.js';
import { computedGroup, tenure } from '../computed-keys.js';
import type { DefinitionError } from '../definition-rules.js';
import { measureKey, measureOf } from '../measures.js';
import { keyOf, type Report, type ReportContent, valuesOf } from '../report.js';
import type { ReportColumns } from '../report-columns.js';
import { dateValue } from './date-values.js';
import { formatOperator, formatSortKey, keyLabel } from './definition.js';

/** A filter as it was entered. */
export interface FilterForm {
  readonly field: string;
  readonly operator: string;
  /** A list has one value on each line. */
  readonly value: string;
}

/**
 * The fields of a filter: a date has a choice and a number of days besides, and a manager a field for searching, which has no
 * value.
 */
type FilterPart = keyof FilterForm | 'when' | 'days' | 'search';

/** The parts of a report that are lists of keys. */
export type ListName = 'column' | 'group' | 'measure' | 'sort';

/** The submitted form of a report, valid or not. */
export interface ReportForm {
  readonly title: string;
  readonly description: string;
  /** One row for each employee, or for each group; empty when none was selected. */
  readonly kind: 'list' | 'groups' | '';
  readonly columns: readonly string[];
  readonly groups: readonly string[];
  /** Keys of measures. */
  readonly measures: readonly string[];
  readonly sort: readonly string[];
  readonly filters: readonly FilterForm[];
}

/** Initial values of the form for a new report: a list that people can read. The default of the API is all columns. */
export const emptyReportForm: ReportForm = {
  title: '',
  description: '',
  kind: 'list',
  columns: [
    ...(['last_name', 'first_name', 'employee_number', 'department'] as const),
    ...(['job_title', 'location', 'status', 'hire_date'] as const),
  ],
  groups: [],
  measures: [],
  sort: [],
  filters: [],
};

/** `id` of each field, which is also its name. Positions start at 1. */
export const reportFieldIds = {
  title: 'title',
  description: 'description',
  kind: (kind: 'list' | 'groups') => `kind_${kind}`,
  item: (list: ListName, position: number) => `${list}_${position}`,
  filter: (position: number, part: FilterPart) => `filter_${position}_${part}`,
  /** The field for the next key of a list, or the attribute of the next filter. */
  next: (list: ListName | 'filter') => `new_${list}`,
} as const;

/**
 * Reads the fields of the form and ignores all others. Fields without a value are skipped. What is selected as the next entry of
 * a list is its last one.
 */
export function readReportForm(form: Fields): ReportForm {
  const kind = form.text('kind');
  const added = form.text(reportFieldIds.next('filter'));
  return {
    title: form.text(reportFieldIds.title),
    description: lines(form.text(reportFieldIds.description)).join('\n'),
    kind: kind === 'list' || kind === 'groups' ? kind : '',
    columns: readList(form, 'column', /^column_([1-9]\d{0,2})$/),
    groups: readList(form, 'group', /^group_([1-9]\d{0,2})$/),
    measures: readList(form, 'measure', /^measure_([1-9]\d{0,2})$/),
    sort: readList(form, 'sort', /^sort_([1-9]\d{0,2})$/),
    filters: [
      ...positions(form, /^filter_([1-9]\d{0,2})_(?:field|value)$/).map((position) => ({
        field: form.text(reportFieldIds.filter(position, 'field')),
        operator: form.text(reportFieldIds.filter(position, 'operator')),
        value: dateValue({
          when: form.text(reportFieldIds.filter(position, 'when')),
          date: form.list(reportFieldIds.filter(position, 'value')).map(normalizeNfc).join('\n'),
          days: form.text(reportFieldIds.filter(position, 'days')),
        }),
      })),
      ...(added === '' ? [] : [{ field: added, operator: '', value: '' }]),
    ],
  };
}

/** What a button that saves nothing has changed in a form, and the `id` of the element that has the focus then. */
interface EditedForm {
  readonly form: ReportForm;
  readonly focus: string;
}

/** The values of the buttons of an entry of a list, or of a filter. Positions start at 1. */
export const buttons = {
  add: (list: ListName | 'filter') => `add_${list}`,
  remove: (list: ListName | 'filter', position: number) => `remove_${list}_${position}`,
  up: (list: ListName, position: number) => `up_${list}_${position}`,
  down: (list: ListName, position: number) => `down_${list}_${position}`,
  preview: 'preview',
  /** Searches the employees that a filter offers. */
  search: (position: number) => `search_${position}`,
  /** Shows the form again, with the field that the condition of a filter needs. */
  refresh: 'refresh',
} as const;

const members = {
  column: 'columns',
  group: 'groups',
  measure: 'measures',
  sort: 'sort',
  filter: 'filters',
} as const;

/** Applies a button that adds, moves or removes an entry; `null` for other buttons. Added entries are already in the form. */
export function applyButton(form: ReportForm, button: string): EditedForm | null {
  const [, action, name = '', position] =
    /^(add|remove|up|down)_(column|group|measure|sort|filter)(?:_([1-9]\d{0,2}))?$/.exec(button) ?? [];
  if (action === undefined) return null;
  const list = name as keyof typeof members;
  const index = Number(position) - 1;
  const entries: readonly unknown[] = form[members[list]];
  if (action === 'add') {
    const added = list === 'filter' && entries.length > 0;
    return {
      form,
      focus: added ? reportFieldIds.filter(entries.length, 'operator') : reportFieldIds.next(list),
    };
  }
  if (action === 'remove') {
    const left = entries.filter((_, other) => other !== index);
    return { form: { ...form, [members[list]]: left }, focus: reportFieldIds.next(list) };
  }
  const target = index + (action === 'up' ? -1 : 1);
  if (list === 'filter' || index >= entries.length || target < 0 || target >= entries.length) {
    return { form, focus: reportFieldIds.next(list) };
  }
  const moved = entries.with(index, entries[target]).with(target, entries[index]);
  const isLast = target === (action === 'up' ? 0 : entries.length - 1);
  const next = isLast ? (action === 'up' ? buttons.down : buttons.up) : buttons[action as 'up' | 'down'];
  return { form: { ...form, [members[list]]: moved }, focus: next(list, target + 1) };
}

export function storedReportForm(report: Pick<Report, keyof ReportContent>): ReportForm {
  return {
    title: report.title,
    description: report.description ?? '',
    kind: report.groupBy.length > 0 ? 'groups' : 'list',
    columns: report.columns,
    groups: report.groupBy,
    measures: report.measures.map(measureKey),
    sort: report.sort,
    filters: report.filters.map((filter) => ({
      field: filter.field,
      operator: filter.operator,
      value: valuesOf(filter).join('\n'),
    })),
  };
}

/** A search for employees in the filter at a position, from 1. */
export interface EmployeeSearch {
  readonly position: number;
  readonly text: string;
}

/** The filter whose employees are searched, and the text: by its button, or by the Enter key in its field. */
export function requestedSearch(form: Fields): EmployeeSearch | undefined {
  const button = form.text('do');
  return positions(form, /^filter_([1-9]\d{0,2})_search$/)
    .filter((position) => button === '' || button === buttons.search(position))
    .map((position) => ({ position, text: form.text(reportFieldIds.filter(position, 'search')) }))
    .find(({ text }) => text !== '');
}

function readList(form: Fields, list: ListName, pattern: RegExp): string[] {
  return [
    ...positions(form, pattern).map((position) => reportFieldIds.item(list, position)),
    reportFieldIds.next(list),
  ]
    .flatMap((name) => form.text(name).split(','))
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
export function toFormErrors(
  errors: readonly DefinitionError[],
  { form, columns }: { form: ReportForm; columns: ReportColumns },
): FormError[] {
  const words = wordsFor(columns);
  const byField = new Map<string, FormError>();
  for (const { path, violation } of errors) {
    const error = toFormError(path.map(String), violation, { form, words });
    if (!byField.has(error.field)) byField.set(error.field, error);
  }
  return [...byField.values()];
}

function toFormError(
  path: readonly string[],
  violation: Violation,
  { form, words }: { form: ReportForm; words: Words },
): FormError {
  const [member = '', index, part] = path;
  const position = Number(index ?? 0) + 1;
  const error = (field: string, subject: string) => ({ field, message: sentence(subject, violation, words) });
  const subject = (list: string, item: string) => (index === undefined ? list : `${item} ${position}`);
  /** An error of the whole list belongs to the field that adds an entry. */
  const listField = (list: ListName, entries: readonly string[]) =>
    index === undefined || entries.length < position
      ? reportFieldIds.next(list)
      : reportFieldIds.item(list, position);
  switch (member) {
    case 'title':
      return error(reportFieldIds.title, 'Title');
    case 'description':
      return error(reportFieldIds.description, 'Description');
    case 'columns':
      return error(listField('column', form.columns), subject('Columns', 'Column'));
    case 'group_by':
      return error(listField('group', form.groups), subject('Groups', 'Group'));
    case 'measures':
      return error(listField('measure', form.measures), subject('Measures', 'Measure'));
    case 'sort':
      return error(listField('sort', form.sort), subject('Sort by', 'Sort key'));
  }
  const field = reportFieldIds.filter(position, 'field');
  if (index === undefined) return error(reportFieldIds.next('filter'), 'Filters');
  const filter = `Filter ${position}`;
  if (part === 'value') return error(reportFieldIds.filter(position, 'value'), `${filter}: the value`);
  if (part === 'operator')
    return error(reportFieldIds.filter(position, 'operator'), `${filter}: the condition`);
  if (form.filters[position - 1]?.field === '') return { field, message: `${filter}: choose an attribute.` };
  return error(field, `${filter}: the attribute`);
}

/** The labels of the form in place of the names of the API. */
function wordsFor(columns: ReportColumns): Words {
  const isKey = (key: string) =>
    columns.has(key) || key === 'count' || key === tenure.key || computedGroup(key) || measureOf(key);
  const name = (key: string) => {
    if (key === 'group_by') return 'the groups';
    if (key.startsWith('-') && isKey(keyOf(key))) return formatSortKey(key, columns);
    if (key === tenure.key) return tenure.label;
    return isKey(key) ? keyLabel(key, columns) : formatOperator(key);
  };
  return { name, oneOf: (names) => `one of: ${names.map(name).join('; ')}`, item: ['entry', 'entries'] };
}
