import type { FormError } from '../../../platform/pages/form-parts.js';
import { sentence, type Violation, type Words } from '../../../platform/problems/rule-texts.js';
import type { DefinitionError } from '../definition-rules.js';
import { allColumnKeys } from '../report-columns.js';
import { keyLabel, operatorWords, sortWords } from './labels.js';
import { type FilterForm, fieldIds, type ReportForm } from './report-form.js';

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
  const position = index === undefined ? 1 : Number(index) + 1;
  const message = (subject: string) => sentence(subject, violation, words);
  switch (member) {
    case 'title':
      return { field: fieldIds.title, message: message('Title') };
    case 'description':
      return { field: fieldIds.description, message: message('Description') };
    case 'columns':
      return { field: fieldIds.column(position), message: message(subject('Columns', 'Column', index)) };
    case 'group_by':
      return { field: fieldIds.group(position), message: message(subject('Groups', 'Group', index)) };
    case 'sort':
      return { field: fieldIds.sort(position), message: message(subject('Order', 'Order key', index)) };
    default: {
      if (index === undefined) return { field: fieldIds.filter(1, 'field'), message: message('Filters') };
      return filterError(position, { part, violation, filter: form.filters[position - 1] });
    }
  }
}

function filterError(
  position: number,
  {
    part,
    violation,
    filter,
  }: { part: string | undefined; violation: Violation; filter: FilterForm | undefined },
): FormError {
  const id = (name: keyof FilterForm) => fieldIds.filter(position, name);
  const message = (subject: string) => sentence(`Filter ${position}: the ${subject}`, violation, words);
  if (part === 'value') {
    return { field: id('value'), message: message('value') };
  }
  if (part === 'operator') {
    return { field: id('operator'), message: message('condition') };
  }
  if (filter?.field === '')
    return { field: id('field'), message: `Filter ${position}: choose an attribute.` };
  return { field: id('field'), message: message('attribute') };
}

function subject(list: string, item: string, index: string | undefined): string {
  return index === undefined ? list : `${item} ${Number(index) + 1}`;
}

const keys: ReadonlySet<string> = new Set([...allColumnKeys, 'hire_year', 'count']);

/** The labels of the form in place of the names of the API. */
const words: Words = {
  name: keyWords,
  oneOf: (names) => `one of: ${names.map(keyWords).join('; ')}`,
  item: ['entry', 'entries'],
};

function keyWords(key: string): string {
  if (key === 'group_by') return 'the groups';
  if (key.startsWith('-') && keys.has(key.slice(1))) return sortWords(key);
  return keys.has(key) ? keyLabel(key) : operatorWords(key);
}
