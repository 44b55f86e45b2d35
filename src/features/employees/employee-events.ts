import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditContext, AuditEvent } from '../../platform/audit/audit-log.js';
import type { Prisma } from '../../platform/database/client.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';

/** An employee of an audit event. */
export type EventEmployee = GivenValues & { readonly id: string };

/** An audit event of an employee. */
export type EmployeeEvent = AuditEvent & { readonly accountId: string };

/** The event that an employee was created, with all values. */
export function employeeCreatedEvent(context: AuditContext, employee: EventEmployee): EmployeeEvent {
  const values = givenAttributes.flatMap(({ name, member }) => {
    const value = employee[member];
    return value === null ? [] : [[name, value] as const];
  });
  return toEvent('employee.created', context, { employee: employee.id, ...Object.fromEntries(values) });
}

/** The event that an employee was deleted. It has no value of the employee, because these are erased. */
export function employeeDeletedEvent(
  context: AuditContext,
  { id, directReports }: { id: string; directReports: string },
): EmployeeEvent {
  return toEvent('employee.deleted', context, { employee: id, direct_reports: directReports });
}

/**
 * Erases the values of employees from their earlier events, in the transaction that deletes them. Type, time, actor and the id of
 * the employee are kept.
 */
export async function eraseDetails(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  ids: readonly string[],
): Promise<void> {
  await tx.$executeRaw`
    UPDATE audit_events SET details = jsonb_build_object('employee', details -> 'employee')
    WHERE account_id = ${accountId} AND type IN ('employee.created', 'employee.updated')
      AND details ->> 'employee' = ANY (${ids}::text[])`;
}

/** The event that attributes of an employee were changed, with their values before and after. */
export function employeeUpdatedEvent(
  context: AuditContext,
  {
    before,
    after,
    changed,
  }: { before: EventEmployee; after: GivenValues; changed: readonly GivenAttribute[] },
): EmployeeEvent {
  const values = changed.map(({ name, member }) => [
    name,
    `${before[member] ?? '–'} → ${after[member] ?? '–'}`,
  ]);
  const identity = { employee: before.id, employee_number: before.employeeNumber };
  return toEvent('employee.updated', context, { ...identity, ...Object.fromEntries(values) });
}

function toEvent(
  type: AuditEvent['type'],
  { accountId, userId, origin }: AuditContext,
  details: Readonly<Record<string, string>>,
): EmployeeEvent {
  return { type, accountId, userId, origin, details };
}
