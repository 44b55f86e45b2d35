import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';

/**
 * Erases the values of deleted employees from their audit events and from the imports that can be undone. The database erases them
 * from the events for applications.
 */
export async function eraseEmployees(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  accountId: AccountId,
  ids: readonly string[],
): Promise<void> {
  // Type, time, actor and the id of the employee are kept. Citus rejects jsonb_build_object, which is not immutable, in an UPDATE.
  await tx.$executeRaw`
    UPDATE audit_events SET details = jsonb_set('{}', '{employee}', details -> 'employee')
    WHERE account_id = ${accountId} AND type IN ('employee.created', 'employee.updated')
      AND details ->> 'employee' = ANY (${ids}::text[])`;
  // That an import has changed the employee is kept, and counted.
  await tx.$executeRaw`
    UPDATE employee_import_changes AS change SET before = '{}'
    FROM employee_imports AS stored
    WHERE stored.account_id = ${accountId} AND change.account_id = ${accountId} AND change.import_id = stored.id
      AND change.position = ANY (${ids.map(employeePosition)}::bigint[]) AND change.before IS NOT NULL`;
}
