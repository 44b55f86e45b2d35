import type { FormError } from '../../../platform/pages/form-parts.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { type Employee, employeeVersion } from '../employee.js';
import {
  changedFields,
  checkForm,
  type EmployeeForm,
  readEmployeeForm,
  rejectionErrors,
  storedForm,
} from './employee-form.js';
import {
  type EmployeePagesDependencies,
  employeeAddress,
  fullName,
  managerOf,
  requestedEmployee,
} from './employee-pages.js';
import { EmployeeFormPage } from './form-page.js';

/** Form that changes an employee. */
export function editPages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employeeChanges, employeeCheck } = dependencies;
  const path = employeeAddress(':employee_id', 'edit');
  const formOf = async (context: PageContext, employee: Employee) =>
    storedForm(employee, await managerOf(context, dependencies, employee));

  site.get(path, async (context) => {
    const employee = await requestedEmployee(context, dependencies);
    const form = await formOf(context, employee);
    return { page: editPage({ context, employee, form, version: employeeVersion(employee) }) };
  });

  site.post(
    path,
    async (context): Promise<PageResponse> => {
      const employee = await requestedEmployee(context, dependencies);
      const { id } = employee;
      const form = readEmployeeForm(context.form);
      const version = context.form.text('version');
      const invalid = (errors: readonly FormError[]): PageResponse => ({
        status: 400,
        page: editPage({ context, employee, form, version, errors }),
      });

      const checked = checkForm(form, employeeCheck, await formOf(context, employee));
      if ('errors' in checked) return invalid(checked.errors);
      const outcome = await employeeChanges.update(context.auditContext, { id, version, ...checked });
      const saved: PageResponse = { redirect: withNotice(employeeAddress(id), 'employee_updated') };
      switch (outcome.kind) {
        case 'updated':
          return saved;
        case 'not_found':
          throw recordNotFound();
        case 'rejected':
          return invalid(rejectionErrors(outcome.reasons));
        case 'conflict': {
          const stored = await formOf(context, outcome.stored);
          const [different] = changedFields(form, stored);
          if (different === undefined) return saved;
          const current = employeeVersion(outcome.stored);
          const errors = [{ field: different, message: conflictMessage }];
          return {
            status: 409,
            page: editPage({ context, employee, form, version: current, errors, stored }),
          };
        }
      }
    },
    {
      restore: async (context) => {
        const employee = await requestedEmployee(context, dependencies);
        const form = readEmployeeForm(context.form);
        return { page: editPage({ context, employee, form, version: context.form.text('version') }) };
      },
    },
  );
}

const conflictMessage =
  'Another user changed this employee while you were editing it. Compare the saved values with yours. To replace them, save again.';

function editPage({
  employee,
  ...props
}: {
  context: PageContext;
  employee: Employee;
  form: EmployeeForm;
  version: string;
  errors?: readonly FormError[];
  stored?: EmployeeForm;
}) {
  const name = fullName(employee);
  const address = employeeAddress(employee.id);
  return (
    <EmployeeFormPage
      {...props}
      title={`Edit ${name}`}
      parent={{ title: name, href: address }}
      action={employeeAddress(employee.id, 'edit')}
      back={address}
      button="Save changes"
    />
  );
}
