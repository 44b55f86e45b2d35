import type { FormError } from '../../../platform/pages/form-parts.js';
import type { DefinitionError } from '../definition-rules.js';
import { allColumnKeys } from '../report-columns.js';
import { keyLabel, operatorWords, sortWords } from './labels.js';
import { type FilterForm, fieldIds, type ReportForm } from './report-form.js';

/** Errors of a definition as errors of the fields of the form, one for each field. */
export function toFormErrors(errors: readonly DefinitionError[], form: ReportForm): FormError[] {
  const byField = new Map<string, FormError>();
  for (const { path, rule } of errors) {
    const error = toFormError(path.map(String), rule, form);
    if (!byField.has(error.field)) byField.set(error.field, error);
  }
  return [...byField.values()];
}

function toFormError(path: readonly string[], rule: string, form: ReportForm): FormError {
  const [member = '', index, part] = path;
  const position = index === undefined ? 1 : Number(index) + 1;
  const message = (subject: string) => `${subject} ${ruleWords(rule)}.`;
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
      return filterError(position, { part, rule, filter: form.filters[position - 1] });
    }
  }
}

function filterError(
  position: number,
  { part, rule, filter }: { part: string | undefined; rule: string; filter: FilterForm | undefined },
): FormError {
  const id = (name: keyof FilterForm) => fieldIds.filter(position, name);
  if (part === 'value') {
    return { field: id('value'), message: `Filter ${position}: the value ${ruleWords(rule)}.` };
  }
  if (part === 'operator') {
    return { field: id('operator'), message: `Filter ${position}: the condition ${ruleWords(rule)}.` };
  }
  if (filter?.field === '')
    return { field: id('field'), message: `Filter ${position}: choose an attribute.` };
  return { field: id('field'), message: `Filter ${position}: the attribute ${ruleWords(rule)}.` };
}

function subject(list: string, item: string, index: string | undefined): string {
  return index === undefined ? list : `${item} ${Number(index) + 1}`;
}

const keys: ReadonlySet<string> = new Set([...allColumnKeys, 'hire_year', 'count']);

/** A rule with the labels of the form in place of the keys of the API. */
function ruleWords(rule: string): string {
  const [start = '', values] = rule.split('one of ', 2);
  if (values !== undefined && start.endsWith('must be ')) {
    return `${start}one of: ${values.split(', ').map(keyWords).join('; ')}`;
  }
  return rule
    .replaceAll('group_by', 'the groups')
    .replaceAll(/-?[a-z]+(?:_[a-z]+)+/g, keyWords)
    .replaceAll(/\bitems?\b/g, 'entries');
}

function keyWords(key: string): string {
  if (key.startsWith('-') && keys.has(key.slice(1))) return sortWords(key);
  return keys.has(key) ? keyLabel(key) : operatorWords(key);
}
