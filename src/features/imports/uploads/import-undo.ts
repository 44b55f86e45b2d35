import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { UserAuditContext } from '../../../platform/audit/audit-log.js';
import { change, type Unit } from '../../../platform/changes/change.js';
import { lock } from '../../../platform/changes/locks.js';
import type { Database } from '../../../platform/database/client.js';
import { employeePosition } from '../../../platform/database/ids.js';
import {
  type CustomAttribute,
  type CustomChanges,
  type CustomValue,
  deletedAtOnce,
  deleteEmployees,
  type EarlierValues,
  type Employee,
  type EmployeeRecord,
  findKnownIds,
  parseCustomValue,
  readActiveAttributes,
  readEmployeesByPosition,
  refersToEmployees,
  upsertEmployees,
} from '../../employees/index.js';
import { assignManagers, type ManagerAssignments } from '../assign-managers.js';
import { planWithoutValues } from '../employee-imports.js';
import { hasVersion } from '../import-history.js';
import type { EmployeeUpload } from './employee-uploads.js';
import type { Findings, UndoneImport } from './findings.js';
import type { ImportKey } from './stored-file.js';
import { undoableStates } from './upload-state.js';

/** Changes that are read with one statement. */
const chunkSize = 1_000;

/** An employee that an import has changed. */
interface StoredChange {
  readonly position: string;
  readonly version: string;
  readonly managerId: string | null;
  readonly before: EarlierValues | null;
}

type UndoableImport = Pick<EmployeeUpload, 'id' | 'state'>;

/** The custom attributes that are not archived, by key. */
type ActiveAttributes = ReadonlyMap<string, CustomAttribute>;

/** What remains to be done after the attributes are restored. */
interface Remaining {
  readonly created: { readonly id: string }[];
  readonly managers: ManagerAssignments;
  restored: number;
  kept: number;
}

