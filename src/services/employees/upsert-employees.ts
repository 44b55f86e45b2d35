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
  const ids = await findIds(tx, accountId, rows);
  const fresh = rows.filter(({ employeeNumber }) => !ids.has(employeeNumber));
  const known = rows.flatMap((row) => {
    const id = ids.get(row.employeeNumber);
    return id === undefined ? [] : [{ ...row, id }];
  });
  const updated = known.length > 0 ? await updateChanged(tx, accountId, known) : 0;
  // Positions are never handed back: only rows that are new may take one.
  if (fresh.length > 0) await insertEmployees(tx, accountId, fresh);
  return { created: fresh.length, updated, unchanged: known.length - updated };
}

/** Ids of the employees that have the numbers of the records. */
async function findIds(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly EmployeeRecord[],
): Promise<Map<string, string>> {
  const numbers = rows.map(({ employeeNumber }) => employeeNumber);
  // OFFSET 0 keeps the lookup by number a lookup. While a large import runs the planner has no statistics of the
  // account yet, takes it for small, and would read all of it for every batch.
  const found = await tx.$queryRaw<{ number: string; id: string }[]>`
    SELECT given.number, found.id FROM unnest(${numbers}::text[]) AS given (number)
    CROSS JOIN LATERAL (
      SELECT id FROM employees
      WHERE account_id = ${accountId} AND employee_number = given.number OFFSET 0
    ) AS found`;
  return new Map(found.map(({ number, id }) => [number, id]));
}

/** @returns how many rows differed from their records. */
function updateChanged(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly (EmployeeRecord & { readonly id: string })[],
): Promise<number> {
  type Row = (typeof rows)[number];
  const column = (value: (row: Row) => string): string[] => rows.map(value);
  // The account is compared in a way that no index serves, for the same reason: rows are to be found by id.
  return tx.$executeRaw`
    UPDATE employees SET
      first_name = given.first_name, last_name = given.last_name, email = given.email, status = given.status,
      department = given.department, updated_at = ${new Date().toISOString()}::timestamptz
    FROM unnest(
      ${column((row) => row.id)}::text[],
      ${column((row) => row.firstName)}::text[],
      ${column((row) => row.lastName)}::text[],
      ${column((row) => row.email)}::text[],
      ${column((row) => row.status)}::text[],
      ${column((row) => row.department)}::text[]
    ) AS given (id, first_name, last_name, email, status, department)
    WHERE employees.id = given.id AND employees.account_id || '' = ${accountId}
      AND (employees.first_name, employees.last_name, employees.email, employees.status, employees.department)
        IS DISTINCT FROM (given.first_name, given.last_name, given.email, given.status, given.department)`;
}
