import { editPage, formPage, type Rejection } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { refersToEmployees } from '../custom-references.js';
import { type Employee, employeeVersion, fullName } from '../employee.js';
import { knownStatuses } from '../employee-attributes.js';
import { mergedCustomFields } from './custom-fields.js';
import { employeeAddress, newEmployeePath } from './employee-addresses.js';
import { EmployeeFields } from './employee-fields.js';
import {
  accepted,
  checkForm,
  type EmployeeForm,
  emptyEmployeeForm,
  formFields,
  managerField,
  readEmployeeForm,
  rejectionErrors,
  removedChoiceError,
  storedEmployeeForm,
  toConfirm,
  unknownEmployeeError,
} from './employee-form.js';
import { readPeople, viewPeople } from './person-field.js';
import { type EmployeePagesDependencies, managerOf, referencedBy, requestedEmployee } from './requested.js';

/** A form, with the custom attributes that are not archived, as they are at one time. */
interface NewEmployee {
  readonly attributes: readonly CustomAttribute[];
  readonly form: EmployeeForm;
}

/** Form for a new employee, and its submission. */
export function createEmployeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges, employeeCheck } = dependencies;
  const attributesOf = ({ user: { accountId } }: PageContext) => employees.customAttributes(accountId);
  formPage<NewEmployee>(site, newEmployeePath, {
    recentPassword: ['no', 'adds one record'],
    initial: async (context) => ({ attributes: await attributesOf(context), form: emptyEmployeeForm }),
    read: async (context) => {
      const attributes = await attributesOf(context);
      return { attributes, form: await readForm(context, dependencies, attributes) };
    },
    view: async (context, { attributes, form }) => {
      const statuses = await employees.statuses(context.user.accountId);
      const people = await viewPeople(context, dependencies, peopleIn(form, attributes));
      return {
        title: 'Add employee',
        script: 'people.js',
        body: (
          <EmployeeFields
            {...{ form, attributes, statuses, people }}
            cancel={directoryPath}
            button="Add employee"
          />
        ),
      };
    },
    save: async (context, { attributes, form }) => {
      const checked = checkForm(form, employeeCheck, {}, { attributes });
      if ('errors' in checked) return checked;
      const warned = await warnings(context, dependencies, { form });
      if (warned !== null) return { ...warned, form: { attributes, form: warned.form } };
      const outcome = await employeeChanges.create(context.auditContext, checked.input);
      if (outcome.kind === 'created')
        return { redirect: withFlash(employeeAddress(outcome.id), 'employee_created') };
      if (outcome.kind === 'choice_removed') return { errors: [removedChoiceError(outcome.attribute)] };
      if (outcome.kind === 'employees_unknown')
        return { errors: outcome.attributes.map(unknownEmployeeError) };
      return { errors: rejectionErrors(outcome.reasons) };
    },
  });
}

/** Names of the fields for an employee. */
function personFields(attributes: readonly CustomAttribute[]): string[] {
  return [managerField, ...attributes.filter(refersToEmployees).map(({ name }) => name)];
}

/** The employee numbers in a form, by field. */
function peopleIn(form: EmployeeForm, attributes: readonly CustomAttribute[]): ReadonlyMap<string, string> {
  return new Map(personFields(attributes).map((field) => [field, form[field] ?? '']));
}

/** The submitted form, with employee numbers in the fields for an employee. */
async function readForm(
  context: PageContext,
  dependencies: EmployeePagesDependencies,
  attributes: readonly CustomAttribute[],
): Promise<EmployeeForm> {
  const people = await readPeople(context, dependencies, personFields(attributes));
  return { ...readEmployeeForm(context.form, attributes), ...people };
}

/** An employee, and the custom attributes that are not archived. */
interface EditedEmployee {
  readonly employee: Employee;
  readonly attributes: readonly CustomAttribute[];
}

