import type { AccountId } from '../../platform/accounts/account-id.js';
import { type AuditOrigin, recordProgressIn } from '../../platform/audit/audit-log.js';
import { setActor } from '../../platform/changes/change.js';
import { type Clock, dayMilliseconds } from '../../platform/clock.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import {
  type Employee,
  type EmployeeRecord,
  readEmployeesByNumber,
  Spellings,
  type UpsertCounts,
  upsertEmployees,
} from '../employees/index.js';
import {
  type AssignmentError,
  type AssignmentOutcome,
  assignManagers,
  type ManagerAssignments,
} from './assign-managers.js';
import { assignReferences, mergeErrors, type ReferenceAssignments } from './assign-references.js';
import type { ImportHistory } from './import-history.js';

/** Numbers of records that an import has read, by outcome. */
export interface ImportCounts extends UpsertCounts {
  readonly read: number;
  /** Records that are invalid. */
  readonly rejected: number;
  /** Records that a later one of the same batch with the same employee number replaced. */
  readonly superseded: number;
  /** Stored records whose manager, or another employee that they refer to, is invalid. */
  readonly managersRejected: number;
}

/** What an import stores after all employees, because it can come later in the file than what refers to it. */
export interface Assignments {
  readonly managers: ManagerAssignments;
  readonly references: ReferenceAssignments;
}

/** Stores the batches of an import. */
export interface ImportWrites {
  /** Reads the stored employees with these employee numbers. A rehearsal reads them in its transaction. */
  readonly stored: (numbers: readonly string[]) => Promise<readonly Employee[]>;
  /** Called with the records that an earlier run has stored, before the first batch. */
  skip?(record: EmployeeRecord): void;
  /**
   * Stores a batch. All its records may be invalid, so that it is empty.
   *
   * @param counts of the earlier batches; `read` and `rejected` include this one
   * @throws {UnknownAccountError} when the account does not exist
   */
  store(rows: readonly EmployeeRecord[], counts: ImportCounts): Promise<UpsertCounts>;
  /**
   * Stores the managers, and the employees that custom attributes refer to, after the last batch, and marks the import as finished.
   *
   * @throws {UnknownAccountError} when the account does not exist
   */
  finish(assignments: Assignments, counts: ImportCounts): Promise<AssignmentOutcome>;
}

interface ImportProgress {
  readonly counts: Omit<ImportCounts, 'superseded'>;
  readonly finished: boolean;
  /** Managers and other employees that are not stored; empty before the end. */
  readonly assignmentErrors: readonly AssignmentError[];
}

/** Data that an import records in addition to the employees. */
interface ImportRecord {
  /** The user who imports; absent for the command line. */
  readonly userId?: string;
  readonly origin?: AuditOrigin;
  /** Name of the file, for the audit log. */
  readonly fileName: string;
  /** Id of the audit event. An import that is continued has the same; default: a new one. */
  readonly eventId?: string;
  /** When the import started, if it is continued. Default: now. */
  readonly startedAt?: Date;
  /** Records the changes, so that the import can be undone. */
  readonly history?: ImportHistory;
  /** Called in the transaction of each batch, with the counts up to and including it, and at the end. */
  readonly progressIn?: (tx: Prisma.TransactionClient, progress: ImportProgress) => Promise<void>;
}

type EmailLookup = (rows: readonly EmployeeRecord[]) => Promise<ReadonlyMap<string, string>>;

