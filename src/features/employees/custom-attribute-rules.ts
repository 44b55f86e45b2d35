import { attributeLabelRule, nameTextRule } from '../../platform/accounts/name-rules.js';
import { withoutAccents } from '../../platform/contract/outside-text.js';
import { type Check, sentence, type Violation, violation } from '../../platform/problems/rule-texts.js';
import { type CustomAttribute, customTypes } from './custom-attributes.js';
import { employeeAttributes } from './employee-attributes.js';
import { recordMembers } from './employee-check.js';

/** Maximum number of custom attributes of an account, with those that are archived. */
export const maximumAttributes = 50;

/** Maximum characters of a key. The database has the same limit. */
export const maximumKey = 40;

export const maximumDescription = 500;

const maximumChoices = 50;

/** What can be changed of a custom attribute. */
export type AttributeSettings = Pick<
  CustomAttribute,
  'label' | 'description' | 'choices' | 'required' | 'sensitive'
>;

/** A custom attribute to add, valid or not. */
export interface NewAttribute extends AttributeSettings {
  readonly key: string;
  readonly type: string;
}

/** An error of a member of {@link NewAttribute}. */
export interface AttributeError {
  readonly member: 'key' | 'label' | 'description' | 'type' | 'choices';
  /** The error as a sentence. */
  readonly message: string;
}

const keyForm = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** The attributes that every employee has, and members of a record that name one of them. */
const contractAttributes = [...employeeAttributes, ...recordMembers];

/** Names of members of an employee and of a record that are not attributes. */
const reservedKeys: ReadonlySet<string> = new Set(['id', 'custom']);

type Other = Pick<CustomAttribute, 'key' | 'label'>;

/**
 * Suggests a key for a label: "Größe (T-Shirt)" becomes `grosse_t_shirt`. Empty for a label without letters that a key can
 * have.
 */
export function suggestKey(label: string): string {
  return withoutAccents(label)
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, maximumKey)
    .replace(/_$/, '');
}

/** The rule for the form of a key. */
export const keyRule: Check = (key) => {
  if (key === '') return violation('required');
  if (!keyForm.test(key)) return violation('attribute_key');
  return key.length > maximumKey ? violation('maximum_length', { maximum: maximumKey }) : undefined;
};

/** Finds the errors of an attribute to add. `others` are all custom attributes of the account, also those that are archived. */
export function findNewAttributeErrors(
  attribute: NewAttribute,
  others: readonly Other[],
): readonly AttributeError[] {
  return [
    ...errorsOf('key', 'Key', keyRule(attribute.key) ?? takenKey(attribute.key, others)),
    ...errorsOf('type', 'Type', typeRule(attribute.type)),
    ...findSettingsErrors(attribute, others),
  ];
}

/** Finds the errors of the settings of an attribute. */
export function findSettingsErrors(
  { type, label, description, choices }: Omit<NewAttribute, 'key'>,
  others: readonly Other[],
): readonly AttributeError[] {
  return [
    ...errorsOf('label', 'Label', attributeLabelRule(label) ?? takenLabel(label, others)),
    ...errorsOf('description', 'Description', descriptionRule(description ?? '')),
    ...(typeRule(type) === undefined ? choiceErrors(type, choices) : []),
  ];
}

function errorsOf(
  member: AttributeError['member'],
  subject: string,
  violated: Violation | undefined,
): AttributeError[] {
  return violated === undefined ? [] : [{ member, message: sentence(subject, violated) }];
}

function takenKey(key: string, others: readonly Other[]): Violation | undefined {
  if (reservedKeys.has(key)) return violation('reserved');
  const other = contractAttributes.find(({ name }) => name === key) ?? others.find((one) => one.key === key);
  return other && violation('used_by', { label: other.label });
}

function takenLabel(label: string, others: readonly Other[]): Violation | undefined {
  const other = [...contractAttributes, ...others].find((one) => isSame(one.label, label));
  return other && violation('used_by', { label: other.label });
}

const typeRule: Check = (type) =>
  (customTypes as readonly string[]).includes(type)
    ? undefined
    : violation('one_of', { values: customTypes });

const descriptionRule: Check = (text) =>
  [...text].length > maximumDescription
    ? violation('maximum_length', { maximum: maximumDescription })
    : nameTextRule(text);

/** Whether values of the type are chosen from a list. */
export function hasChoices(type: string): boolean {
  return type === 'choice' || type === 'choices';
}

function choiceErrors(type: string, choices: readonly string[]): AttributeError[] {
  if (!hasChoices(type))
    return errorsOf('choices', 'Choices', choices.length > 0 ? violation('without_choices') : undefined);
  const limits = { minimum: 1, maximum: maximumChoices, of: 'item' } as const;
  if (choices.length < limits.minimum || choices.length > limits.maximum)
    return errorsOf('choices', 'Choices', violation('maximum_length', limits));
  return choices.flatMap((choice, index) => {
    const isRepeated = choices.slice(0, index).some((earlier) => isSame(earlier, choice));
    const violated =
      attributeLabelRule(choice) ??
      (choice.includes(';') ? violation('without_semicolons') : undefined) ??
      (isRepeated ? violation('not_repeated') : undefined);
    return errorsOf('choices', `Choice ${index + 1}`, violated);
  });
}

/** Whether two texts differ in case only. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
