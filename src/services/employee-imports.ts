import type { Clock } from '../clock.js';
import type { Database, Prisma } from '../database/client.js';
import { randomId } from '../database/ids.js';
import type { AccountId } from './account-id.js';
import { recordProgressIn } from './audit-log.js';
import type { EmployeeRecord } from './employees/employee-record.js';
import { type UpsertCounts, upsertEmployees } from './employees/upsert-employees.js';

/** Numbers of records that an import has read, by outcome. */
export interface ImportCounts extends UpsertCounts {
  readonly read: number;
  /** Records that are invalid. */
  readonly rejected: number;
  /** Records that a later one of the same batch with the same employee number replaced. */
  readonly superseded: number;
}

/**
 * Stores a batch. An empty batch marks the import as finished.
 *
 * @param counts counts of the earlier batches
 * @throws {UnknownAccountError} when the account does not exist
 */
export type StoreBatch = (rows: readonly EmployeeRecord[], counts: ImportCounts) => Promise<UpsertCounts>;

const dayMilliseconds = 86_400_000;

/** Stores the employees of imports, in batches. */
export class EmployeeImports {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;

  constructor({ prisma }: Database, clock: Clock) {
    this.#prisma = prisma;
    this.#clock = clock;
  }

  /**
   * Starts an import, which has one audit event. Each batch is one transaction, which also updates the event.
   *
   * @param fileName part of the audit event
   */
  begin(accountId: AccountId, fileName: string): StoreBatch {
    const eventId = randomId();
    return (rows, counts) =>
      this.#prisma.$transaction(
        async (tx) => {
          const stored = await store(tx, accountId, rows);
          const details = detailsOf(fileName, rows, counts, stored);
          const event = { type: 'employees.imported', accountId, details } as const;
          await recordProgressIn(tx, eventId, event, this.#clock());
          return stored;
        },
        { maxWait: 60_000, timeout: 600_000 },
      );
  }

  /** Runs an import in one transaction and rolls it back. A batch sees what the earlier batches have stored. */
  async rehearse<Result>(
    accountId: AccountId,
    work: (store: StoreBatch) => Promise<Result>,
  ): Promise<Result> {
    const undo = new Error('A dry run is rolled back');
    let done: { readonly result: Result } | undefined;
    const run = this.#prisma.$transaction(
      async (tx) => {
        done = { result: await work((rows) => store(tx, accountId, rows)) };
        throw undo;
      },
      { maxWait: 60_000, timeout: dayMilliseconds },
    );
    await run.catch((error) => {
      if (error !== undo && done === undefined) throw error;
    });
    if (done === undefined) throw undo;
    return done.result;
  }
}

async function store(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  rows: readonly EmployeeRecord[],
): Promise<UpsertCounts> {
  if (rows.length === 0) return { created: 0, updated: 0, unchanged: 0 };
  return upsertEmployees(tx, accountId, rows);
}

function detailsOf(
  fileName: string,
  rows: readonly EmployeeRecord[],
  counts: ImportCounts,
  stored: UpsertCounts,
): Readonly<Record<string, string>> {
  return {
    file: fileName,
    created: String(counts.created + stored.created),
    updated: String(counts.updated + stored.updated),
    unchanged: String(counts.unchanged + stored.unchanged),
    rejected: String(counts.rejected),
    // Remains `no` when the import is killed.
    finished: rows.length > 0 ? 'no' : 'yes',
  };
}
