import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { type Employee, employeeSelection } from './employee.js';

/** Reads the account's employee with this id; `null` if this account has none with this id, also for a malformed id. */
export async function readEmployee(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  id: string,
): Promise<Employee | null> {
  const position = employeePosition(id);
  if (position === -1) return null;
  const [employee] = await prisma.$queryRaw<Employee[]>`
    SELECT ${employeeSelection} FROM employees
    WHERE account_id = ${accountId} AND position = ${position} AND id = ${id}`;
  return employee ?? null;
}
