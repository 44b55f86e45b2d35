import { type Fields, isUnchanged } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { sentence, violation } from '../../../platform/problems/rule-texts.js';
import type { Employee } from '../employee.js';
import { type GivenAttribute, givenAttributes } from '../employee-attributes.js';
import type { EmployeeCheck } from '../employee-check.js';
import type { EmployeeInput, EmployeeRejection } from '../employee-references.js';

/** The submitted form of an employee, valid or not: the values by the names of {@link formFields}. */
export type EmployeeForm = Readonly<Record<string, string>>;

/** A field of the form. Its name is its `id`. */
export type EmployeeField = Pick<GivenAttribute, 'type' | 'label' | 'required'> & { readonly name: string };

const managerField = 'manager_employee_number';

/** All fields. The manager is entered by employee number. */
export const formFields: readonly EmployeeField[] = givenAttributes.map((attribute) =>
  attribute.name === 'manager_id'
    ? { ...attribute, name: managerField, label: 'Employee number of the manager' }
    : attribute,
);

/** Initial values of the form for a new employee. */
export const emptyForm: EmployeeForm = { status: 'active' };

/** Field for a status that is not in the list of {@link formFields}. */
export const newStatusField = 'new_status';

/** Reads the fields of the form and ignores all others. A new status has precedence over the selected one. */
export function readEmployeeForm(form: Fields): EmployeeForm {
  const values = Object.fromEntries(formFields.map(({ name }) => [name, form.text(name)]));
  const newStatus = form.text(newStatusField);
  return newStatus === '' ? values : { ...values, status: newStatus };
}

export function storedForm(employee: Employee, manager: Employee | null): EmployeeForm {
  const values = givenAttributes.map(({ name, member }) => [name, employee[member] ?? '']);
  return { ...Object.fromEntries(values), [managerField]: manager?.employeeNumber ?? '' };
}

/** Names of the fields that have another value than the stored form. */
function changedFields(form: EmployeeForm, stored: EmployeeForm): string[] {
  return formFields
    .map(({ name }) => name)
    .filter((name) => !isUnchanged(form[name] ?? '', stored[name] ?? ''));
}

/**
 * Returns the values of a form, or its errors in the order of its fields. A value that the user did not change keeps its stored
 * spelling.
 *
 * @param stored the form with the stored values of an employee that exists
 */
export function checkForm(
  form: EmployeeForm,
  employeeCheck: EmployeeCheck,
  stored: EmployeeForm = {},
): { readonly input: EmployeeInput } | { readonly errors: readonly FormError[] } {
  const changed = changedFields(form, stored);
  const unchanged = new Set(Object.keys(form).filter((name) => name in stored && !changed.includes(name)));
  const values = Object.entries(form).map(([name, value]) => [
    name,
    unchanged.has(name) ? stored[name] : value,
  ]);
  const checked = employeeCheck.checkMembers(Object.fromEntries(values), unchanged);
  if (checked.errors === undefined) {
    const { employee, manager = null } = checked;
    const managerNumber = manager !== null && 'employeeNumber' in manager ? manager.employeeNumber : null;
    return { input: { employee, managerNumber } };
  }
  const violations = new Map(checked.errors.map(({ member, violation }) => [member, violation]));
  return {
    errors: formFields.flatMap(({ name: field, label, type }) => {
      const violated = violations.get(field);
      if (violated === undefined) return [];
      const isMalformed = type === 'date' && violated.rule !== 'not_before_hire_date';
      return [{ field, message: sentence(label, isMalformed ? violation('existing_date') : violated) }];
    }),
  };
}

const rejections: Readonly<Record<EmployeeRejection, FormError>> = {
  number_taken: { field: 'employee_number', message: 'Another employee has this employee number.' },
  manager_unknown: {
    field: managerField,
    message: 'No employee of your account has the number of the manager.',
  },
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
