import type { AuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { type Employee, employeeVersion } from './employee.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';
import {
  type EmployeeInput,
  type EmployeeRejection,
  type ResolvedReferences,
  readEmployee,
  resolveInput,
  resolveReferences,
} from './employee-references.js';
import { insertEmployees } from './insert-employees.js';
import { spellAsAccount } from './spellings.js';

/**
 * Deletes employees and stores an audit event for each, in a change that has locked the account. Their direct reports have no
 * manager then. Their values are erased from their earlier audit events.
 */
export async function deleteEmployees(unit: Unit, employees: readonly Pick<Employee, 'id'>[]): Promise<void> {
  const { tx } = unit;
  const { accountId } = unit.context;
  const ids = employees.map(({ id }) => id);
  const counts = await tx.$queryRaw<{ managerId: string; count: string }[]>`
    SELECT manager_id AS "managerId", count(*)::text AS count FROM employees
    WHERE account_id = ${accountId} AND manager_id = ANY (${ids}::text[]) GROUP BY manager_id`;
  const reports = new Map(counts.map(({ managerId, count }) => [managerId, count]));
  await tx.$executeRaw`
    DELETE FROM employees WHERE account_id = ${accountId} AND position = ANY (${ids.map(employeePosition)}::bigint[])`;
  // Type, time, actor and the id of the employee are kept.
  await tx.$executeRaw`
    UPDATE audit_events SET details = jsonb_build_object('employee', details -> 'employee')
    WHERE account_id = ${accountId} AND type IN ('employee.created', 'employee.updated')
      AND details ->> 'employee' = ANY (${ids}::text[])`;
  await unit.recordAll(
    ids.map((id) => {
      return { type: 'employee.deleted', details: { employee: id, direct_reports: reports.get(id) ?? '0' } };
    }),
  );
}

interface Rejected {
  readonly kind: 'rejected';
  readonly reasons: readonly EmployeeRejection[];
}

type CreateOutcome = { readonly kind: 'created'; readonly id: string } | Rejected;

type UpdateOutcome =
  | { readonly kind: 'updated' | 'not_found' }
  /** The employee was changed meanwhile. */
  | { readonly kind: 'conflict'; readonly stored: Employee }
  | Rejected;

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
      const { values } = resolved;
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
      const after = resolved.values;
      const changed = givenAttributes.filter(({ member }) => before[member] !== after[member]);
      if (changed.length === 0) return { kind: 'updated' };
      await store(unit, { id, after, changed });
      await unit.record('employee.updated', updatedDetails(before, after, changed));
      return { kind: 'updated' };
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

async function store(
  { tx, context: { accountId, at } }: Unit,
  { id, after, changed }: { id: string; after: GivenValues; changed: readonly GivenAttribute[] },
): Promise<void> {
  const values = changed.map(
    ({ name, member, type }) => Prisma.sql`${Prisma.raw(name)} = ${after[member]}::text::${Prisma.raw(type)}`,
  );
  await tx.$executeRaw`
    UPDATE employees SET ${Prisma.join(values)}, updated_at = ${at.toISOString()}::timestamptz
    WHERE account_id = ${accountId} AND position = ${employeePosition(id)}`;
}

/** An employee of an audit event. */
type EventEmployee = GivenValues & { readonly id: string };

type Details = Readonly<Record<string, string>>;

/** The details of the event that an employee was created, with all values. */
function createdDetails(employee: EventEmployee): Details {
  const values = givenAttributes.flatMap(({ name, member }) => {
    const value = employee[member];
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return { employee: employee.id, ...Object.fromEntries(values) };
}

/** The details of the event that attributes of an employee were changed, with their values before and after. */
function updatedDetails(
  before: EventEmployee,
  after: GivenValues,
  changed: readonly GivenAttribute[],
): Details {
  const values = changed.map(({ name, member }) => [
    name,
    `${before[member] || '–'} → ${after[member] || '–'}`,
  ]);
  const identity = { employee: before.id, employee_number: before.employeeNumber };
  return { ...identity, ...Object.fromEntries(values) };
}
