import type { Clock } from '../clock.js';
import type { Database, Prisma } from '../database/client.js';
import { isWriteConflict } from '../database/database-errors.js';
import { randomId } from '../database/ids.js';
import type { AccountId } from './account-id.js';
import { recordProgressIn } from './audit-log.js';
import type { EmployeeRecord } from './employees/employee-record.js';
import { type UpsertCounts, upsertEmployees } from './employees/upsert-employees.js';

/** What became of the records that were read. */
export interface ImportCounts extends UpsertCounts {
  readonly read: number;
  readonly refused: number;
  /** Followed, in the same batch, by a later one with the same number. */
  readonly superseded: number;
}

/**
 * Stores a batch. An empty batch marks the import as finished.
 *
 * @param counts of the batches before
 */
export type StoreBatch = (rows: readonly EmployeeRecord[], counts: ImportCounts) => Promise<UpsertCounts>;

const day = 86_400_000;
const attempts = 3;

/** Stores the employees of imports, in batches. */
export class EmployeeImports {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;

  constructor({ prisma }: Database, clock: Clock) {
    this.#prisma = prisma;
    this.#clock = clock;
  }

  /**
   * Begins an import. Each batch is stored in a transaction of its own, together with the one audit event of the import.
   *
   * @param fileName for the audit event
   */
  begin(accountId: AccountId, fileName: string): StoreBatch {
    const eventId = randomId();
    return async (rows, counts) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#prisma.$transaction(
            async (tx) => {
              const stored = await store(tx, accountId, rows);
              const details = detailsOf(fileName, rows, counts, stored);
              const event = { type: 'employees.imported', accountId, details } as const;
              await recordProgressIn(tx, eventId, event, this.#clock());
              return stored;
            },
            { maxWait: 60_000, timeout: 600_000 },
          );
        } catch (error) {
          if (!isWriteConflict(error) || attempt === attempts) throw error;
        }
      }
    };
  }

  /** Does an import and rolls everything back. A later batch sees what an earlier one would have stored. */
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
      { maxWait: 60_000, timeout: day },
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
    refused: String(counts.refused),
    // An import that is killed leaves its event as the last batch wrote it.
    finished: rows.length > 0 ? 'no' : 'yes',
  };
}
