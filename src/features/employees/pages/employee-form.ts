import { type Fields, isUnchanged } from '../../../platform/pages/fields.js';
import type { FormError, HiddenFields } from '../../../platform/pages/form-parts.js';
import { sentence, violation } from '../../../platform/problems/rule-texts.js';
import type { CustomAttribute } from '../custom-attributes.js';
import type { CustomValues, Employee } from '../employee.js';
import { type GivenAttribute, givenAttributes } from '../employee-attributes.js';
import type { EmployeeCheck } from '../employee-check.js';
import type { EmployeeInput, EmployeeRejection } from '../employee-references.js';
import { customErrors, givenCustom, readCustomForm, sizeErrors, storedCustomForm } from './custom-form.js';

/** The submitted form of an employee, valid or not: the values by the names of {@link formFields} and of custom attributes. */
export type EmployeeForm = Readonly<Record<string, string>>;

/** A field of the form. Its name is its `id`. */
export type EmployeeField = Pick<GivenAttribute, 'type' | 'label' | 'required'> & { readonly name: string };

export const managerField = 'manager_employee_number';

/** All fields. The manager is an employee number. */
export const formFields: readonly EmployeeField[] = givenAttributes.map((attribute) =>
  attribute.name === 'manager_id' ? { ...attribute, name: managerField, label: 'Manager' } : attribute,
);

/** Initial values of the form for a new employee. */
export const emptyEmployeeForm: EmployeeForm = { status: 'active' };

/** Field for a status that is not in the list of {@link formFields}. */
export const newStatusField = 'new_status';

/** Hidden fields with the values that the user was warned of. */
const acceptedNames = { status: 'accepted_status', email: 'accepted_email' } as const;

/** The values of a form as those that the user was warned of. */
export function accepted({ status = '', email = '' }: EmployeeForm): EmployeeForm {
  return { [acceptedNames.status]: status, [acceptedNames.email]: email };
}

export function acceptedFields(form: EmployeeForm): HiddenFields {
  return Object.values(acceptedNames).map((name) => [name, form[name] ?? '']);
}

/** The status and the e-mail address that the user has changed, and was not warned of. */
export function toConfirm(
  form: EmployeeForm,
  before: EmployeeForm = {},
): { status?: string | undefined; email?: string | undefined } {
  const value = (name: keyof typeof acceptedNames) => {
    const { [name]: given = '', [acceptedNames[name]]: warned } = form;
    const isKnown = given === '' || given === warned || isUnchanged(given, before[name] ?? '');
    return isKnown ? undefined : given;
  };
  return { status: value('status'), email: value('email') };
}

/**
 * Reads the fields of the form and ignores all others. A new status has precedence over the selected one.
 *
 * @param attributes the custom attributes that are not archived
 */
export function readEmployeeForm(form: Fields, attributes: readonly CustomAttribute[]): EmployeeForm {
  const names = [...formFields.map(({ name }) => name), ...Object.values(acceptedNames)];
  const values = {
    ...Object.fromEntries(names.map((name) => [name, form.text(name)])),
    ...readCustomForm(form, attributes),
  };
  const newStatus = form.text(newStatusField);
  return newStatus === '' ? values : { ...values, status: newStatus };
}

/**
 * The form with the stored values of an employee.
 *
 * @param custom the custom attributes that are in the form, and the employees that they refer to, by id
 */
export function storedEmployeeForm(
  employee: Employee,
  manager: Employee | null,
  {
    attributes,
    referenced,
  }: { attributes: readonly CustomAttribute[]; referenced: ReadonlyMap<string, Employee> } = {
    attributes: [],
    referenced: new Map(),
  },
): EmployeeForm {
  const values = givenAttributes.map(({ name, member }) => [name, employee[member] ?? '']);
  return {
    ...Object.fromEntries(values),
    [managerField]: manager?.employeeNumber ?? '',
    ...storedCustomForm(employee, attributes, referenced),
  };
}

/** Names of the fields that have another value than the stored form. */
function changedFields(form: EmployeeForm, stored: EmployeeForm): string[] {
  return formFields
    .map(({ name }) => name)
    .filter((name) => !isUnchanged(form[name] ?? '', stored[name] ?? ''));
}

interface FormAttributes {
  readonly attributes: readonly CustomAttribute[];
  readonly values?: CustomValues;
}

const noAttributes: FormAttributes = { attributes: [] };

/**
 * Returns the values of a form, or its errors in the order of its fields. A value that the user did not change keeps its stored
 * spelling.
 *
 * @param stored the form with the stored values of an employee that exists
 * @param custom the custom attributes that are in the form, and all values that are stored, also of others
 */
export function checkForm(
  form: EmployeeForm,
  employeeCheck: EmployeeCheck,
  stored: EmployeeForm = {},
  { attributes, values: storedValues = {} }: FormAttributes = noAttributes,
): { readonly input: EmployeeInput } | { readonly errors: readonly FormError[] } {
  const changed = changedFields(form, stored);
  const names = formFields.map(({ name }) => name).filter((name) => name in form);
  const unchanged = new Set(names.filter((name) => name in stored && !changed.includes(name)));
  const values = names.map((name) => [name, unchanged.has(name) ? stored[name] : form[name]]);
  const custom = givenCustom(form, stored, attributes);
  const checked = employeeCheck
    .withCustom(attributes)
    .checkMembers(
      { ...Object.fromEntries(values), ...custom.values },
      new Set([...unchanged, ...custom.unchanged]),
    );
  if (checked.errors === undefined) {
    const { employee, manager = null, references } = checked;
    const { custom: changes = {} } = employee;
    const tooLarge = sizeErrors(form, attributes, { stored: storedValues, changes, references });
    if (tooLarge.length > 0) return { errors: tooLarge };
    const managerNumber = manager !== null && 'employeeNumber' in manager ? manager.employeeNumber : null;
    return { input: { employee, managerNumber, references } };
  }
  const violations = new Map(checked.errors.map(({ member, violation }) => [member, violation]));
  const errors = formFields.flatMap(({ name: field, label, type }) => {
    const violated = violations.get(field);
    if (violated === undefined) return [];
    const isMalformed = type === 'date' && violated.rule !== 'not_before_hire_date';
    return [{ field, message: sentence(label, isMalformed ? violation('existing_date') : violated) }];
  });
  return { errors: [...errors, ...customErrors(form, violations, attributes)] };
}

const rejections: Readonly<Record<EmployeeRejection, FormError>> = {
  number_taken: { field: 'employee_number', message: 'Another employee has this employee number.' },
  manager_unknown: unknownEmployeeError(managerField),
  manager_self: { field: managerField, message: sentence('The manager', violation('other_employee')) },
  manager_cycle: {
    field: managerField,
    message: 'This manager reports to the employee, directly or through others. Enter another one.',
  },
};

/** The errors of a form whose values are rejected. */
export function rejectionErrors(reasons: readonly EmployeeRejection[]): FormError[] {
  return reasons.map((reason) => rejections[reason]);
}

/** The error of a field for an employee. */
export function unknownEmployeeError(field: string): FormError {
  return {
    field,
    message:
      'No employee of your account has exactly this name, address or number. Select one who matches, or enter another.',
  };
}

/** The error of a value that is no longer a choice of a custom attribute. */
export function removedChoiceError(attribute: string): FormError {
  return { field: attribute, message: 'The choices were changed meanwhile. Choose again.' };
}
