import { formPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { home } from '../../../platform/pages/paths.js';
import { deletePages } from './delete.js';
import { editPages } from './edit.js';
import { checkForm, emptyForm, readEmployeeForm, rejectionErrors } from './employee-form.js';
import { type EmployeePagesDependencies, employeeAddress, newEmployeePath } from './employee-pages.js';
import { EmployeeFields } from './form-page.js';
import { showPages } from './show.js';

/** Form for a new employee, and its submission. */
function createPages(site: PageRouter, { employeeChanges, employeeCheck }: EmployeePagesDependencies): void {
  formPage(site, newEmployeePath, {
    recentPassword: ['no', 'adds one record'],
    initial: () => emptyForm,
    read: ({ form }) => readEmployeeForm(form),
    view: (_, form) => ({
      title: 'Add employee',
      body: <EmployeeFields form={form} cancel={home} button="Add employee" />,
    }),
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

/** Pages of employees: one employee for every signed-in user, and its changes for owners and administrators. */
export function employeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const administration = site.forAdministrators();
  showPages(site, dependencies);
  createPages(administration, dependencies);
  editPages(administration, dependencies);
  deletePages(administration, dependencies);
}
