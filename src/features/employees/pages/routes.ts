import type { Site } from '../../../platform/pages/site.js';
import { createPages } from './create.js';
import { deletePages } from './delete.js';
import { editPages } from './edit.js';
import type { EmployeePagesDependencies } from './employee-pages.js';
import { showPages } from './show.js';

/** Pages of employees: one employee for every signed-in user, and its changes for owners and administrators. */
export function employeePages(site: Site, dependencies: EmployeePagesDependencies): void {
  const administration = site.forAdministrators();
  showPages(site, dependencies);
  createPages(administration, dependencies);
  editPages(administration, dependencies);
  deletePages(administration, dependencies);
}