/** Form that changes an employee. */
export function editEmployeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges, employeeCheck } = dependencies;
  const toForm = async (context: PageContext, { employee, attributes }: EditedEmployee) => {
    const [manager, referenced] = await Promise.all([
      managerOf(context, dependencies, employee),
      referencedBy(context, dependencies, { employee, attributes }),
    ]);
    return storedEmployeeForm(employee, manager, { attributes, referenced });
  };

  editPage<EditedEmployee, EmployeeForm>(site, employeeAddress(':employee_id', 'edit'), {
    recentPassword: ['no', 'changes one record'],
    load: async (context) => {
      const [employee, attributes] = await Promise.all([
        requestedEmployee(context, dependencies),
        employees.customAttributes(context.user.accountId),
      ]);
      return { employee, attributes };
    },
    toForm,
    read: (context, { attributes }) => readForm(context, dependencies, attributes),
    merged: ({ attributes }) => [
      ...formFields.map(({ name, label }) => ({ member: name, label })),
      ...mergedCustomFields(attributes),
    ],
    view: async (context, { stored: { employee, attributes }, form }) => {
      const statuses = await employees.statuses(context.user.accountId);
      const people = await viewPeople(context, dependencies, peopleIn(form, attributes));
      const name = fullName(employee);
      const address = employeeAddress(employee.id);
      return {
        title: `Edit ${name}`,
        parent: { title: name, href: address },
        script: 'people.js',
        body: (
          <EmployeeFields
            {...{ form, attributes, statuses, people }}
            cancel={address}
            button="Save changes"
          />
        ),
      };
    },
    save: async (context, { stored, form }) => {
      const { employee, attributes } = stored;
      const { id } = employee;
      const before = await toForm(context, stored);
      const checked = checkForm(form, employeeCheck, before, { attributes, values: employee.custom });
      if ('errors' in checked) return checked;
      const warned = await warnings(context, dependencies, { form, before, id });
      if (warned !== null) return warned;
      const version = employeeVersion(employee);
      const outcome = await employeeChanges.update(context.auditContext, { id, version, ...checked });
      switch (outcome.kind) {
        case 'updated':
          return { redirect: withFlash(employeeAddress(id), 'employee_updated') };
        case 'not_found':
          throw recordNotFound();
        case 'choice_removed':
          return { errors: [removedChoiceError(outcome.attribute)] };
        case 'employees_unknown':
          return { errors: outcome.attributes.map(unknownEmployeeError) };
        case 'rejected':
          return { errors: rejectionErrors(outcome.reasons) };
        case 'conflict':
          return { conflict: { employee: outcome.stored, attributes } };
      }
    },
  });
}

/**
 * Shows a valid form again once when it has a status that no employee of the account has, or an e-mail address that another one
 * has. Both are often mistakes.
 *
 * @returns `null` if there is nothing to confirm
 */
async function warnings(
  { user: { accountId } }: PageContext,
  { employees }: Pick<EmployeePagesDependencies, 'employees'>,
  { form, before, id }: { form: EmployeeForm; before?: EmployeeForm; id?: string },
): Promise<Required<Pick<Rejection<EmployeeForm>, 'errors' | 'form'>> | null> {
  const { status, email } = toConfirm(form, before);
  const errors: FormError[] = [];
  if (status !== undefined) {
    const used = [...knownStatuses, ...(await employees.statuses(accountId))];
    if (!used.some((other) => other.toLowerCase() === status.toLowerCase()))
      errors.push({
        field: 'status',
        message: `No employee of your account has the status “${status}” yet. To add it, save again.`,
      });
  }
  const other = email === undefined ? null : await employees.otherWithEmail(accountId, { email, id });
  if (other !== null)
    errors.push({
      field: 'email',
      message: `${fullName(other)} (${other.employeeNumber}) has the same e-mail address. To keep it for both, save again.`,
    });
  return errors.length === 0 ? null : { errors, form: { ...form, ...accepted(form) } };
}
