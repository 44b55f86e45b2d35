import type { AuditContext } from '../../platform/audit/audit-context.js';
import { recordAllIn } from '../../platform/audit/audit-log.js';
import type { Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import type { Employee } from './employee.js';
import { employeeDeletedEvent, eraseDetails } from './employee-events.js';

/**
 * Deletes employees and stores an audit event for each, in a transaction that has locked the account with `lockAccount`. Their
 * direct reports have no manager then. Their values are erased from their earlier audit events.
 */
export async function deleteEmployees(
  tx: Prisma.TransactionClient,
  context: AuditContext,
  employees: readonly Employee[],
): Promise<void> {
  const { accountId, at } = context;
  const ids = employees.map(({ id }) => id);
  const counts = await tx.$queryRaw<{ managerId: string; count: string }[]>`
    SELECT manager_id AS "managerId", count(*)::text AS count FROM employees
    WHERE account_id = ${accountId} AND manager_id = ANY (${ids}::text[]) GROUP BY manager_id`;
  const reports = new Map(counts.map(({ managerId, count }) => [managerId, count]));
  await tx.$executeRaw`
    DELETE FROM employees WHERE account_id = ${accountId} AND position = ANY (${ids.map(employeePosition)}::bigint[])`;
  await eraseDetails(tx, accountId, ids);
  const events = ids.map((id) =>
    employeeDeletedEvent(context, { id, directReports: reports.get(id) ?? '0' }),
  );
  await recordAllIn(tx, events, at);
}
