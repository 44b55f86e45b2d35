import { formPage, rejected } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { home } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { type Employee, employeeVersion } from '../employee.js';
import {
  changedFields,
  checkForm,
  type EmployeeForm,
  emptyForm,
  readEmployeeForm,
  rejectionErrors,
  storedForm,
} from './employee-form.js';
import {
  type EmployeePagesDependencies,
  employeeAddress,
  fullName,
  managerOf,
  newEmployeePath,
  requestedEmployee,
} from './employee-pages.js';
import { EmployeeFields } from './form-page.js';

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
      return { employee, values, version: employeeVersion(employee) };
    },
    read: async (context) => {
      const employee = await requestedEmployee(context, dependencies);
      return { employee, values: readEmployeeForm(context.form), version: context.form.text('version') };
    },
    view: async ({ user }, { employee, values, version, stored }) => {
      const statuses = await employees.statuses(user.accountId);
      const name = fullName(employee);
      const address = employeeAddress(employee.id);
      return {
        title: `Edit ${name}`,
        parent: { title: name, href: address },
        body: (
          <EmployeeFields
            form={values}
            stored={stored}
            statuses={statuses}
            hidden={[['version', version]]}
            cancel={address}
            button="Save changes"
          />
        ),
      };
    },
    save: async (context, { employee, values, version }) => {
      const { id } = employee;
      const checked = checkForm(values, employeeCheck, await formOf(context, employee));
      if ('errors' in checked) return checked;
      const outcome = await employeeChanges.update(context.auditContext, { id, version, ...checked });
      const saved = { redirect: withFlash(employeeAddress(id), 'employee_updated') };
      switch (outcome.kind) {
        case 'updated':
          return saved;
        case 'not_found':
          throw recordNotFound();
        case 'rejected':
          return { errors: rejectionErrors(outcome.reasons) };
        case 'conflict': {
          const stored = await formOf(context, outcome.stored);
          const [different] = changedFields(values, stored);
          if (different === undefined) return saved;
          const current = employeeVersion(outcome.stored);
          return {
            ...rejected(different, conflictMessage, 409),
            form: { employee, values, version: current, stored },
          };
        }
      }
    },
  });
}

interface EditedEmployee {
  readonly employee: Employee;
  readonly values: EmployeeForm;
  readonly version: string;
  /** The saved values, when another user has changed them meanwhile. */
  readonly stored?: EmployeeForm;
}

const conflictMessage =
  'Another user changed this employee while you were editing it. Compare the saved values with yours. To replace them, save again.';
