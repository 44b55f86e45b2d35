import type { AuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { readActiveAttributes } from './custom-attributes.js';
import { clearReferences, findReferenced } from './custom-references.js';
import { changedKeys, customValue, parseCustomValue, withCustomChanges } from './custom-values.js';
import {
  type CustomChanges,
  type CustomValue,
  type CustomValues,
  type Employee,
  employeeVersion,
} from './employee.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';
import {
  absentValue,
  createdDetails,
  customDetails,
  updatedDetails,
  valuesSeparator,
} from './employee-event-details.js';
import {
  type EmployeeInput,
  type EmployeeRejection,
  type ResolvedReferences,
  readEmployee,
  readEmployees,
  resolveInput,
  resolveManager,
  resolveReferences,
} from './employee-references.js';
import { eraseEmployees } from './erase-employees.js';
import { insertEmployees } from './insert-employees.js';
import { spellAsAccount } from './spellings.js';

/**
 * Deletes employees and stores an audit event for each, in a change that has locked the account. Their direct reports have no
 * manager then, and custom attributes of others do not refer to them, of which each gets an event too. Their values are erased from
 * their earlier audit events, and from imports.
 */
export async function deleteEmployees(unit: Unit, employees: readonly Pick<Employee, 'id'>[]): Promise<void> {
  const { tx } = unit;
  const { accountId } = unit.context;
  const ids = employees.map(({ id }) => id);
  const reports = await tx.$queryRaw<{ id: string; employeeNumber: string; managerId: string }[]>`
    SELECT id, employee_number AS "employeeNumber", manager_id AS "managerId" FROM employees
    WHERE account_id = ${accountId} AND manager_id = ANY (${ids}::text[])`;
  const referring = await clearReferences(tx, accountId, ids);
  const counts = new Map<string, number>();
  for (const { managerId } of reports) counts.set(managerId, (counts.get(managerId) ?? 0) + 1);
  await tx.$executeRaw`
    DELETE FROM employees WHERE account_id = ${accountId} AND position = ANY (${ids.map(employeePosition)}::bigint[])`;
  await eraseEmployees(tx, accountId, ids);
  const deleted = new Set(ids);
  await unit.recordAll([
    ...reports
      .filter(({ id }) => !deleted.has(id))
      .map(({ id, employeeNumber, managerId }) => {
        const manager_id = [managerId, absentValue].join(valuesSeparator);
        return {
          type: 'employee.updated' as const,
          details: { employee: id, employee_number: employeeNumber, manager_id },
        };
      }),
    ...referring.map(({ id, employeeNumber, removed }) => {
      const details = customDetails({ custom: removed }, { custom: {} }, Object.keys(removed));
      return {
        type: 'employee.updated' as const,
        details: { employee: id, employee_number: employeeNumber, ...details },
      };
    }),
    ...ids.map((id) => {
      const direct_reports = String(counts.get(id) ?? 0);
      return { type: 'employee.deleted' as const, details: { employee: id, direct_reports } };
    }),
  ]);
}

interface Rejected {
  readonly kind: 'rejected';
  readonly reasons: readonly EmployeeRejection[];
}

/** A choice was removed from a custom attribute after the form had been shown. */
interface RemovedChoice {
  readonly kind: 'choice_removed';
  /** Name of the attribute. */
  readonly attribute: string;
}

/** Custom attributes refer to employees that the account does not have. */
interface UnknownEmployees {
  readonly kind: 'employees_unknown';
  /** Names of the attributes. */
  readonly attributes: readonly string[];
}

type CreateOutcome =
  | { readonly kind: 'created'; readonly id: string }
  | RemovedChoice
  | UnknownEmployees
  | Rejected;

type UpdateOutcome =
  | { readonly kind: 'updated' | 'not_found' }
  /** The employee was changed meanwhile. */
  | { readonly kind: 'conflict'; readonly stored: Employee }
  | RemovedChoice
  | UnknownEmployees
  | Rejected;

interface UpdatedAll {
  readonly kind: 'updated';
  /** The employees that did not have the value, as they were before. */
  readonly changed: readonly Employee[];
  /** The value as it is stored: the id of a manager, or the spelling of the account. */
  readonly value: string | null;
}

/** Changes of single employees. Each one is a transaction together with its audit event. */
export class EmployeeChanges {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Adds an employee to the account. */
  create(context: AuditContext, input: EmployeeInput): Promise<CreateOutcome> {
    const { accountId, at } = context;
    return change(this.#prisma, context, lock.account, async (unit) => {
      const { tx } = unit;
      await unit.setActor();
      const employee = await spellAsAccount(tx, accountId, { record: input.employee, stored: null });
      const resolved = await resolveInput(tx, accountId, { employeeId: null, input: { ...input, employee } });
      if ('reasons' in resolved) return { kind: 'rejected', ...resolved };
      const current = await currentChanges(tx, accountId, { ...input, employee });
      if ('kind' in current) return current;
      const values = { ...resolved.values, custom: withCustomChanges({}, current.changes) };
      const [id = ''] = await insertEmployees(tx, accountId, [{ ...values, createdAt: at }]);
      await unit.record('employee.created', createdDetails({ ...values, id }));
      return { kind: 'created', id };
    });
  }

  /**
   * Changes an employee.
   *
   * @param version {@link employeeVersion} of the edited values. When the stored version differs, nothing is changed.
   */
  update(
    context: AuditContext,
    { id, version, input }: { id: string; version: string; input: EmployeeInput },
  ): Promise<UpdateOutcome> {
    const { accountId } = context;
    return change(this.#prisma, context, lock.account, async (unit) => {
      const { tx } = unit;
      await unit.setActor();
      const before = await readEmployee(tx, accountId, id);
      if (before === null) return { kind: 'not_found' };
      if (employeeVersion(before) !== version) return { kind: 'conflict', stored: before };
      const employee = await spellAsAccount(tx, accountId, { record: input.employee, stored: before });
      const resolved = await resolveInput(tx, accountId, { employeeId: id, input: { ...input, employee } });
      if ('reasons' in resolved) return { kind: 'rejected', ...resolved };
      const current = await currentChanges(tx, accountId, { ...input, employee });
      if ('kind' in current) return current;
      const after = { ...resolved.values, custom: withCustomChanges(before.custom, current.changes) };
      const changed = givenAttributes.filter(({ member }) => before[member] !== after[member]);
      const keys = changedKeys(before.custom, after.custom);
      if (changed.length === 0 && keys.length === 0) return { kind: 'updated' };
      const custom = keys.length === 0 ? undefined : after.custom;
      await store(unit, { ids: [id], after, changed, custom });
      const details = { ...updatedDetails(before, after, changed), ...customDetails(before, after, keys) };
      await unit.record('employee.updated', details);
      return { kind: 'updated' };
    });
  }

  /**
   * Changes one attribute of employees to the same value, all of them or none. Those that have the value are not changed.
   *
   * @param ids those of other accounts are ignored
   * @param value of the manager, the employee number
   * @param dryRun whether nothing is changed in any case
   */
  updateAll(
    context: AuditContext,
    { ids, attribute, value }: { ids: readonly string[]; attribute: GivenAttribute; value: string | null },
    { dryRun }: { dryRun: boolean },
  ): Promise<UpdatedAll | Rejected> {
    const { accountId } = context;
    return change(this.#prisma, context, lock.account, async (unit) => {
      const { tx } = unit;
      await unit.setActor();
      const employees = await readEmployees(tx, accountId, ids);
      const resolved = await resolveValue(tx, accountId, { employees, attribute, value });
      if ('reasons' in resolved) return { kind: 'rejected', ...resolved };
      const { member } = attribute;
      const changed = employees.filter((employee) => employee[member] !== resolved.value);
      const outcome: UpdatedAll = { kind: 'updated', changed, value: resolved.value };
      if (changed.length === 0 || dryRun) return outcome;
      const after = { [member]: resolved.value } as Partial<GivenValues>;
      await store(unit, { ids: changed.map(({ id }) => id), after, changed: [attribute] });
      await unit.recordAll(
        changed.map((before) => {
          const details = updatedDetails(before, { ...before, ...after }, [attribute]);
          return { type: 'employee.updated', details };
        }),
      );
      return outcome;
    });
  }

  /**
   * Deletes an employee. Its direct reports have no manager then.
   *
   * @returns false if the account has no such employee
   */
  delete(context: AuditContext, id: string): Promise<boolean> {
    return change(this.#prisma, context, lock.account, async (unit) => {
      await unit.setActor();
      const employee = await readEmployee(unit.tx, context.accountId, id);
      if (employee !== null) await deleteEmployees(unit, [employee]);
      return employee !== null;
    });
  }

  /**
   * Deletes employees by employee number or id: all of them, or none if a reference is unknown or ambiguous.
   *
   * @param dryRun whether nothing is deleted in any case
   */
  deleteAll(
    context: AuditContext,
    references: readonly string[],
    { dryRun }: { dryRun: boolean },
  ): Promise<ResolvedReferences> {
    const work = async (unit: Unit) => {
      await unit.setActor();
      const resolved = await resolveReferences(unit.tx, context.accountId, references);
      if (resolved.kind === 'found' && !dryRun) await deleteEmployees(unit, resolved.employees);
      return resolved;
    };
    return change(this.#prisma, context, lock.account, work, { timeout: 60_000 });
  }
}

