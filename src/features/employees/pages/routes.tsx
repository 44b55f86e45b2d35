import type { FormError } from '../../../platform/pages/form-parts.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { home } from '../../../platform/pages/paths.js';
import { deletePages } from './delete.js';
import { editPages } from './edit.js';
import {
  checkForm,
  type EmployeeForm,
  emptyForm,
  readEmployeeForm,
  rejectionErrors,
} from './employee-form.js';
import { type EmployeePagesDependencies, employeeAddress, newEmployeePath } from './employee-pages.js';
import { EmployeeFormPage } from './form-page.js';
import { showPages } from './show.js';

/** Form for a new employee, and its submission. */
function createPages(site: PageRouter, { employeeChanges, employeeCheck }: EmployeePagesDependencies): void {
  const formPage = (context: PageContext, form: EmployeeForm, errors: readonly FormError[] = []) => (
    <EmployeeFormPage
      {...{ context, form, errors }}
      title="Add employee"
      action={newEmployeePath}
      back={home}
      button="Add employee"
    />
  );

  site.get(newEmployeePath, async (context) => ({ page: formPage(context, emptyForm) }));

  site.post(
    newEmployeePath,
    async (context): Promise<PageResponse> => {
      const form = readEmployeeForm(context.form);
      const checked = checkForm(form, employeeCheck);
      if ('errors' in checked) return { status: 400, page: formPage(context, form, checked.errors) };
      const outcome = await employeeChanges.create(context.auditContext, checked.input);
      if (outcome.kind === 'created')
        return { redirect: withNotice(employeeAddress(outcome.id), 'employee_created') };
      return { status: 400, page: formPage(context, form, rejectionErrors(outcome.reasons)) };
    },
    { restore: async (context) => ({ page: formPage(context, readEmployeeForm(context.form)) }) },
  );
}

/** Pages of employees: one employee for every signed-in user, and its changes for owners and administrators. */
export function employeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const administration = site.forAdministrators();
  showPages(site, dependencies);
  createPages(administration, dependencies);
  editPages(administration, dependencies);
  deletePages(administration, dependencies);
}
