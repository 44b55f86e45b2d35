import type { AuditContext } from '../audit-context.js';
import type { AuditEvent } from '../audit-log.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';

/** An employee of an audit event. */
export type EventEmployee = GivenValues & { readonly id: string };

/** An audit event of an employee. */
export type EmployeeEvent = AuditEvent & { readonly accountId: string };

/** The event that an employee was created or deleted, with all values. */
export function employeeEvent(
  type: 'employee.created' | 'employee.deleted',
  context: AuditContext,
  employee: EventEmployee,
  details: Readonly<Record<string, string>> = {},
): EmployeeEvent {
  const values = givenAttributes.flatMap(({ name, member }) => {
    const value = employee[member];
    return value === null ? [] : [[name, value] as const];
  });
  return toEvent(type, context, { employee: employee.id, ...Object.fromEntries(values), ...details });
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
