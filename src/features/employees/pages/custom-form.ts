import type { Fields } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { isSameValue } from '../../../platform/pages/merge.js';
import { sentence, type Violation, violation } from '../../../platform/problems/rule-texts.js';
import { hasChoices } from '../custom-attribute-rules.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { refersToEmployees, sizedReferences } from '../custom-references.js';
import {
  customBytes,
  customValue,
  formatCustomValue,
  maximumCustomBytes,
  maximumStoredBytes,
  withCustomChanges,
} from '../custom-values.js';
import type { CustomChanges, CustomValue, CustomValues, Employee, GivenReferences } from '../employee.js';

/**
 * Values of the form by the names of the custom attributes. Several choices are one text, each on its own line, in alphabetical order. An
 * employee is an employee number.
 */
type CustomForm = Readonly<Record<string, string>>;

const booleanLabels = new Map([true, false].map((value) => [formatCustomValue(value), value ? 'Yes' : 'No']));

/** Yes and no in the form. */
export const booleanTexts: readonly string[] = [...booleanLabels.keys()];

/** Yes or no of the form, or of the audit log, for users. */
export function booleanLabel(text: string): string {
  return booleanLabels.get(text) ?? text;
}

/** The choices in the text of a form. */
export function chosenIn(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

/** The member of the validation for all values together. */
const customMember = 'custom';

/** A value as text of the form. */
function formText(value: CustomValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.toSorted().join('\n') : formatCustomValue(value);
}

/** Reads the fields of custom attributes. Those of others, which may have been archived since the form was opened, are ignored. */
export function readCustomForm(form: Fields, attributes: readonly CustomAttribute[]): CustomForm {
  const read = ({ name, type }: CustomAttribute) => {
    if (hasChoices(type)) return form.list(name).toSorted().join('\n');
    return type === 'long_text' ? form.text(name).replaceAll(/\r\n?/g, '\n') : form.text(name);
  };
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, read(attribute)]));
}

/**
 * The values of an employee in the form.
 *
 * @param referenced the employees that the values refer to, by id
 */
export function storedCustomForm(
  { custom }: Pick<Employee, 'custom'>,
  attributes: readonly CustomAttribute[],
  referenced: ReadonlyMap<string, Employee>,
): CustomForm {
  const text = (attribute: CustomAttribute) => {
    const shown = formText(customValue(custom, attribute.key));
    return refersToEmployees(attribute) ? (referenced.get(shown)?.employeeNumber ?? '') : shown;
  };
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, text(attribute)]));
}

/**
 * The values that a form has for the validation, and the names of those that keep what is stored. A value that is required is
 * never one of them without a value.
 */
export function givenCustom(
  form: CustomForm,
  stored: CustomForm,
  attributes: readonly CustomAttribute[],
): { readonly values: Readonly<Record<string, unknown>>; readonly unchanged: readonly string[] } {
  const value = ({ name, type }: CustomAttribute) => {
    const text = form[name] ?? '';
    return type === 'choices' ? chosenIn(text) : text;
  };
  const isUnchanged = ({ name, required }: CustomAttribute) =>
    Object.hasOwn(stored, name) &&
    isSameValue(form[name] ?? '', stored[name]) &&
    !(required && (form[name] ?? '') === '');
  return {
    values: Object.fromEntries(attributes.map((attribute) => [attribute.name, value(attribute)])),
    unchanged: attributes.filter(isUnchanged).map(({ name }) => name),
  };
}

/** The errors of the fields of custom attributes, in their order. */
export function customErrors(
  form: CustomForm,
  violations: ReadonlyMap<string, Violation>,
  attributes: readonly CustomAttribute[],
): FormError[] {
  if (violations.has(customMember)) return tooLarge(form, attributes);
  return attributes.flatMap(({ name, label, type, choices }) => {
    const violated = violations.get(name);
    if (violated === undefined) return [];
    // The form has checkboxes: the only other choices are those of the employee that were removed.
    const removed = chosenIn(form[name] ?? '').filter((choice) => !choices.includes(choice));
    const isRemoved = type === 'choices' && violated.rule === 'some_of';
    const shown = isRemoved ? violation('without_removed_choices', { values: removed }) : violated;
    return [{ field: name, message: sentence(label, shown) }];
  });
}

/** The errors of all values that an employee has after changes, if they are too large together. */
export function sizeErrors(
  form: CustomForm,
  attributes: readonly CustomAttribute[],
  {
    stored,
    changes: others,
    references,
  }: { stored: CustomValues; changes: CustomChanges; references: GivenReferences | undefined },
): FormError[] {
  const changes = { ...others, ...sizedReferences(references) };
  if (Object.keys(changes).length === 0) return [];
  const values = withCustomChanges(stored, changes);
  const shown = attributes.map(({ key }) => [key, customValue(values, key)]);
  if (customBytes(Object.fromEntries(shown)) > maximumCustomBytes) return tooLarge(form, attributes);
  return customBytes(values) > maximumStoredBytes ? tooLarge(form, attributes, withOthers) : [];
}

const shownOnly = { subject: 'The custom attributes together', maximum: maximumCustomBytes };

/** Archived attributes have values that are kept. */
const withOthers = {
  subject: 'The custom attributes together with those that are not shown here',
  maximum: maximumStoredBytes,
};

/** The error at the longest value. */
function tooLarge(
  form: CustomForm,
  attributes: readonly CustomAttribute[],
  { subject, maximum } = shownOnly,
): FormError[] {
  const length = ({ name }: CustomAttribute) => (form[name] ?? '').length;
  const [longest] = attributes.toSorted((one, other) => length(other) - length(one));
  if (longest === undefined) return [];
  return [{ field: longest.name, message: sentence(subject, violation('maximum_bytes', { maximum })) }];
}
