import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { home } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { Employee } from '../employee.js';
import {
  type EmployeePagesDependencies,
  employeeAddress,
  fullName,
  requestedEmployee,
} from './employee-pages.js';

/** Confirmation page that lists the effects, and deletion of an employee. */
export function deletePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges } = dependencies;
  const path = employeeAddress(':employee_id', 'delete');

  site.get(path, async (context) => {
    const employee = await requestedEmployee(context, dependencies);
    const { accountId } = context.user;
    const { recordCount } = await employees.directReports(accountId, employee.id, { size: 1, skip: 0 });
    return { page: <DeletePage context={context} employee={employee} reports={recordCount} /> };
  });

  site.post(path, async (context) => {
    const deleted = await employeeChanges.delete(context.auditContext, context.parameter('employee_id'));
    if (!deleted) throw recordNotFound();
    return { redirect: withNotice(home, 'employee_deleted') };
  });
}

function DeletePage({
  context,
  employee,
  reports,
}: {
  context: PageContext;
  employee: Employee;
  /** Number of direct reports. */
  reports: number;
}) {
  const name = fullName(employee);
  const title = `Delete ${name}?`;
  const address = employeeAddress(employee.id);
  return (
    <SitePage context={context} title={title} parent={{ title: name, href: address }}>
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>This takes effect immediately:</strong>
        </p>
        <ul>
          <li>
            The record with the employee number <bdi>{employee.employeeNumber}</bdi> is deleted. Applications
            that have access to it can no longer read it.
          </li>
          {reports > 0 && <li>{reportWords(reports)}</li>}
        </ul>
        <p>This cannot be undone. If you add the employee again, it gets a new ID.</p>
      </div>
      <ConfirmForm
        context={context}
        action={employeeAddress(employee.id, 'delete')}
        button="Delete employee"
        cancel={address}
      />
    </SitePage>
  );
}

function reportWords(count: number): string {
  return count === 1
    ? '1 direct report has no manager afterwards.'
    : `${count.toLocaleString('en')} direct reports have no manager afterwards.`;
}
