import { formPage, rejected } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { mergeForm, openedFields, readOpened } from '../../../platform/pages/merge.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { home } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { type Employee, employeeVersion, fullName } from '../employee.js';
import {
  checkForm,
  type EmployeeForm,
  emptyForm,
  formFields,
  readEmployeeForm,
  rejectionErrors,
  storedForm,
} from './employee-form.js';
import {
  type EmployeePagesDependencies,
  employeeAddress,
  managerOf,
  newEmployeePath,
  requestedEmployee,
} from './employee-pages.js';
import { type EmployeeConflict, EmployeeFields } from './form-page.js';

/** Form for a new employee, and its submission. */
export function createPages(
  site: PageRouter,
  { employees, employeeChanges, employeeCheck }: EmployeePagesDependencies,
): void {
  formPage(site, newEmployeePath, {
    recentPassword: ['no', 'adds one record'],
    initial: () => emptyForm,
    read: ({ form }) => readEmployeeForm(form),
    view: async ({ user }, form) => {
      const statuses = await employees.statuses(user.accountId);
      return {
        title: 'Add employee',
        body: <EmployeeFields {...{ form, statuses }} cancel={home} button="Add employee" />,
      };
    },
    save: async (context, form) => {
      const checked = checkForm(form, employeeCheck);
      if ('errors' in checked) return checked;
      const outcome = await employeeChanges.create(context.auditContext, checked.input);
      if (outcome.kind === 'created')
        return { redirect: withFlash(employeeAddress(outcome.id), 'employee_created') };
      return { errors: rejectionErrors(outcome.reasons) };
    },
  });
}

/** Form that changes an employee. */
export function editPages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges, employeeCheck } = dependencies;
  const formOf = async (context: PageContext, employee: Employee) =>
    storedForm(employee, await managerOf(context, dependencies, employee));

  formPage<EditedEmployee>(site, employeeAddress(':employee_id', 'edit'), {
    recentPassword: ['no', 'changes one record'],
    initial: async (context) => {
      const employee = await requestedEmployee(context, dependencies);
      const values = await formOf(context, employee);
      return { employee, values, opened: values };
    },
    read: async (context) => ({
      employee: await requestedEmployee(context, dependencies),
      values: readEmployeeForm(context.form),
      opened: readOpened(
        context.form,
        formFields.map(({ name }) => name),
      ),
    }),
    view: async ({ user }, { employee, values, opened, conflict }) => {
      const statuses = await employees.statuses(user.accountId);
      const name = fullName(employee);
      const address = employeeAddress(employee.id);
      return {
        title: `Edit ${name}`,
        parent: { title: name, href: address },
        body: (
          <EmployeeFields
            form={values}
            conflict={conflict}
            statuses={statuses}
            hidden={openedFields(opened)}
            cancel={address}
            button="Save changes"
          />
        ),
      };
    },
    save: async (context, { employee: requested, values: submitted, opened }) => {
      const { id } = requested;
      let employee = requested;
      for (let attempt = 1; ; attempt += 1) {
        const stored = await formOf(context, employee);
        const { values, conflicts } = mergeForm({ opened, submitted, stored });
        const [conflict] = conflicts;
        if (conflict !== undefined) {
          const form = { employee, values, opened: stored, conflict: { stored, fields: conflicts } };
          return { ...rejected(conflict, conflictMessage, 409), form };
        }
        const checked = checkForm(values, employeeCheck, stored);
        if ('errors' in checked) return checked;
        const version = employeeVersion(employee);
        const outcome = await employeeChanges.update(context.auditContext, { id, version, ...checked });
        switch (outcome.kind) {
          case 'updated':
            return { redirect: withFlash(employeeAddress(id), 'employee_updated') };
          case 'not_found':
            throw recordNotFound();
          case 'rejected':
            return { errors: rejectionErrors(outcome.reasons) };
          case 'conflict':
            if (attempt === maximumAttempts) return rejected('employee_number', busyMessage, 409);
            employee = outcome.stored;
        }
      }
    },
  });
}

interface EditedEmployee {
  readonly employee: Employee;
  readonly values: EmployeeForm;
  /** The values that the form was opened with. */
  readonly opened: EmployeeForm;
  readonly conflict?: EmployeeConflict;
}

/** How often a form is merged with what others store at the same moment. */
const maximumAttempts = 5;

const conflictMessage =
  'Another user changed this while you were editing it. Compare the saved values with yours. To replace them, save again.';

const busyMessage = 'Other users are changing this employee at the moment. Save again.';
