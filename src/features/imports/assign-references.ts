import type { AccountId } from '../../platform/accounts/account-id.js';
import { lockAccount } from '../../platform/changes/locks.js';
import { customName } from '../../platform/contract/attribute-access.js';
import { Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { ruleText, violation } from '../../platform/problems/rule-texts.js';
import {
  type CustomChanges,
  type CustomValues,
  findReferenced,
  type GivenReferences,
  lookUpNumbers,
  readReferringKeys,
  UnknownAccountError,
} from '../employees/index.js';
import { type AssignmentError, type AssignmentOutcome, chunks } from './assign-managers.js';

/** A custom attribute of a record that refers to an employee, or no longer does. */
interface ReferenceAssignment {
  readonly key: string;
  readonly line: number;
  /** An employee number or an id; `null`: none. */
  readonly text: string | null;
}

/**
 * The employees that custom attributes of an import refer to, by employee number. They are stored after all employees, as managers are.
 * Of several records with the same number, the last one that has the attribute counts.
 */
export type ReferenceAssignments = Map<string, readonly ReferenceAssignment[]>;

/** Adds the references of a record to those of an import. */
export function addReferences(
  assignments: ReferenceAssignments,
  { number, line, references }: { number: string; line: number; references: GivenReferences },
): void {
  const given = Object.entries(references).map(([key, text]) => ({ key, line, text }));
  const kept = (assignments.get(number) ?? []).filter(({ key }) => !Object.hasOwn(references, key));
  assignments.set(number, [...kept, ...given]);
}

/** New references of an employee, who is stored with the earlier values of custom attributes. */
export interface ReferenceChange {
  readonly id: string;
  readonly before: CustomValues;
  /** Ids by key; `null`: none. */
  readonly changes: CustomChanges;
}

interface StoredEmployee {
  readonly number: string;
  readonly id: string;
  readonly custom: CustomValues;
  readonly changedAt: Date;
}

/**
 * Stores the references of an import, except those to unknown employees. Those of attributes that were archived meanwhile are ignored.
 *
 * @param tx the transaction in which all references are stored, or none
 * @param startedAt start of the import
 * @param onStored called after each part of the references is stored
 * @throws {UnknownAccountError}
 */
export async function assignReferences(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  {
    assignments,
    startedAt,
    onStored,
  }: {
    assignments: ReferenceAssignments;
    startedAt: Date;
    onStored?: ((changes: readonly ReferenceChange[]) => Promise<void>) | undefined;
  },
): Promise<AssignmentOutcome> {
  if (!(await lockAccount(tx, accountId)))
    throw new UnknownAccountError(`No account has the id ${accountId}`);
  const keys = await readReferringKeys(tx, accountId);
  const ids = await findReferenced(tx, accountId, await textsIn(assignments));
  const errors: AssignmentError[] = [];
  let updated = 0;
  for await (const chunk of chunks(assignments)) {
    const employees = await readStored(tx, accountId, chunk);
    const changes: ReferenceChange[] = [];
    for (const [number, given] of chunk) {
      const active = given.filter(({ key }) => keys.has(key));
      errors.push(...unknownIn(active, ids));
      const employee = employees.get(number);
      // It was deleted while the file was imported.
      if (employee === undefined) continue;
      const changed = changesOf(employee, active, ids);
      if (Object.keys(changed).length === 0) continue;
      changes.push({ id: employee.id, before: employee.custom, changes: changed });
      if (employee.changedAt < startedAt) updated += 1;
    }
    if (changes.length === 0) continue;
    await store(tx, accountId, changes);
    await onStored?.(changes);
  }
  return { updated, errors: errors.sort((one, other) => one.line - other.line) };
}

/** The errors of two steps, one for each line. */
export function mergeErrors(
  one: readonly AssignmentError[],
  other: readonly AssignmentError[],
): readonly AssignmentError[] {
  if (one.length === 0 || other.length === 0) return [...one, ...other];
  const merged = new Map(one.map((error) => [error.line, error]));
  for (const { line, errors, causes } of other) {
    const earlier = merged.get(line);
    merged.set(line, {
      line,
      errors: [...(earlier?.errors ?? []), ...errors],
      causes: [...(earlier?.causes ?? []), ...causes],
    });
  }
  return [...merged.values()].sort((first, second) => first.line - second.line);
}

async function textsIn(assignments: ReferenceAssignments): Promise<ReadonlySet<string>> {
  const texts = new Set<string>();
  for await (const chunk of chunks(assignments))
    for (const [, given] of chunk) for (const { text } of given) if (text !== null) texts.add(text);
  return texts;
}

/** The unknown employees of one employee number, by line. */
function unknownIn(
  given: readonly ReferenceAssignment[],
  ids: ReadonlyMap<string, string>,
): readonly AssignmentError[] {
  return given.reduce<readonly AssignmentError[]>((found, { key, line, text }) => {
    if (text === null || ids.has(text)) return found;
    const name = customName(key);
    const error = `${name} ${ruleText(violation('known_employee', { value: text }))}`;
    return mergeErrors(found, [{ line, errors: [error], causes: [`the employee of ${name} is unknown`] }]);
  }, []);
}

/** The values that differ from those that are stored. */
function changesOf(
  { custom }: StoredEmployee,
  given: readonly ReferenceAssignment[],
  ids: ReadonlyMap<string, string>,
): CustomChanges {
  const stored = new Map(Object.entries(custom));
  const changed = given.flatMap(({ key, text }) => {
    const id = text === null ? null : ids.get(text);
    return id === undefined || id === (stored.get(key) ?? null) ? [] : [[key, id] as const];
  });
  return Object.fromEntries(changed);
}

async function readStored(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  chunk: readonly (readonly [string, unknown])[],
): Promise<ReadonlyMap<string, StoredEmployee>> {
  const found = await lookUpNumbers<StoredEmployee>(tx, accountId, {
    numbers: chunk.map(([number]) => number),
    columns: Prisma.sql`employee_number AS number, id, coalesce(custom, '{}') AS custom,
      greatest(updated_at, custom_updated_at) AS "changedAt"`,
  });
  return new Map(found.map((employee) => [employee.number, employee]));
}

async function store(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  changes: readonly ReferenceChange[],
): Promise<void> {
  // As in upsertEmployees, the planner must look up each row by its key.
  const given = changes.map(({ id, changes: custom }) => {
    return { account_id: accountId, position: employeePosition(id), custom };
  });
  await tx.$executeRaw`
    UPDATE employees SET custom = nullif(jsonb_strip_nulls(coalesce(employees.custom, '{}') || given.custom), '{}'),
      updated_at = ${new Date().toISOString()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(given)}::json) AS given (account_id text, position bigint, custom jsonb)
    WHERE employees.account_id = ${accountId} AND employees.account_id = given.account_id
      AND employees.position = given.position`;
}