/** Undoes imports. Employees that were changed since are kept. */
export class ImportUndo {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether an import has ended and changed employees, and is not undone. */
  async canUndo(accountId: AccountId, { id: importId, state }: UndoableImport): Promise<boolean> {
    if (!undoableStates.includes(state)) return false;
    return (
      (await this.#database.prisma.employeeImportChange.findFirst({ where: { accountId, importId } })) !==
      null
    );
  }

  /** Numbers of employees that an import has created and updated. */
  async counts({ accountId, id: importId }: ImportKey): Promise<{ created: number; updated: number }> {
    const [row] = await this.#database.prisma.$queryRaw<{ created: number; updated: number }[]>`
      SELECT count(*) FILTER (WHERE before IS NULL)::int AS created, count(before)::int AS updated
      FROM employee_import_changes WHERE account_id = ${accountId} AND import_id = ${importId}`;
    return row ?? { created: 0, updated: 0 };
  }

  /**
   * Deletes the employees that an import created, and restores the values that it changed, in one transaction. An employee
   * that was changed since is kept. Other changes of employees of the account wait for it.
   *
   * A report of a deleted employee has no manager then. An earlier manager who was deleted since, or who would lead to a cycle,
   * is not restored.
   *
   * @returns `null` when the account has no ended import with this id
   */
  undo(context: UserAuditContext, id: string): Promise<UndoneImport | null> {
    const { accountId, at } = context;
    const work = async (unit: Unit): Promise<UndoneImport | null> => {
      const { tx } = unit;
      const [row] = await tx.$queryRaw<{ state: string; fileName: string; findings: Findings }[]>`
        SELECT state, file_name AS "fileName", findings FROM employee_imports
        WHERE account_id = ${accountId} AND id = ${id} AND expires_at > ${at} FOR UPDATE`;
      if (row === undefined || !undoableStates.some((state) => state === row.state)) return null;
      await unit.setActor('import_undo');
      await planWithoutValues(tx, this.#database);
      const { created, managers, restored, kept } = await restoreAll(unit, id);
      const { errors } =
        managers.size > 0
          ? await assignManagers(tx, accountId, { assignments: managers, startedAt: at })
          : { errors: [] };
      for (let first = 0; first < created.length; first += deletedAtOnce)
        await deleteEmployees(unit, created.slice(first, first + deletedAtOnce));
      const undone = { deleted: created.length, restored, kept, managersKept: errors.length };
      await tx.employeeImportChange.deleteMany({ where: { accountId, importId: id } });
      await tx.employeeImport.update({
        where: { accountId_id: { accountId, id } },
        data: { state: 'undone', findings: { ...row.findings, undone } as object },
      });
      await unit.record('employees.import_undone', {
        file: row.fileName,
        deleted: String(undone.deleted),
        restored: String(restored),
        kept: String(kept),
      });
      return undone;
    };
    return change(this.#database.prisma, context, lock.account, work, { maxWait: 60_000, timeout: 600_000 });
  }
}

/** Restores the attributes except the manager, which is restored after all others as an import does. */
async function restoreAll({ tx, context: { accountId } }: Unit, importId: string): Promise<Remaining> {
  const remaining: Remaining = { created: [], managers: new Map(), restored: 0, kept: 0 };
  const active = new Map((await readActiveAttributes(tx, accountId)).map((each) => [each.key, each]));
  for (let after = '-1'; ; ) {
    const changes = await tx.$queryRaw<StoredChange[]>`
      SELECT position::text, version, manager_id AS "managerId", before FROM employee_import_changes
      WHERE account_id = ${accountId} AND import_id = ${importId} AND position > ${after}::text::bigint
      ORDER BY employee_import_changes.position LIMIT ${chunkSize}`;
    const last = changes.at(-1);
    if (last === undefined) return remaining;
    after = last.position;
    await restoreChunk(tx, accountId, { changes, active, remaining });
  }
}

async function restoreChunk(
  tx: Unit['tx'],
  accountId: AccountId,
  {
    changes,
    active,
    remaining,
  }: { changes: readonly StoredChange[]; active: ActiveAttributes; remaining: Remaining },
): Promise<void> {
  const positions = changes.map(({ position }) => Number(position));
  const employees = await readEmployeesByPosition(tx, accountId, positions);
  const byPosition = new Map(employees.map((employee) => [employeePosition(employee.id), employee]));
  const keys = new Set(active.keys());
  const known = await knownReferences(tx, accountId, { changes, active });
  const records: EmployeeRecord[] = [];
  for (const { position, version, managerId, before } of changes) {
    const employee = byPosition.get(Number(position));
    // It was deleted since.
    if (employee === undefined) continue;
    if (!hasVersion(employee, version, keys) || employee.managerId !== managerId) remaining.kept += 1;
    else if (before === null) remaining.created.push({ id: employee.id });
    else {
      remaining.restored += 1;
      records.push(restoredRecord(employee, before, { active, known }));
      const { employeeNumber } = employee;
      if (before.managerId === undefined) continue;
      const reference = before.managerId === null ? null : { id: before.managerId };
      remaining.managers.set(employeeNumber, { line: 0, reference });
    }
  }
  if (records.length > 0) await upsertEmployees(tx, accountId, records);
}

function restoredRecord(
  employee: Employee,
  { custom, ...before }: EarlierValues,
  storable: Storable,
): EmployeeRecord {
  const { id: _, updatedAt: __, custom: ___, ...values } = employee;
  const { managerId: ____, ...record } = { ...values, ...before };
  return custom === undefined ? record : { ...record, custom: storableValues(custom, storable) };
}

/** Which of the employees that earlier values refer to are not deleted since. */
async function knownReferences(
  tx: Unit['tx'],
  accountId: AccountId,
  { changes, active }: { changes: readonly StoredChange[]; active: ActiveAttributes },
): Promise<ReadonlySet<string>> {
  const keys = [...active.values()].filter(refersToEmployees).map(({ key }) => key);
  const ids = changes.flatMap(({ before }) => keys.map((key) => before?.custom?.[key]));
  const given = [...new Set(ids.filter((id) => typeof id === 'string'))];
  return given.length === 0 ? new Set() : await findKnownIds(tx, accountId, given);
}

/** What determines which earlier values can be stored again. */
interface Storable {
  readonly active: ActiveAttributes;
  /** Ids of the employees that earlier values refer to and that exist. */
  readonly known: ReadonlySet<string>;
}

/** The values that the attributes still allow. They were deleted or archived since, or lost a choice or an employee. */
function storableValues(custom: CustomChanges, { active, known }: Storable): CustomChanges {
  const values = Object.entries(custom).flatMap(([key, value]): [string, CustomValue | null][] => {
    const attribute = active.get(key);
    const parsed = attribute && parseCustomValue(attribute, value);
    if (parsed === undefined || 'violation' in parsed) return [];
    const isDeleted = attribute !== undefined && refersToEmployees(attribute) && !known.has(String(value));
    return value !== null && isDeleted ? [] : [[key, parsed.value]];
  });
  return Object.fromEntries(values);
}
