import type { Unit } from '../../platform/changes/change.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';

/** An employee of an audit event. */
type EventEmployee = GivenValues & { readonly id: string };

type Details = Readonly<Record<string, string>>;

/** The details of the event that an employee was created, with all values. */
export function createdDetails(employee: EventEmployee): Details {
  const values = givenAttributes.flatMap(({ name, member }) => {
    const value = employee[member];
    return value === null ? [] : [[name, value] as const];
  });
  return { employee: employee.id, ...Object.fromEntries(values) };
}

/**
 * Erases the values of employees from their earlier events, in the change that deletes them. Type, time, actor and the id of the
 * employee are kept.
 */
export async function eraseDetails(
  { tx, context: { accountId } }: Unit,
  ids: readonly string[],
): Promise<void> {
  await tx.$executeRaw`
    UPDATE audit_events SET details = jsonb_build_object('employee', details -> 'employee')
    WHERE account_id = ${accountId} AND type IN ('employee.created', 'employee.updated')
      AND details ->> 'employee' = ANY (${ids}::text[])`;
}

/** The details of the event that attributes of an employee were changed, with their values before and after. */
export function updatedDetails(
  before: EventEmployee,
  after: GivenValues,
  changed: readonly GivenAttribute[],
): Details {
  const values = changed.map(({ name, member }) => [
    name,
    `${before[member] ?? '–'} → ${after[member] ?? '–'}`,
  ]);
  const identity = { employee: before.id, employee_number: before.employeeNumber };
  return { ...identity, ...Object.fromEntries(values) };
}
