import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/client.js';
import { employeePosition, employeePositionSql } from '../../platform/database/ids.js';

/** The manager of an employee, by id. */
interface ManagerEdge {
  readonly id: string;
  readonly managerId: string;
}

/** Whether an employee may have a manager: `unknown` if the account has no such employee. */
type ManagerCheck = 'ok' | 'unknown' | 'self' | 'cycle';

/**
 * Checks the manager of one employee, in a change that has locked the account: `change(…, lock.account)`.
 *
 * @param employeeId `null` for an employee that is not stored yet
 */
export async function checkManager(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { employeeId, managerId }: { employeeId: string | null; managerId: string },
): Promise<ManagerCheck> {
  if (managerId === employeeId) return 'self';
  const [exists] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM employees
    WHERE account_id = ${accountId} AND position = ${employeePosition(managerId)} AND id = ${managerId}`;
  if (exists === undefined) return 'unknown';
  const chain = employeeId === null ? [] : await managersAbove(tx, accountId, [managerId]);
  return chain.some((edge) => edge.managerId === employeeId) ? 'cycle' : 'ok';
}

/**
 * Reads the managers of employees, their managers, and so on.
 *
 * @param ids ids of employees of the account
 */
export function managersAbove(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  ids: readonly string[],
): Promise<ManagerEdge[]> {
  const employeeAt = (position: Prisma.Sql) => Prisma.sql`
    LATERAL (
      SELECT id, manager_id FROM employees WHERE account_id = ${accountId} AND position = ${position} OFFSET 0
    ) AS employee`;
  return tx.$queryRaw<ManagerEdge[]>`
    WITH RECURSIVE chain (id, manager_id) AS (
      SELECT employee.* FROM unnest(${ids.map(employeePosition)}::bigint[]) AS given (position)
      CROSS JOIN ${employeeAt(Prisma.sql`given.position`)}
      UNION
      SELECT employee.* FROM chain CROSS JOIN ${employeeAt(managerPosition)}
    )
    SELECT id, manager_id AS "managerId" FROM chain WHERE manager_id IS NOT NULL`;
}

const managerPosition = Prisma.raw(employeePositionSql('chain.manager_id'));

/** The manager in a record: an employee by id or employee number; `null`: none. */
export type ManagerReference = { readonly id: string } | { readonly employeeNumber: string } | null;
