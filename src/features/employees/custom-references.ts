import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/client.js';
import { employeeIdLength, employeePosition } from '../../platform/database/ids.js';
import { type CustomAttribute, readActiveAttributes } from './custom-attributes.js';
import { customValue } from './custom-values.js';
import type { CustomChanges, Employee, GivenReferences } from './employee.js';
import { lookUpNumbers } from './employee-references.js';

type Client = Pick<Prisma.TransactionClient, '$queryRaw'>;

/** Whether the values of an attribute are employees. */
export function refersToEmployees({ type }: Pick<CustomAttribute, 'type'>): boolean {
  return type === 'employee';
}

/** Values that have the size of those that the references become. */
export function sizedReferences(references: GivenReferences = {}): CustomChanges {
  const values = Object.entries(references).map(([key, text]) => [
    key,
    text === null ? null : '0'.repeat(employeeIdLength),
  ]);
  return Object.fromEntries(values);
}

/** The ids of the employees that custom attributes of an employee refer to. */
export function referencedIds(
  { custom }: Pick<Employee, 'custom'>,
  attributes: readonly CustomAttribute[],
): string[] {
  return attributes.filter(refersToEmployees).flatMap(({ key }) => {
    const id = customValue(custom, key);
    return typeof id === 'string' ? [id] : [];
  });
}

/** Reads the keys of the attributes of an account that refer to employees and are not archived. */
export async function readReferringKeys(
  tx: Pick<Prisma.TransactionClient, 'customAttribute'>,
  accountId: AccountId,
): Promise<ReadonlySet<string>> {
  const attributes = await readActiveAttributes(tx, accountId);
  return new Set(attributes.filter(refersToEmployees).map(({ key }) => key));
}

/** Which of the ids are those of employees of the account. */
export async function findKnownIds(
  tx: Client,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT given.id FROM unnest(${ids}::text[], ${ids.map(employeePosition)}::bigint[]) AS given (id, position)
    CROSS JOIN LATERAL (
      SELECT FROM employees WHERE account_id = ${accountId} AND position = given.position AND id = given.id OFFSET 0
    ) AS employee`;
  return new Set(rows.map(({ id }) => id));
}

/** Texts in one statement, after which other work of the process runs. */
const chunkSize = 5_000;

/**
 * Finds the ids of employees of the account by employee number or id. Of an employee with the number and another one with the id, the
 * one with the number is meant.
 *
 * @returns ids by text; an unknown text is absent
 */
export async function findReferenced(
  tx: Client,
  accountId: AccountId,
  texts: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const all = [...new Set(texts)];
  for (let first = 0; first < all.length; first += chunkSize) {
    if (first > 0) await nextTurn();
    const chunk = all.slice(first, first + chunkSize);
    const columns = Prisma.sql`employee_number AS number, id`;
    const numbered = await lookUpNumbers<{ number: string; id: string }>(tx, accountId, {
      numbers: chunk,
      columns,
    });
    for (const { number, id } of numbered) found.set(number, id);
    const others = chunk.filter((text) => !found.has(text) && employeePosition(text) !== -1);
    if (others.length === 0) continue;
    for (const id of await findKnownIds(tx, accountId, others)) found.set(id, id);
  }
  return found;
}

/**
 * Employees that are deleted at once, when many are. If custom attributes refer to employees, each time reads all employees of the
 * account.
 */
export const deletedAtOnce = 5_000;

/** An employee whose custom attributes referred to a deleted one. */
interface ClearedReferences {
  readonly id: string;
  readonly employeeNumber: string;
  /** The ids that the custom attributes had, by key. */
  readonly removed: Readonly<Record<string, string>>;
}

/**
 * Removes the references to employees who are deleted next in the transaction from the custom attributes of the others, archived ones
 * included. Reads all employees of an account that has such an attribute.
 */
export function clearReferences(
  tx: Client,
  accountId: AccountId,
  ids: readonly string[],
): Promise<ClearedReferences[]> {
  return tx.$queryRaw<ClearedReferences[]>`
    SELECT id, employee_number AS "employeeNumber", removed
    FROM clear_employee_references(
      ${accountId}, ARRAY(SELECT id FROM unnest(${ids}::text[]) AS given (id) ORDER BY id COLLATE "C"))`;
}
