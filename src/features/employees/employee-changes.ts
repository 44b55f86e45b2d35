import { lockAccount } from '../../platform/accounts/locks.js';
import { type AuditContext, recordAllIn, recordIn } from '../../platform/audit/audit-log.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { setActor } from '../../platform/database/set-actor.js';
import { type Employee, employeeVersion } from './employee.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';
import {
  employeeCreatedEvent,
  employeeDeletedEvent,
  employeeUpdatedEvent,
  eraseDetails,
} from './employee-events.js';
import {
  type EmployeeInput,
  type EmployeeRejection,
  type ResolvedReferences,
  resolveInput,
  resolveReferences,
} from './employee-references.js';
import { insertEmployees } from './insert-employees.js';
import { readEmployee } from './read-employee.js';

/**
 * Deletes employees and stores an audit event for each, in a transaction that has locked the account with `lockAccount`. Their
 * direct reports have no manager then. Their values are erased from their earlier audit events.
 */
export async function deleteEmployees(
  tx: Prisma.TransactionClient,
  context: AuditContext,
  employees: readonly Employee[],
): Promise<void> {
  const { accountId, at } = context;
  const ids = employees.map(({ id }) => id);
  const counts = await tx.$queryRaw<{ managerId: string; count: string }[]>`
    SELECT manager_id AS "managerId", count(*)::text AS count FROM employees
    WHERE account_id = ${accountId} AND manager_id = ANY (${ids}::text[]) GROUP BY manager_id`;
  const reports = new Map(counts.map(({ managerId, count }) => [managerId, count]));
  await tx.$executeRaw`
    DELETE FROM employees WHERE account_id = ${accountId} AND position = ANY (${ids.map(employeePosition)}::bigint[])`;
  await eraseDetails(tx, accountId, ids);
  const events = ids.map((id) =>
    employeeDeletedEvent(context, { id, directReports: reports.get(id) ?? '0' }),
  );
  await recordAllIn(tx, events, at);
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
    return this.#prisma.$transaction(async (tx): Promise<CreateOutcome> => {
      await lockAccount(tx, accountId);
      await setActor(tx, context);
      const resolved = await resolveInput(tx, accountId, { employeeId: null, input });
      if ('reasons' in resolved) return { kind: 'rejected', ...resolved };
      const { values } = resolved;
      const [id = ''] = await insertEmployees(tx, accountId, [{ ...values, createdAt: at }]);
      await recordIn(tx, employeeCreatedEvent(context, { ...values, id }), at);
      return { kind: 'created', id };
    });
  }

  /**
   * Changes an employee.
   *
   * @param change.version {@link employeeVersion} of the edited values. When the stored version differs, nothing is changed.
   */
  update(
    context: AuditContext,
    { id, version, input }: { id: string; version: string; input: EmployeeInput },
  ): Promise<UpdateOutcome> {
    const { accountId, at } = context;
    return this.#prisma.$transaction(async (tx): Promise<UpdateOutcome> => {
      await lockAccount(tx, accountId);
      await setActor(tx, context);
      const before = await readEmployee(tx, accountId, id);
      if (before === null) return { kind: 'not_found' };
      if (employeeVersion(before) !== version) return { kind: 'conflict', stored: before };
      const resolved = await resolveInput(tx, accountId, { employeeId: id, input });
      if ('reasons' in resolved) return { kind: 'rejected', ...resolved };
      const after = resolved.values;
      const changed = givenAttributes.filter(({ member }) => before[member] !== after[member]);
      if (changed.length === 0) return { kind: 'updated' };
      await store(tx, context, { id, after, changed });
      await recordIn(tx, employeeUpdatedEvent(context, { before, after, changed }), at);
      return { kind: 'updated' };
    });
  }

  /**
   * Deletes an employee. Its direct reports have no manager then.
   *
   * @returns false if the account has no such employee
   */
  delete(context: AuditContext, id: string): Promise<boolean> {
    const { accountId } = context;
    return this.#prisma.$transaction(async (tx) => {
      await lockAccount(tx, accountId);
      await setActor(tx, context);
      const employee = await readEmployee(tx, accountId, id);
      if (employee !== null) await deleteEmployees(tx, context, [employee]);
      return employee !== null;
    });
  }

  /**
   * Deletes employees by employee number or id: all of them, or none if a reference is unknown or ambiguous.
   *
   * @param options.dryRun whether nothing is deleted in any case
   */
  deleteAll(
    context: AuditContext,
    references: readonly string[],
    { dryRun }: { dryRun: boolean },
  ): Promise<ResolvedReferences> {
    const { accountId } = context;
    return this.#prisma.$transaction(
      async (tx) => {
        await lockAccount(tx, accountId);
        await setActor(tx, context);
        const resolved = await resolveReferences(tx, accountId, references);
        if (resolved.kind === 'found' && !dryRun) await deleteEmployees(tx, context, resolved.employees);
        return resolved;
      },
      { timeout: 60_000 },
    );
  }
}

async function store(
  tx: Prisma.TransactionClient,
  { accountId, at }: AuditContext,
  { id, after, changed }: { id: string; after: GivenValues; changed: readonly GivenAttribute[] },
): Promise<void> {
  const values = changed.map(
    ({ name, member, type }) => Prisma.sql`${Prisma.raw(name)} = ${after[member]}::text::${Prisma.raw(type)}`,
  );
  await tx.$executeRaw`
    UPDATE employees SET ${Prisma.join(values)}, updated_at = ${at.toISOString()}::timestamptz
    WHERE account_id = ${accountId} AND position = ${employeePosition(id)}`;
}
