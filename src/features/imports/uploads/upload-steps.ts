import type { UserAuditContext } from '../../../platform/audit/audit-log.js';
import { change } from '../../../platform/changes/change.js';
import { lock } from '../../../platform/changes/locks.js';
import { dayMilliseconds, hourMilliseconds } from '../../../platform/clock.js';
import type { Database, Prisma } from '../../../platform/database/client.js';
import { violatedUniqueConstraint } from '../../../platform/database/database-errors.js';
import type { EmployeeImport } from '../../../platform/database/generated/client.js';
import type { RecordMember } from '../../employees/index.js';
import { readRecordMembers, requiredIn } from '../custom-columns.js';
import { dateNames, isDateFormat } from '../dates.js';
import { rememberColumns } from './column-names.js';
import type { Findings } from './findings.js';
import { deleteFile, type ImportKey } from './stored-file.js';
import {
  type ColumnAssignment,
  noProgress,
  retentionHours,
  type UploadState,
  undoDays,
} from './upload-state.js';

/** An error of the assignment of attributes to columns, and the position of the column. */
interface ColumnError {
  readonly column: number;
  /** Absent: the attribute. */
  readonly field?: 'date';
  readonly message: string;
}

/** Errors of an assignment of attributes to the columns of a file. */
function checkColumns(
  { attributes: assigned, dateFormats, fixedValues }: ColumnAssignment,
  attributes: readonly RecordMember[],
): ColumnError[] {
  const dates = dateNames(attributes);
  const known = new Map(attributes.map((attribute) => [attribute.name as string, attribute]));
  const seen = new Set<string>();
  const errors: ColumnError[] = [];
  for (const [column, name] of assigned.entries()) {
    if (name === '') continue;
    const attribute = known.get(name);
    if (attribute === undefined) errors.push({ column, message: 'Choose an attribute from the list.' });
    else if (seen.has(name))
      errors.push({ column, message: `Two columns are assigned to ${attribute.label}. Keep one.` });
    else if (dates.has(name) && !isDateFormat(dateFormats[column]))
      errors.push({
        column,
        field: 'date',
        message: `Choose how the dates of ${attribute.label} are written.`,
      });
    seen.add(name);
  }
  const given = new Set([...seen, ...Object.keys(fixedValues)]);
  const missing = requiredIn(attributes).filter((members) => members.every(({ name }) => !given.has(name)));
  if (missing.length > 0) {
    const labels = missing.map((members) => members.map(({ label }) => label).join(' or ')).join(', ');
    errors.push({ column: 0, message: `Assign a column to each required attribute. Missing: ${labels}.` });
  }
  return errors;
}

/** `running`: another check or import of the account is queued or runs. `state`: the import is in another state. */
type StepOutcome = 'started' | 'running' | 'state';

const cancellableStates: readonly UploadState[] = ['uploaded', 'checking', 'checked', 'importing'];

type LockedImport = Pick<EmployeeImport, 'state' | 'lockedBy'>;

/** Locks an import that has not expired. `null` when the account has none with this id. */
function lockImport(id: string) {
  return async (
    tx: Prisma.TransactionClient,
    { accountId, at }: UserAuditContext,
  ): Promise<LockedImport | null> => {
    const [row] = await tx.$queryRaw<LockedImport[]>`
      SELECT state, locked_by AS "lockedBy" FROM employee_imports
      WHERE account_id = ${accountId} AND id = ${id} AND expires_at > ${at} FOR UPDATE`;
    return row ?? null;
  };
}

