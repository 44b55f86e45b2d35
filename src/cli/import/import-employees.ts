import type { Clock } from '../../clock.js';
import type { Database, Prisma } from '../../database/client.js';
import { isWriteConflict } from '../../database/database-errors.js';
import { randomId } from '../../database/ids.js';
import type { AccountId } from '../../services/account-id.js';
import { recordProgressIn } from '../../services/audit-log.js';
import {
  type EmployeeRecord,
  type UpsertCounts,
  upsertEmployees,
} from '../../services/employees/upsert-employees.js';
import { type BatchLines, EmployeeBatch } from './employee-batch.js';
import type { EmployeeCheck } from './employee-check.js';
import { type Entry, UnusableFileError } from './entry.js';

export interface ImportOptions {
  readonly database: Database;
  readonly accountId: AccountId;
  readonly entries: AsyncIterable<Entry>;
  readonly check: EmployeeCheck['check'];
  /** Name of the file, for the audit log. */
  readonly fileName: string;
  /** Lines that are stored together, or not at all. */
  readonly batchSize: number;
  /** Refused lines that are put up with; one more ends the import. */
  readonly maximumRefused: number;
  /** Does everything and keeps nothing of it. */
  readonly dryRun: boolean;
  readonly clock: Clock;
  /** Ends the import after the batch that is being stored. */
  readonly signal: AbortSignal;
  onRefused(line: number, faults: readonly string[]): void;
  onProgress(counts: ImportCounts): void;
}

/** What became of the records that were read. */
export interface ImportCounts extends UpsertCounts {
  readonly read: number;
  readonly refused: number;
  /** Followed, in the same batch, by a later one with the same number. */
  readonly superseded: number;
}

export type ImportEnding =
  | { readonly kind: 'complete' | 'interrupted' | 'too_many_refused' }
  /** The database failed; the batch of these lines is not stored, or not known to be. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly lines: BatchLines };

export interface ImportOutcome {
  readonly counts: ImportCounts;
  readonly ending: ImportEnding;
}

type Store = (rows: readonly EmployeeRecord[], counts: ImportCounts) => Promise<UpsertCounts>;

const day = 86_400_000;
const attempts = 3;

/**
 * Makes an account's employees what a file says, batch by batch. What is known to be stored is counted, whatever ends
 * the import, and an import that is run again finds what is stored already and leaves it alone.
 *
 * @throws {UnusableFileError} when the file cannot be imported at all
 */
export async function importEmployees(options: ImportOptions): Promise<ImportOutcome> {
  const { database, accountId, dryRun } = options;
  if (!dryRun) return importWith(options, createStore(options));
  const undo = new Error('A dry run is rolled back');
  let outcome: ImportOutcome | undefined;
  // One transaction for all batches: a later one must see what an earlier one would have stored.
  const run = database.prisma.$transaction(
    async (tx) => {
      outcome = await importWith(options, (rows) => upsertEmployees(tx, accountId, rows));
      throw undo;
    },
    { maxWait: 60_000, timeout: day },
  );
  await run.catch((error) => {
    if (error !== undo && outcome === undefined) throw error;
  });
  if (outcome === undefined) throw undo;
  return outcome;
}

async function importWith(options: ImportOptions, store: Store): Promise<ImportOutcome> {
  const { entries, check, batchSize, maximumRefused, signal } = options;
  const counts = { read: 0, created: 0, updated: 0, unchanged: 0, refused: 0, superseded: 0 };
  let batch = new EmployeeBatch();

  const flush = async (): Promise<void> => {
    if (batch.rows.length === 0) return;
    const stored = await store(batch.rows, counts);
    counts.created += stored.created;
    counts.updated += stored.updated;
    counts.unchanged += stored.unchanged;
    counts.superseded += batch.superseded;
    batch = new EmployeeBatch();
    options.onProgress(counts);
  };

  try {
    for await (const entry of entries) {
      if (signal.aborted) return { counts, ending: { kind: 'interrupted' } };
      counts.read += 1;
      const { employee, faults } =
        entry.fault === undefined ? check(entry.value) : { faults: [entry.fault], employee: undefined };
      if (employee !== undefined) {
        batch.add(entry.line, employee);
      } else {
        counts.refused += 1;
        options.onRefused(entry.line, faults);
        if (counts.refused > maximumRefused) return { counts, ending: { kind: 'too_many_refused' } };
      }
      if (batch.lines.count >= batchSize) await flush();
    }
    await flush();
    if (!options.dryRun && counts.created + counts.updated + counts.unchanged > 0) await store([], counts);
    return { counts, ending: { kind: 'complete' } };
  } catch (error) {
    // A source that waits for more, such as a terminal, is cut off by the signal.
    if (signal.aborted) return { counts, ending: { kind: 'interrupted' } };
    if (error instanceof UnusableFileError) throw error;
    return { counts, ending: { kind: 'failed', error, lines: batch.lines } };
  }
}

/** Stores each batch in a transaction of its own, together with the audit event that tells of all of them. */
function createStore({ database, accountId, fileName, clock }: ImportOptions): Store {
  const eventId = randomId();
  const inTransaction = async (
    tx: Prisma.TransactionClient,
    rows: readonly EmployeeRecord[],
    counts: ImportCounts,
  ): Promise<UpsertCounts> => {
    const stored =
      rows.length > 0 ? await upsertEmployees(tx, accountId, rows) : { created: 0, updated: 0, unchanged: 0 };
    const details = {
      file: fileName,
      created: String(counts.created + stored.created),
      updated: String(counts.updated + stored.updated),
      unchanged: String(counts.unchanged + stored.unchanged),
      refused: String(counts.refused),
      // An import that is killed leaves its event as the last batch wrote it.
      finished: rows.length > 0 ? 'no' : 'yes',
    };
    await recordProgressIn(tx, eventId, { type: 'employees.imported', accountId, details }, clock());
    return stored;
  };
  return async (rows, counts) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await database.prisma.$transaction((tx) => inTransaction(tx, rows, counts), {
          maxWait: 60_000,
          timeout: 600_000,
        });
      } catch (error) {
        if (!isWriteConflict(error) || attempt === attempts) throw error;
      }
    }
  };
}
