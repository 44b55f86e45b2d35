import { lockAccount } from '../../platform/accounts/lock-account.js';
import type { AuditContext } from '../../platform/audit/audit-context.js';
import { recordIn } from '../../platform/audit/audit-log.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { setActor } from '../../platform/database/set-actor.js';
import { deleteEmployees } from './delete-employees.js';
import type { Employee } from './employee.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';
import { employeeCreatedEvent, employeeUpdatedEvent } from './employee-events.js';
import { type ResolvedReferences, resolveReferences } from './employee-references.js';
import { employeeVersion } from './employee-version.js';
import { insertEmployees } from './insert-employees.js';
import { readEmployee } from './read-employee.js';
import { type EmployeeInput, type Rejection, resolveInput } from './resolve-input.js';

interface Rejected {
  readonly kind: 'rejected';
  readonly reasons: readonly Rejection[];
}

export type CreateOutcome = { readonly kind: 'created'; readonly id: string } | Rejected;

export type UpdateOutcome =
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