/** The steps of an import of an uploaded file that its users start. */
export class UploadSteps {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Assigns attributes to the columns, and queues a check of the file that changes no employee. */
  async startCheck(
    context: UserAuditContext,
    id: string,
    columns: ColumnAssignment,
  ): Promise<StepOutcome | readonly ColumnError[]> {
    const errors = checkColumns(columns, await readRecordMembers(this.#prisma, context.accountId));
    if (errors.length > 0) return errors;
    const step = { from: ['uploaded', 'checked'], to: 'checking', columns } as const;
    return await this.#start(context, id, step);
  }

  /** Queues the import of a checked file. */
  async startImport(context: UserAuditContext, id: string): Promise<StepOutcome> {
    return await this.#start(context, id, { from: ['checked'], to: 'importing' });
  }

  /**
   * Cancels an import. A running import stops after the current batch. Stored rows are kept.
   *
   * @returns whether the import can be cancelled
   */
  async cancel(context: UserAuditContext, id: string): Promise<boolean> {
    const { accountId, at } = context;
    return await change(this.#prisma, context, lockImport(id), async ({ tx }, row) => {
      if (row === null || !cancellableStates.includes(row.state as UploadState)) return false;
      const where = { accountId_id: { accountId, id } };
      if (row.lockedBy !== null) {
        await tx.employeeImport.update({ where, data: { cancelRequested: true } });
      } else {
        // A check counts what an import would do.
        const counts = row.state === 'importing' ? {} : noProgress;
        await tx.employeeImport.update({ where, data: { state: 'cancelled', finishedAt: at, ...counts } });
        await deleteFile(tx, { accountId, id });
      }
      return true;
    });
  }

  async #start(
    context: UserAuditContext,
    id: string,
    step: { from: readonly UploadState[]; to: UploadState; columns?: ColumnAssignment },
  ): Promise<StepOutcome> {
    const { accountId, userId, origin, at } = context;
    const { from, to, columns } = step;
    const assignment = columns && {
      attributes: [...columns.attributes],
      dateFormats: [...columns.dateFormats],
      fixedValues: { ...columns.fixedValues },
      statusValues: { ...columns.statusValues },
    };
    try {
      return await change(this.#prisma, context, lock.nothing, async ({ tx }) => {
        const { count } = await tx.employeeImport.updateMany({
          where: { accountId, id, expiresAt: { gt: at }, state: { in: [...from] } },
          data: {
            ...{ state: to, userId, ...origin, ...assignment },
            ...noProgress,
            ...(to === 'importing' && { findings: await warningsOf(tx, { accountId, id }) }),
            ...{
              attempts: 0,
              queuedAt: at,
              expiresAt: to === 'importing' ? undoExpiryAt(at) : expiryAt(at),
              leaseUntil: null,
              cancelRequested: false,
            },
          },
        });
        if (count === 0) return 'state';
        if (columns !== undefined) await remember(tx, { accountId, id }, columns);
        await tx.employeeImportError.deleteMany({ where: { accountId, importId: id } });
        return 'started';
      });
    } catch (error) {
      if (violatedUniqueConstraint(error) === 'employee_imports_account_id_running_key') return 'running';
      throw error;
    }
  }
}

/** The findings of the check that apply to the stored employees as well. */
async function warningsOf(tx: Prisma.TransactionClient, { accountId, id }: ImportKey): Promise<object> {
  const row = await tx.employeeImport.findFirst({ where: { accountId, id }, select: { findings: true } });
  const { emails, statuses } = (row?.findings ?? {}) as Findings;
  return { ...(emails && { emails }), ...(statuses && { statuses }) };
}

/** Stores the columns for the next import of the account. */
async function remember(
  tx: Prisma.TransactionClient,
  { accountId, id }: ImportKey,
  { attributes }: ColumnAssignment,
): Promise<void> {
  const { columns } = await tx.employeeImport.findFirstOrThrow({
    where: { accountId, id },
    select: { columns: true },
  });
  const importColumns = { ...rememberColumns(columns, attributes) };
  await tx.account.updateMany({ where: { id: accountId }, data: { importColumns } });
}

function undoExpiryAt(at: Date): Date {
  return new Date(at.getTime() + undoDays * dayMilliseconds);
}

/** The deletion time of a file that is not imported, by the time of its last step. */
export function expiryAt(at: Date): Date {
  return new Date(at.getTime() + retentionHours * hourMilliseconds);
}
