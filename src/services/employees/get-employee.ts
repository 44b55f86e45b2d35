import type { Database } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import type { Employee } from './employee.js';

const select = {
  id: true,
  employeeNumber: true,
  firstName: true,
  lastName: true,
  email: true,
  status: true,
  department: true,
  updatedAt: true,
} as const satisfies Record<keyof Employee, true>;

/** The account's employee with this id; `null` when there is none, or it is another account's. */
export function getEmployee(
  { prisma }: Database,
  accountId: AccountId,
  id: string,
): Promise<Employee | null> {
  return prisma.employee.findUnique({ where: { id, accountId }, select });
}
