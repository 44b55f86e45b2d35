import type { Prisma } from '../../database/client.js';
import { employeeId } from '../../database/ids.js';
import type { AccountId } from '../account-id.js';

/** An employee as a caller knows it, before it has an id. */
export interface NewEmployee {
  readonly employeeNumber: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly status: string;
  readonly department: string;
  /** Default: now. */
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
}

const batchSize = 5_000;

/**
 * Adds employees to an account, in the given order and all or none of them. Writers to one account wait for each
 * other.
 *
 * @param tx the transaction in which all records are stored, or none
 * @returns their ids, ascending.
 * @throws a violation of `employees_account_id_employee_number_key` when a number is taken.
 */
export async function insertEmployees(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly NewEmployee[],
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
      INSERT INTO employees (account_id, id, position, employee_number, first_name, last_name, email, status,
        department, created_at, updated_at)
      SELECT ${accountId}, * FROM unnest(
        ${batchIds}::text[],
        ${positions.map(String)}::text[]::bigint[],
        ${column((row) => row.employeeNumber)}::text[],
        ${column((row) => row.firstName)}::text[],
        ${column((row) => row.lastName)}::text[],
        ${column((row) => row.email)}::text[],
        ${column((row) => row.status)}::text[],
        ${column((row) => row.department)}::text[],
        ${column((row) => (row.createdAt ?? now).toISOString())}::text[]::timestamptz[],
        ${column((row) => (row.updatedAt ?? row.createdAt ?? now).toISOString())}::text[]::timestamptz[]
      )`;
    ids.push(...batchIds);
  }
  return ids;
}

/** Takes the next positions; the account's row stays locked until the transaction ends. */
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
