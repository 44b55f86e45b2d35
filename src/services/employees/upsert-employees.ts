import type { Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import { insertEmployees, type NewEmployee } from './insert-employees.js';
import { lockAccount } from './lock-account.js';

/** An employee as an import knows it: by number, without dates. */
export type EmployeeRecord = Omit<NewEmployee, 'createdAt' | 'updatedAt'>;

/** What became of records: each is counted once. */
export interface UpsertCounts {
  readonly created: number;
  readonly updated: number;
  /** Stored already exactly as given; the row was not touched. */
  readonly unchanged: number;
}

/** The account of an import does not exist, or does no longer. */
export class UnknownAccountError extends Error {
  override readonly name = 'UnknownAccountError';
}

/**
 * Makes the account's employees with these numbers what the records say: adds those that are missing and changes
 * those that differ. Writers to one account wait for each other, so that doing it again, or at the same time,
 * neither doubles nor loses a record.
 *
 * @param tx the transaction in which all records are stored, or none
 * @param rows no two with the same `employeeNumber`
 * @throws {UnknownAccountError}
 */
export async function upsertEmployees(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly EmployeeRecord[],
): Promise<UpsertCounts> {
  if (!(await lockAccount(tx, accountId)))
    throw new UnknownAccountError(`No account has the id ${accountId}`);
  const present = await findNumbers(tx, accountId, rows);
  const fresh = rows.filter(({ employeeNumber }) => !present.has(employeeNumber));
  const known = rows.filter(({ employeeNumber }) => present.has(employeeNumber));
  const updated = known.length > 0 ? await updateChanged(tx, accountId, known) : 0;
  // Positions are never handed back: only rows that are new may take one.
  if (fresh.length > 0) await insertEmployees(tx, accountId, fresh);
  return { created: fresh.length, updated, unchanged: known.length - updated };
}

async function findNumbers(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly EmployeeRecord[],
): Promise<Set<string>> {
  const numbers = rows.map(({ employeeNumber }) => employeeNumber);
  const found = await tx.$queryRaw<{ number: string }[]>`
    SELECT employee_number AS number FROM employees
    WHERE account_id = ${accountId} AND employee_number = ANY (${numbers}::text[])`;
  return new Set(found.map(({ number }) => number));
}

/** @returns how many rows differed from their records. */
function updateChanged(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly EmployeeRecord[],
): Promise<number> {
  const column = (value: (row: EmployeeRecord) => string): string[] => rows.map(value);
  return tx.$executeRaw`
    UPDATE employees SET
      first_name = given.first_name, last_name = given.last_name, email = given.email, status = given.status,
      department = given.department, updated_at = ${new Date().toISOString()}::timestamptz
    FROM unnest(
      ${column((row) => row.employeeNumber)}::text[],
      ${column((row) => row.firstName)}::text[],
      ${column((row) => row.lastName)}::text[],
      ${column((row) => row.email)}::text[],
      ${column((row) => row.status)}::text[],
      ${column((row) => row.department)}::text[]
    ) AS given (employee_number, first_name, last_name, email, status, department)
    WHERE employees.account_id = ${accountId} AND employees.employee_number = given.employee_number
      AND (employees.first_name, employees.last_name, employees.email, employees.status, employees.department)
        IS DISTINCT FROM (given.first_name, given.last_name, given.email, given.status, given.department)`;
}