/** Stores the employees of imports, in batches. */
export class EmployeeImports {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Starts or continues an import, which has one audit event. Each batch is one transaction, which also updates the event.
   */
  begin(accountId: AccountId, record: ImportRecord): ImportWrites {
    const {
      userId,
      origin,
      fileName,
      eventId = randomId(),
      startedAt = new Date(),
      history,
      progressIn,
    } = record;
    const recordIn = async (tx: Prisma.TransactionClient, progress: ImportProgress) => {
      const details = detailsOf(fileName, progress);
      const event = { type: 'employees.imported', accountId, userId, origin, details } as const;
      await recordProgressIn(tx, eventId, event, this.#clock());
    };
    return {
      stored: (numbers) => this.stored(accountId, numbers),
      store: async (rows, counts) => {
        if (progressIn === undefined && rows.length === 0) return noRows;
        return await this.#transaction(async (tx) => {
          await setActor(tx, { userId }, 'import');
          const write = () => store(tx, accountId, rows);
          const stored = await (history?.recordBatch(tx, rows, write) ?? write());
          const progress = { counts: addCounts(counts, stored), finished: false, assignmentErrors: [] };
          if (rows.length > 0) await recordIn(tx, progress);
          await progressIn?.(tx, progress);
          return stored;
        });
      },
      finish: async (assignments, counts) => {
        // An import that stored nothing has an event only if its progress is recorded.
        if (progressIn === undefined && storedRecords(counts) === 0) return noAssignments;
        return await this.#transaction(async (tx) => {
          await setActor(tx, { userId }, 'import');
          const outcome = await assign(tx, accountId, {
            ...{ assignments, startedAt },
            ...(history && { history }),
          });
          const total = addAssignments(counts, outcome);
          const progress = { counts: total, finished: true, assignmentErrors: outcome.errors };
          await recordIn(tx, progress);
          await progressIn?.(tx, progress);
          return outcome;
        });
      },
    };
  }

  /** Runs an import in one transaction and rolls it back. A batch sees the rows of earlier batches. */
  async rehearse<Result>(
    accountId: AccountId,
    work: (writes: ImportWrites) => Promise<Result>,
  ): Promise<Result> {
    const startedAt = new Date();
    return await this.#rolledBack(
      (tx) =>
        work({
          stored: (numbers) => readEmployeesByNumber(tx, accountId, numbers),
          store: (rows) => store(tx, accountId, rows),
          finish: (assignments) => assign(tx, accountId, { assignments, startedAt }),
        }),
      { maxWait: 60_000, timeout: dayMilliseconds },
    );
  }

  /** The stored employees with these employee numbers. */
  stored(accountId: AccountId, numbers: readonly string[]): Promise<Employee[]> {
    return this.#transaction((tx) => readEmployeesByNumber(tx, accountId, numbers));
  }

  /** The spellings of values that the account uses. */
  spellings(accountId: AccountId): Promise<Spellings> {
    return Spellings.read(this.#database.prisma, accountId);
  }

  /**
   * A function that finds other stored employees with the e-mail addresses of a batch: their numbers, by the number of the
   * record. Few accounts have addresses in upper case, so their index is only searched if there are any.
   */
  async emailLookup(accountId: AccountId): Promise<EmailLookup> {
    const [folded] = await this.#database.prisma.$queryRaw<unknown[]>`
      SELECT 1 FROM employees WHERE account_id = ${accountId} AND folded_email IS NOT NULL LIMIT 1`;
    const columns = folded === undefined ? ['email'] : ['email', 'folded_email'];
    const found = columns.map(
      (column) => Prisma.sql`
        (SELECT employee_number FROM employees
         WHERE account_id = ${accountId} AND ${Prisma.raw(column)} = given.email
           AND employee_number <> given.number LIMIT 1)`,
    );
    return async (rows) => {
      const given = rows.filter(({ email = '' }) => email !== '');
      const numbers = given.map(({ employeeNumber }) => employeeNumber);
      const emails = given.map(({ email = '' }) => email.toLowerCase());
      const others = await this.#transaction(
        (tx) => tx.$queryRaw<{ number: string; other: string }[]>`
          SELECT given.number, found.employee_number AS other
          FROM unnest(${numbers}::text[], ${emails}::text[]) AS given (number, email)
          CROSS JOIN LATERAL (${Prisma.join(found, ' UNION ALL ')}) AS found`,
      );
      return new Map(others.map(({ number, other }) => [number, other]));
    };
  }

  /** Stores a batch and rolls it back. It does not see the batches that were rolled back before. */
  rehearseBatch(accountId: AccountId, rows: readonly EmployeeRecord[]): Promise<UpsertCounts> {
    return this.#rolledBack((tx) => store(tx, accountId, rows));
  }

  async #rolledBack<Result>(
    work: (tx: Prisma.TransactionClient) => Promise<Result>,
    limits = transactionLimits,
  ): Promise<Result> {
    const undo = new Error('A dry run is rolled back');
    let done: { readonly result: Result } | undefined;
    const run = this.#transaction(async (tx) => {
      done = { result: await work(tx) };
      throw undo;
    }, limits);
    await run.catch((error) => {
      if (error !== undo && done === undefined) throw error;
    });
    if (done === undefined) throw undo;
    return done.result;
  }

  #transaction<Result>(
    work: (tx: Prisma.TransactionClient) => Promise<Result>,
    limits = transactionLimits,
  ): Promise<Result> {
    return this.#database.prisma.$transaction(async (tx) => {
      await planWithoutValues(tx, this.#database);
      return await work(tx);
    }, limits);
  }
}

/**
 * From here on, the statements of a transaction are planned without their values. With the id of the account, PostgreSQL would
 * estimate from statistics that are older than an import that the account has no employees, and read all of them for each record.
 */
export async function planWithoutValues(
  tx: Prisma.TransactionClient,
  { isDistributed }: Pick<Database, 'isDistributed'>,
): Promise<void> {
  // Citus needs the id of the account to choose a node.
  if (!isDistributed()) await tx.$executeRaw`SET LOCAL plan_cache_mode = force_generic_plan`;
}

const transactionLimits = { maxWait: 60_000, timeout: 600_000 };

const noRows: UpsertCounts = { created: 0, updated: 0, unchanged: 0 };

const noAssignments: AssignmentOutcome = { updated: 0, errors: [] };

/** Stores the managers, then the other employees. Does not lock the account for an import without any. */
async function assign(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  {
    assignments: { managers, references },
    startedAt,
    history,
  }: { assignments: Assignments; startedAt: Date; history?: ImportHistory },
): Promise<AssignmentOutcome> {
  const assigned =
    managers.size === 0
      ? noAssignments
      : await assignManagers(tx, accountId, {
          ...{ assignments: managers, startedAt },
          onStored: history && ((changes) => history.recordManagers(tx, changes)),
        });
  const referred =
    references.size === 0
      ? noAssignments
      : await assignReferences(tx, accountId, {
          ...{ assignments: references, startedAt },
          onStored: history && ((changes) => history.recordReferences(tx, changes)),
        });
  return {
    updated: assigned.updated + referred.updated,
    errors: mergeErrors(assigned.errors, referred.errors),
  };
}

async function store(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly EmployeeRecord[],
): Promise<UpsertCounts> {
  return rows.length === 0 ? noRows : upsertEmployees(tx, accountId, rows);
}

/** The counts after a batch. */
export function addCounts(counts: ImportCounts, stored: UpsertCounts): ImportCounts {
  return {
    ...counts,
    created: counts.created + stored.created,
    updated: counts.updated + stored.updated,
    unchanged: counts.unchanged + stored.unchanged,
  };
}

/** The counts after the managers and other employees that records refer to. */
export function addAssignments(counts: ImportCounts, { updated, errors }: AssignmentOutcome): ImportCounts {
  // Clocks of processes that continue an import may differ.
  const moved = Math.min(updated, counts.unchanged);
  return {
    ...counts,
    updated: counts.updated + moved,
    unchanged: counts.unchanged - moved,
    managersRejected: errors.length,
  };
}

function storedRecords({ created, updated, unchanged }: UpsertCounts): number {
  return created + updated + unchanged;
}

function detailsOf(fileName: string, { counts, finished }: ImportProgress): Readonly<Record<string, string>> {
  const { created, updated, unchanged, rejected, managersRejected } = counts;
  return {
    file: fileName,
    created: String(created),
    updated: String(updated),
    unchanged: String(unchanged),
    rejected: String(rejected),
    ...(managersRejected > 0 && { managers_rejected: String(managersRejected) }),
    // Remains `no` when the import is killed.
    finished: finished ? 'yes' : 'no',
  };
}