/**
 * The changes that the custom attributes permit now, in a change that has locked the account. An attribute that was archived after the
 * form had been shown is ignored, as it is when the form is submitted later.
 */
async function currentChanges(
  tx: Unit['tx'],
  accountId: AuditContext['accountId'],
  { employee: { custom: given = {} }, references = {} }: EmployeeInput,
): Promise<{ readonly changes: CustomChanges } | RemovedChoice | UnknownEmployees> {
  if (Object.keys({ ...given, ...references }).length === 0) return { changes: given };
  const texts = Object.values(references).filter((text) => text !== null);
  const ids = texts.length === 0 ? new Map<string, string>() : await findReferenced(tx, accountId, texts);
  const changes: Record<string, CustomValue | null> = {};
  const unknown: string[] = [];
  for (const attribute of await readActiveAttributes(tx, accountId)) {
    const text = customValue(references, attribute.key);
    if (typeof text === 'string') {
      const id = ids.get(text);
      if (id === undefined) unknown.push(attribute.name);
      else changes[attribute.key] = id;
      continue;
    }
    const value = text === null ? null : customValue(given, attribute.key);
    if (value === undefined) continue;
    if ('violation' in parseCustomValue(attribute, value))
      return { kind: 'choice_removed', attribute: attribute.name };
    changes[attribute.key] = value;
  }
  return unknown.length > 0 ? { kind: 'employees_unknown', attributes: unknown } : { changes };
}

