import type { AccountId } from '../../platform/accounts/account-id.js';
import { lockAccount } from '../../platform/changes/locks.js';
import { Prisma } from '../../platform/database/client.js';
import { changedKeys, customValue, withCustomChanges } from './custom-values.js';
import type { CustomChanges, Employee, EmployeeRecord } from './employee.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';
import { lookUpNumbers } from './employee-references.js';
import { insertEmployees } from './insert-employees.js';

/** A record identifies its employee by the employee number. */
const changeable = givenAttributes.filter(({ member }) => member !== 'employeeNumber');

/** Values of an employee before a change, of the attributes that it changed. A custom attribute without a value is `null`. */
export type EarlierValues = Partial<Omit<GivenValues, 'employeeNumber'>> & {
  readonly custom?: CustomChanges;
};

/** Numbers of records by outcome. Each record is counted once. */
export interface UpsertCounts {
  readonly created: number;
  readonly updated: number;
  /** The stored values were equal to the record; the row was not written. */
  readonly unchanged: number;
}

/** The account of an import does not exist, or no longer exists. */
export class UnknownAccountError extends Error {
  override readonly name = 'UnknownAccountError';
}

/**
 * Adds the employees that an account does not have yet, by employee number, and updates those whose values differ.
 * Concurrent writes to one account run one after the other, so a repeated or concurrent import creates no duplicates and
 * loses no record.
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
  const positions = await findPositions(tx, accountId, rows);
  const fresh = rows.filter(({ employeeNumber }) => !positions.has(employeeNumber));
  const known = rows.flatMap((row) => {
    const position = positions.get(row.employeeNumber);
    return position === undefined ? [] : [{ ...row, position }];
  });
  const updated = known.length > 0 ? await updateChanged(tx, accountId, known) : 0;
  // Positions are never reused, so only new rows get one.
  if (fresh.length > 0) await insertEmployees(tx, accountId, fresh);
  return { created: fresh.length, updated, unchanged: known.length - updated };
}

/** The values of a stored employee that {@link upsertEmployees} changes, as they are before. */
export function valuesToChange(stored: Employee, record: EmployeeRecord): EarlierValues {
  const changed = changeable.filter(
    ({ member }) => record[member] !== undefined && record[member] !== stored[member],
  );
  const keys = changedKeys(stored.custom, withCustomChanges(stored.custom, record.custom));
  const custom = Object.fromEntries(keys.map((key) => [key, customValue(stored.custom, key) ?? null]));
  return {
    ...Object.fromEntries(changed.map(({ member }) => [member, stored[member]])),
    ...(keys.length > 0 && { custom }),
  };
}

/** Positions of the employees that have the numbers of the records. */
async function findPositions(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly EmployeeRecord[],
): Promise<Map<string, string>> {
  const numbers = rows.map(({ employeeNumber }) => employeeNumber);
  const columns = Prisma.sql`employee_number AS number, position::text`;
  const found = await lookUpNumbers<{ number: string; position: string }>(tx, accountId, {
    numbers,
    columns,
  });
  return new Map(found.map(({ number, position }) => [number, position]));
}

type KnownRecord = EmployeeRecord & { readonly position: string };

/** @returns the number of rows that differed from their records */
async function updateChanged(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly KnownRecord[],
): Promise<number> {
  let updated = 0;
  for (const alike of byAttributes(rows)) updated += await updateAttributes(tx, accountId, alike);
  return updated;
}

/** Records with the same attributes. */
interface AlikeRecords {
  readonly attributes: readonly GivenAttribute[];
  readonly hasCustom: boolean;
  readonly rows: KnownRecord[];
}

/** Groups records by the attributes that they contain. Absent attributes are not changed. */
function byAttributes(rows: readonly KnownRecord[]): Iterable<AlikeRecords> {
  const groups = new Map<string, AlikeRecords>();
  for (const row of rows) {
    const attributes = changeable.filter(({ member }) => row[member] !== undefined);
    const hasCustom = row.custom !== undefined && Object.keys(row.custom).length > 0;
    const key = [...attributes.map(({ name }) => name), hasCustom].join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { attributes, hasCustom, rows: [row] });
    else group.rows.push(row);
  }
  return groups.values();
}

function updateAttributes(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { attributes, hasCustom, rows }: AlikeRecords,
): Promise<number> {
  // The planner estimates a JSON array as a hundred rows, whatever its length, and looks up each one by its key. The account
  // is a member of each row for the same reason: with a constant alone, PostgreSQL would read all employees of the account.
  const given = JSON.stringify(rows.map((row) => ({ ...row, accountId })));
  const custom = "nullif(jsonb_strip_nulls(coalesce(employees.custom, '{}') || given.custom), '{}')";
  const list = (part: (attribute: GivenAttribute) => string, last: string) =>
    Prisma.raw([...attributes.map(part), ...(hasCustom ? [last] : [])].join(', '));
  return tx.$executeRaw`
    UPDATE employees SET
      ${list(({ name, member }) => `${name} = given."${member}"`, `custom = ${custom}`)},
      updated_at = ${new Date().toISOString()}::timestamptz
    FROM json_to_recordset(${given}::json) AS given
      ("accountId" text, position bigint, ${list(({ member, type }) => `"${member}" ${type}`, 'custom jsonb')})
    WHERE employees.account_id = ${accountId} AND employees.account_id = given."accountId"
      AND employees.position = given.position
      AND (${list(({ name }) => `employees.${name}`, 'employees.custom')})
        IS DISTINCT FROM (${list(({ member }) => `given."${member}"`, custom)})`;
}
