import type { PageContext } from '../../../platform/pages/page-context.js';
import { found } from '../../../platform/problems/problem.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { referencedIds } from '../custom-references.js';
import type { Employee } from '../employee.js';
import type { createEmployees } from '../index.js';

export type EmployeePagesDependencies = Omit<ReturnType<typeof createEmployees>, 'handlers'>;

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

/** The employees that custom attributes of an employee refer to, by id. */
export async function referencedBy(
  { user: { accountId } }: PageContext,
  { employees }: Pick<EmployeePagesDependencies, 'employees'>,
  { employee, attributes }: { employee: Employee; attributes: readonly CustomAttribute[] },
): Promise<ReadonlyMap<string, Employee>> {
  const ids = referencedIds(employee, attributes);
  const found = ids.length === 0 ? [] : await employees.byIds(accountId, ids);
  return new Map(found.map((one) => [one.id, one]));
}
