import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';
import { type GivenValues, givenAttributes } from './employee-attributes.js';
import type { EmployeeRecord } from './employee-record.js';
import { findByNumber } from './find-by-number.js';
import { checkManager } from './managers.js';

/** The values of an employee as a user provides them, without `managerId`. Absent values are `null`. */
export interface EmployeeInput {
  readonly employee: EmployeeRecord;
  /** Employee number of the manager; `null`: none. */
  readonly managerNumber: string | null;
}

/** The reason why the values of an employee are not stored. */
export type Rejection = 'number_taken' | 'manager_unknown' | 'manager_self' | 'manager_cycle';

/**
 * Checks values against the other employees, in a transaction that has locked the account with `lockAccount`: until it ends,
 * no other one stores the same number or a manager.
 *
 * @param employeeId `null` for an employee that is not stored yet
 * @returns all values, or the reason for their rejection
 */
export async function resolveInput(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { employeeId, input }: { employeeId: string | null; input: EmployeeInput },
): Promise<{ readonly values: GivenValues } | { readonly reasons: readonly Rejection[] }> {
  const { employee, managerNumber } = input;
  const { employeeNumber } = employee;
  const known = await findByNumber(tx, accountId, [
    employeeNumber,
    ...(managerNumber === null ? [] : [managerNumber]),
  ]);
  const reasons: Rejection[] = [];
  if ((known.get(employeeNumber) ?? employeeId) !== employeeId) reasons.push('number_taken');
  let managerId: string | null = null;
  if (managerNumber !== null) {
    managerId = known.get(managerNumber) ?? null;
    // Also the number that a new employee gets.
    if (managerNumber === employeeNumber) reasons.push('manager_self');
    else if (managerId === null) reasons.push('manager_unknown');
    else {
      const check = await checkManager(tx, accountId, { employeeId, managerId });
      if (check !== 'ok') reasons.push(`manager_${check}`);
    }
  }
  if (reasons.length > 0) return { reasons };
  const values = givenAttributes.map(({ member }) => [member, employee[member] ?? null]);
  return { values: { ...Object.fromEntries(values), managerId } as GivenValues };
}
