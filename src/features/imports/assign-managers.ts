import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { lockAccount } from '../../platform/changes/locks.js';
import { Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { ruleText, violation } from '../../platform/problems/rule-texts.js';
import {
  findKnownIds,
  lookUpNumbers,
  type ManagerReference,
  managersAbove,
  UnknownAccountError,
} from '../employees/index.js';

/** A record that has a manager or removes it. */
interface ManagerAssignment {
  readonly line: number;
  readonly reference: ManagerReference;
}

/**
 * The managers of an import by employee number. They are stored after all employees, because a manager can come later in the
 * file than the reports. Of several records with the same number, the last one that has a manager counts.
 */
export type ManagerAssignments = Map<string, ManagerAssignment>;

/** A record whose manager, or another employee that it refers to, was not stored. */
export interface AssignmentError {
  readonly line: number;
  readonly errors: readonly string[];
  /** The errors without values of the record. */
  readonly causes: readonly string[];
}

export interface AssignmentOutcome {
  /** Employees that this import had not changed otherwise. */
  readonly updated: number;
  /** In the order of the file. */
  readonly errors: readonly AssignmentError[];
}

/** Steps after which other work of the process runs. They take a few milliseconds. */
const stepsPerTurn = 5_000;

interface ManagerCycles {
  /** Employees who are part of a cycle. */
  readonly members: ReadonlySet<string>;
  /** Employees whose managers, their managers and so on end in a cycle: the members and everyone below them. */
  readonly leading: ReadonlySet<string>;
}

/**
 * Finds cycles of managers, in time linear in the number of edges. Other work of the process runs meanwhile.
 *
 * @param managers the manager of each employee; absent: none
 */
export async function findCycles(managers: ReadonlyMap<string, string>): Promise<ManagerCycles> {
  const members = new Set<string>();
  const leading = new Set<string>();
  const passed = new Set<string>();
  let steps = 0;
  const isTurn = () => {
    steps += 1;
    return steps % stepsPerTurn === 0;
  };
  for (const start of managers.keys()) {
    if (isTurn()) await nextTurn();
    const path = new Set<string>();
    let id: string | undefined = start;
    while (id !== undefined && !passed.has(id)) {
      passed.add(id);
      path.add(id);
      if (isTurn()) await nextTurn();
      id = managers.get(id);
    }
    if (id === undefined || !(path.has(id) || leading.has(id))) continue;
    let isMember = false;
    for (const one of path) {
      isMember ||= one === id;
      leading.add(one);
      if (isMember) members.add(one);
      if (isTurn()) await nextTurn();
    }
  }
  return { members, leading };
}

/** Rows in one statement, and items after which other work of the process runs. */
const chunkSize = 5_000;

interface StoredEmployee {
  readonly id: string;
  readonly managerId: string | null;
  readonly updatedAt: Date;
}

/** A new manager of an employee, who is stored with the earlier one. */
export interface ManagerChange {
  readonly line: number;
  readonly employee: StoredEmployee;
  readonly managerId: string | null;
}

/**
 * Stores the managers of an import, except those that are unknown, the employees themselves, or part of a cycle.
 *
 * @param tx the transaction in which all managers are stored, or none
 * @param startedAt start of the import
 * @param onStored called after each part of the managers is stored
 * @throws {UnknownAccountError}
 */
export async function assignManagers(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  {
    assignments,
    startedAt,
    onStored,
  }: {
    assignments: ManagerAssignments;
    startedAt: Date;
    onStored?: ((changes: readonly ManagerChange[]) => Promise<void>) | undefined;
  },
): Promise<AssignmentOutcome> {
  if (!(await lockAccount(tx, accountId)))
    throw new UnknownAccountError(`No account has the id ${accountId}`);
  const { wanted, errors } = await resolve(tx, accountId, assignments);
  const newManagers = new Set<string>();
  for await (const chunk of chunks(wanted))
    for (const { managerId } of chunk) if (managerId !== null) newManagers.add(managerId);
  const managers = new Map<string, string>();
  for await (const chunk of chunks(newManagers))
    for (const { id, managerId } of await managersAbove(tx, accountId, chunk)) managers.set(id, managerId);
  const { accepted, rejected } = await withoutCycles(managers, wanted);
  const cycle = 'the managers of the employee form a cycle';
  for (const { line } of rejected) errors.push({ line, errors: [cycle], causes: [cycle] });
  let updated = 0;
  for await (const chunk of chunks(accepted)) {
    await store(tx, accountId, chunk);
    await onStored?.(chunk);
    updated += chunk.filter(({ employee }) => employee.updatedAt < startedAt).length;
  }
  return { updated, errors: errors.sort((one, other) => one.line - other.line) };
}

/** Number of rounds in which only the members of cycles are rejected. */
const maximumRounds = 10;

/**
 * Rejects changes that form a cycle. Their employees keep their earlier managers, which may form another cycle with the
 * other changes, so the search is repeated. The last round also rejects the changes of everyone below a cycle: the remaining
 * changes never lead to a rejected employee, and the earlier managers have no cycle.
 *
 * @param managers the stored managers of all employees above the new managers; changed to the outcome
 */
async function withoutCycles(
  managers: Map<string, string>,
  changes: readonly ManagerChange[],
): Promise<{ accepted: readonly ManagerChange[]; rejected: readonly ManagerChange[] }> {
  const set = ({ employee }: ManagerChange, managerId: string | null) => {
    if (managerId === null) managers.delete(employee.id);
    else managers.set(employee.id, managerId);
  };
  for await (const chunk of chunks(changes)) for (const change of chunk) set(change, change.managerId);
  let accepted = changes;
  const rejected: ManagerChange[] = [];
  for (let round = 1; ; round += 1) {
    const { members, leading } = await findCycles(managers);
    if (members.size === 0) return { accepted, rejected };
    const cyclic = round < maximumRounds ? members : leading;
    const kept: ManagerChange[] = [];
    for await (const chunk of chunks(accepted)) {
      for (const change of chunk) {
        if (cyclic.has(change.employee.id)) {
          set(change, change.employee.managerId);
          rejected.push(change);
        } else kept.push(change);
      }
    }
    accepted = kept;
  }
}

/** Finds the employees and their managers, and omits managers that do not change. */
async function resolve(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  assignments: ManagerAssignments,
): Promise<{ wanted: ManagerChange[]; errors: AssignmentError[] }> {
  const numbers = new Set<string>();
  const ids = new Set<string>();
  for await (const chunk of chunks(assignments)) {
    for (const [number, { reference }] of chunk) {
      numbers.add(number);
      if (reference === null) continue;
      if ('id' in reference) ids.add(reference.id);
      else numbers.add(reference.employeeNumber);
    }
  }
  const byNumber = await findByNumber(tx, accountId, numbers);
  const known = await findIds(tx, accountId, ids);
  const idOf = (reference: NonNullable<ManagerReference>): string | null => {
    if ('id' in reference) return known.has(reference.id) ? reference.id : null;
    return byNumber.get(reference.employeeNumber)?.id ?? null;
  };
  const wanted: ManagerChange[] = [];
  const errors: AssignmentError[] = [];
  for await (const chunk of chunks(assignments)) {
    for (const [number, { line, reference }] of chunk) {
      const employee = byNumber.get(number);
      // It was deleted while the file was imported.
      if (employee === undefined) continue;
      const managerId = reference === null ? null : idOf(reference);
      if (reference !== null && managerId === null)
        errors.push({ line, errors: [unknownManager(reference)], causes: ['the manager is unknown'] });
      else if (managerId === employee.id) errors.push({ line, errors: [ownManager], causes: [ownManager] });
      else if (managerId !== employee.managerId) wanted.push({ line, employee, managerId });
    }
  }
  return { wanted, errors };
}

const ownManager = `the manager of an employee ${ruleText(violation('other_employee'))}`;

function unknownManager(reference: NonNullable<ManagerReference>): string {
  return 'id' in reference
    ? `manager_id ${ruleText(violation('known_manager_id', { value: reference.id }))}`
    : `manager_employee_number ${ruleText(violation('known_manager_number', { value: reference.employeeNumber }))}`;
}

async function findByNumber(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  numbers: Iterable<string>,
): Promise<Map<string, StoredEmployee>> {
  const found = new Map<string, StoredEmployee>();
  for await (const chunk of chunks(numbers)) {
    const rows = await lookUpNumbers<StoredEmployee & { number: string }>(tx, accountId, {
      numbers: chunk,
      columns: Prisma.sql`employee_number AS number, id, manager_id AS "managerId", updated_at AS "updatedAt"`,
    });
    for (const { number, ...employee } of rows) found.set(number, employee);
  }
  return found;
}

async function findIds(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const chunk of chunks(ids))
    for (const id of await findKnownIds(tx, accountId, chunk)) found.add(id);
  return found;
}

async function store(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  changes: readonly ManagerChange[],
): Promise<void> {
  // As in upsertEmployees, the planner must look up each row by its key.
  const given = changes.map(({ employee, managerId }) => {
    return { account_id: accountId, position: employeePosition(employee.id), manager_id: managerId };
  });
  await tx.$executeRaw`
    UPDATE employees SET manager_id = given.manager_id, updated_at = ${new Date().toISOString()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(given)}::json) AS given (account_id text, position bigint, manager_id text)
    WHERE employees.account_id = ${accountId} AND employees.account_id = given.account_id
      AND employees.position = given.position`;
}

/** The items in chunks, between which other work of the process runs: a file can have a million managers. */
export async function* chunks<Item>(items: Iterable<Item>): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  for (const item of items) {
    if (chunk.push(item) < chunkSize) continue;
    yield chunk;
    await nextTurn();
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