async function store(
  { tx, context: { accountId, at } }: Unit,
  {
    ids,
    after,
    changed,
    custom,
  }: {
    ids: readonly string[];
    after: Partial<GivenValues>;
    changed: readonly GivenAttribute[];
    /** All values of custom attributes. Absent: they are not changed. */
    custom?: CustomValues | undefined;
  },
): Promise<void> {
  const values = changed.map(
    ({ name, member, type }) => Prisma.sql`${Prisma.raw(name)} = ${after[member]}::text::${Prisma.raw(type)}`,
  );
  if (custom !== undefined) values.push(Prisma.sql`custom = ${JSON.stringify(custom)}::text::jsonb`);
  await tx.$executeRaw`
    UPDATE employees SET ${Prisma.join(values)}, updated_at = ${at.toISOString()}::timestamptz
    WHERE account_id = ${accountId} AND position = ANY (${ids.map(employeePosition)}::bigint[])`;
}

/** The value as employees get it: the id of a manager, or the spelling of the account. */
async function resolveValue(
  tx: Unit['tx'],
  accountId: AuditContext['accountId'],
  {
    employees,
    attribute: { member },
    value,
  }: { employees: readonly Employee[]; attribute: GivenAttribute; value: string | null },
): Promise<{ readonly value: string | null } | { readonly reasons: readonly EmployeeRejection[] }> {
  const [first] = employees;
  if (first === undefined || value === null) return { value };
  if (member === 'managerId') {
    const employeeIds = new Set(employees.map(({ id }) => id));
    const manager = await resolveManager(tx, accountId, { employeeIds, number: value });
    return 'id' in manager ? { value: manager.id } : manager;
  }
  const stored = { ...first, [member]: '' };
  const spelled = await spellAsAccount(tx, accountId, { record: { ...first, [member]: value }, stored });
  return { value: spelled[member] ?? null };
}
