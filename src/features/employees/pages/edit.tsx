import { editPage, formPage, type Rejection } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { type Employee, employeeVersion, fullName } from '../employee.js';
import { knownStatuses } from '../employee-attributes.js';
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
  storedEmployeeForm,
  toConfirm,
} from './employee-form.js';
import { readManager, viewManager } from './manager-field.js';
import { type EmployeePagesDependencies, managerOf, requestedEmployee } from './requested.js';

/** Form for a new employee, and its submission. */
export function createEmployeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges, employeeCheck } = dependencies;
  formPage(site, newEmployeePath, {
    recentPassword: ['no', 'adds one record'],
    initial: () => emptyEmployeeForm,
    read: (context) => readForm(context, dependencies),
    view: async (context, form) => {
      const statuses = await employees.statuses(context.user.accountId);
      const manager = await viewManager(context, dependencies, form[managerField]);
      return {
        title: 'Add employee',
        script: 'people.js',
        body: (
          <EmployeeFields {...{ form, statuses, manager }} cancel={directoryPath} button="Add employee" />
        ),
      };
    },
    save: async (context, form) => {
      const checked = checkForm(form, employeeCheck);
      if ('errors' in checked) return checked;
      const warned = await warnings(context, dependencies, { form });
      if (warned !== null) return warned;
      const outcome = await employeeChanges.create(context.auditContext, checked.input);
      if (outcome.kind === 'created')
        return { redirect: withFlash(employeeAddress(outcome.id), 'employee_created') };
      return { errors: rejectionErrors(outcome.reasons) };
    },
  });
}

/** The submitted form, with the employee number of the manager. */
async function readForm(
  context: PageContext,
  dependencies: EmployeePagesDependencies,
): Promise<EmployeeForm> {
  const manager = await readManager(context, dependencies);
  return { ...readEmployeeForm(context.form), [managerField]: manager };
}

/** Form that changes an employee. */
export function editEmployeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges, employeeCheck } = dependencies;
  const toForm = async (context: PageContext, employee: Employee) =>
    storedEmployeeForm(employee, await managerOf(context, dependencies, employee));

  editPage<Employee, EmployeeForm>(site, employeeAddress(':employee_id', 'edit'), {
    recentPassword: ['no', 'changes one record'],
    load: (context) => requestedEmployee(context, dependencies),
    toForm,
    read: (context) => readForm(context, dependencies),
    merged: formFields.map(({ name, label }) => ({ member: name, label })),
    view: async (context, { stored, form }) => {
      const statuses = await employees.statuses(context.user.accountId);
      const manager = await viewManager(context, dependencies, form[managerField]);
      const name = fullName(stored);
      const address = employeeAddress(stored.id);
      return {
        title: `Edit ${name}`,
        parent: { title: name, href: address },
        script: 'people.js',
        body: <EmployeeFields {...{ form, statuses, manager }} cancel={address} button="Save changes" />,
      };
    },
    save: async (context, { stored, form }) => {
      const { id } = stored;
      const before = await toForm(context, stored);
      const checked = checkForm(form, employeeCheck, before);
      if ('errors' in checked) return checked;
      const warned = await warnings(context, dependencies, { form, before, id });
      if (warned !== null) return warned;
      const version = employeeVersion(stored);
      const outcome = await employeeChanges.update(context.auditContext, { id, version, ...checked });
      switch (outcome.kind) {
        case 'updated':
          return { redirect: withFlash(employeeAddress(id), 'employee_updated') };
        case 'not_found':
          throw recordNotFound();
        case 'rejected':
          return { errors: rejectionErrors(outcome.reasons) };
        case 'conflict':
          return { conflict: outcome.stored };
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
): Promise<Rejection<EmployeeForm> | null> {
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
