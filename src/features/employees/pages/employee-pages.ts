import type { PageContext } from '../../../platform/pages/page-context.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import { found } from '../../../platform/problems/problem.js';
import type { Directory } from '../directory.js';
import type { Employee } from '../employee.js';
import type { EmployeeChanges } from '../employee-changes.js';
import type { EmployeeCheck } from '../employee-check.js';
import type { employeeChanges } from '../employee-history.js';
import type { Employees } from '../employees.js';
import type { Organisation } from '../organisation.js';

export interface EmployeePagesDependencies {
  readonly directory: Directory;
  readonly organisation: Organisation;
  readonly employees: Employees;
  readonly employeeChanges: EmployeeChanges;
  readonly employeeCheck: EmployeeCheck;
  /** Reads a page of {@link employeeChanges}. */
  readonly readHistory: (
    request: Parameters<typeof employeeChanges>[1],
  ) => ReturnType<typeof employeeChanges>;
}

const employeesPath = `${directoryPath}/employees`;

export const newEmployeePath = `${employeesPath}/new`;

/** Path of the org chart, or of its part around an employee. */
export function orgChartAddress(id?: string): string {
  return [`${directoryPath}/org_chart`, ...(id === undefined ? [] : [id])].join('/');
}

/** Path of the form that changes several employees. */
export const bulkPath = `${employeesPath}/change`;

/** Path of the people who match a text. */
export const suggestionsPath = `${employeesPath}/suggestions`;

/** Path of the page of an employee, or of a page below it. */
export function employeeAddress(id: string, ...below: readonly string[]): string {
  return [employeesPath, id, ...below].join('/');
}

/**
 * The employee that the path identifies.
 *
 * @throws {Problem} 404 `not_found` when the account has no employee with this id
 */
export async function requestedEmployee(
  { user: { accountId }, parameter }: PageContext,
  { employees }: Pick<EmployeePagesDependencies, 'employees'>,
): Promise<Employee> {
  return found(await employees.get(accountId, parameter('employee_id')));
}

/** The manager of an employee; `null` without one. */
export async function managerOf(
  { user: { accountId } }: PageContext,
  { employees }: Pick<EmployeePagesDependencies, 'employees'>,
  { managerId }: Employee,
): Promise<Employee | null> {
  return managerId === null ? null : await employees.get(accountId, managerId);
}
