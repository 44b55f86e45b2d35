import type { AccountId } from '../../services/account-id.js';
import type { EmployeeImports, ImportCounts, StoreBatch } from '../../services/employee-imports.js';
import { type BatchLines, EmployeeBatch } from './employee-batch.js';
import type { EmployeeCheck } from './employee-check.js';
import { type Entry, UnusableFileError } from './entry.js';

export interface ImportOptions {
  readonly imports: EmployeeImports;
  readonly accountId: AccountId;
  readonly entries: AsyncIterable<Entry>;
  readonly check: EmployeeCheck['check'];
  /** Name of the file, for the audit log. */
  readonly fileName: string;
  /** Lines that are stored in one transaction. */
  readonly batchSize: number;
  /** Rejected lines after which the import stops. */
  readonly maximumRejected: number;
  /** Runs the import and rolls it back. */
  readonly dryRun: boolean;
  /** Stops the import after the current batch. */
  readonly signal: AbortSignal;
  onRejected(line: number, errors: readonly string[]): void;
  onProgress(counts: ImportCounts): void;
}

export type ImportEnding =
  | { readonly kind: 'complete' | 'interrupted' | 'too_many_rejected' }
  /** The database failed; the batch of these lines is not stored, or not known to be. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly lines: BatchLines };

export interface ImportOutcome {
  readonly counts: ImportCounts;
  readonly ending: ImportEnding;
}

/**
 * Imports the employees of an account from a file in batches. The counts include stored batches even if the import fails.
 * An import that is run again does not change employees that are already stored.
 *
 * @throws {UnusableFileError} when the whole file is invalid
 */
export async function importEmployees(options: ImportOptions): Promise<ImportOutcome> {
  const { imports, accountId, fileName, dryRun } = options;
  return dryRun
    ? imports.rehearse(accountId, (store) => importWith(options, store))
    : importWith(options, imports.begin(accountId, fileName));
}

async function importWith(options: ImportOptions, store: StoreBatch): Promise<ImportOutcome> {
  const { entries, check, batchSize, maximumRejected, signal } = options;
  const counts = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, superseded: 0 };
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
      const { employee, errors } =
        entry.error === undefined ? check(entry.value) : { errors: [entry.error], employee: undefined };
      if (employee !== undefined) {
        batch.add(entry.line, employee);
      } else {
        counts.rejected += 1;
        options.onRejected(entry.line, errors);
        if (counts.rejected > maximumRejected) return { counts, ending: { kind: 'too_many_rejected' } };
      }
      if (batch.lines.count >= batchSize) await flush();
    }
    await flush();
    if (!options.dryRun && counts.created + counts.updated + counts.unchanged > 0) await store([], counts);
    return { counts, ending: { kind: 'complete' } };
  } catch (error) {
    // The signal destroys a source that is waiting for data, such as a terminal.
    if (signal.aborted) return { counts, ending: { kind: 'interrupted' } };
    if (error instanceof UnusableFileError) throw error;
    return { counts, ending: { kind: 'failed', error, lines: batch.lines } };
  }
}
