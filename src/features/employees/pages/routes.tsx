import { numberText } from '../../../platform/counted.js';
import { confirmPage, ImmediateEffects } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { fullName } from '../employee.js';
import { bulkPages } from './bulk.js';
import { changesPages } from './changes.js';
import { createEmployeePages, editEmployeePages } from './edit.js';
import { employeeAddress } from './employee-addresses.js';
import { orgChartPages } from './org-chart.js';
import { suggestionPages } from './person-field.js';
import { type EmployeePagesDependencies, requestedEmployee } from './requested.js';
import { showEmployeePages } from './show.js';

function deletePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, employeeChanges } = dependencies;
  confirmPage(site, employeeAddress(':employee_id', 'delete'), {
    reason: 'destroys a record',
    view: async (context) => {
      const employee = await requestedEmployee(context, dependencies);
      const { accountId } = context.user;
      const { recordCount } = await employees.directReports(accountId, employee.id, { size: 1, skip: 0 });
      const name = fullName(employee);
      const address = employeeAddress(employee.id);
      return {
        title: `Delete ${name}?`,
        parent: { title: name, href: address },
        button: 'Delete employee',
        cancel: address,
        body: (
          <div class="warning">
            <ImmediateEffects />
            <ul>
              <li>
                The record with the employee number <bdi>{employee.employeeNumber}</bdi> is deleted.
                Applications that have access to it can no longer read it.
              </li>
              {recordCount > 0 && <li>{describeDirectReports(recordCount)}</li>}
            </ul>
            <p>This cannot be undone. If you add the employee again, it gets a new ID.</p>
          </div>
        ),
      };
    },
    save: async (context) => {
      const deleted = await employeeChanges.delete(context.auditContext, context.parameter('employee_id'));
      if (!deleted) throw recordNotFound();
      return { redirect: withFlash(directoryPath, 'employee_deleted') };
    },
  });
}

/** @param count of direct reports */
function describeDirectReports(count: number): string {
  return count === 1
    ? '1 direct report has no manager afterwards.'
    : `${numberText(count)} direct reports have no manager afterwards.`;
}

/** Pages of employees: one employee for every signed-in user, and its changes for owners and administrators. */
export function employeePages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const administration = site.forAdministrators();
  showEmployeePages(site, dependencies);
  orgChartPages(site, dependencies);
  changesPages(administration, dependencies);
  suggestionPages(administration, dependencies);
  createEmployeePages(administration, dependencies);
  bulkPages(administration, dependencies);
  editEmployeePages(administration, dependencies);
  deletePages(administration, dependencies);
}
