import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/client.js';
import { employeeId } from '../../platform/database/ids.js';
import { withCustomChanges } from './custom-values.js';
import { type EmployeeRecord, initialValue } from './employee.js';
import { type GivenAttribute, givenAttributes } from './employee-attributes.js';

/** An employee as callers provide it, without an id. */
export type NewEmployee = EmployeeRecord & {
  /** Default: now. */
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
};

const names = Prisma.raw(givenAttributes.map(({ name }) => name).join(', '));

/**
 * Adds employees to an account atomically, in the given order. Concurrent writes to one account run one after the other.
 *
 * @param tx the transaction in which all records are stored, or none
 * @param batchSize number of records that one statement stores
 * @returns their ids, ascending
 * @throws a violation of `employees_account_id_employee_number_key` if another employee has the same number
 */
export async function insertEmployees(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly NewEmployee[],
  batchSize = 5_000,
): Promise<string[]> {
  const { prefix, first } = await takePositions(tx, accountId, rows.length);
  const now = new Date();
  const ids: string[] = [];
  for (let start = 0; start < rows.length; start += batchSize) {
    const batch = rows.slice(start, start + batchSize);
    const positions = batch.map((_, index) => first + BigInt(start + index));
    const batchIds = positions.map((position) => employeeId(prefix, position));
    const column = (value: (row: NewEmployee) => string): string[] => batch.map(value);
    await tx.$executeRaw`
      INSERT INTO employees (account_id, id, position, ${names}, created_at, updated_at, custom)
      SELECT account_totals.account_id, given.* FROM account_totals CROSS JOIN unnest(
        ${batchIds}::text[],
        ${positions.map(String)}::text[]::bigint[],
        ${Prisma.join(givenAttributes.map((attribute) => valuesOf(attribute, batch)))},
        ${column((row) => (row.createdAt ?? now).toISOString())}::text[]::timestamptz[],
        ${column((row) => (row.updatedAt ?? row.createdAt ?? now).toISOString())}::text[]::timestamptz[],
        ${batch.map(({ custom }) => customText(custom))}::text[]::jsonb[]
      ) AS given
      WHERE account_totals.account_id = ${accountId}`;
    ids.push(...batchIds);
  }
  return ids;
}

/** The values of custom attributes of a new employee as JSON; `null` for none. */
function customText(custom: NewEmployee['custom']): string | null {
  return custom === undefined ? null : JSON.stringify(withCustomChanges({}, custom));
}

/** Builds the array of the values of an attribute. */
function valuesOf(attribute: GivenAttribute, rows: readonly NewEmployee[]): Prisma.Sql {
  const values = Prisma.sql`${rows.map((row) => initialValue(row, attribute))}::text[]`;
  return attribute.type === 'text' ? values : Prisma.sql`${values}::${Prisma.raw(attribute.type)}[]`;
}

/** Reserves the next positions. The account's row stays locked until the transaction ends. */
async function takePositions(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  count: number,
): Promise<{ prefix: string; first: bigint }> {
  const account = await tx.account.update({
    where: { id: accountId },
    data: { employeeSequence: { increment: count } },
    select: { employeePrefix: true, employeeSequence: true },
  });
  return { prefix: account.employeePrefix, first: account.employeeSequence - BigInt(count) };
}
