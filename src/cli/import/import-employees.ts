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
  /** Lines that are stored together, or not at all. */
  readonly batchSize: number;
  /** Refused lines that are put up with; one more ends the import. */
  readonly maximumRefused: number;
  /** Does everything and keeps nothing of it. */
  readonly dryRun: boolean;
  /** Ends the import after the batch that is being stored. */
  readonly signal: AbortSignal;
  onRefused(line: number, faults: readonly string[]): void;
  onProgress(counts: ImportCounts): void;
}

export type ImportEnding =
  | { readonly kind: 'complete' | 'interrupted' | 'too_many_refused' }
  /** The database failed; the batch of these lines is not stored, or not known to be. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly lines: BatchLines };

export interface ImportOutcome {
  readonly counts: ImportCounts;
  readonly ending: ImportEnding;
}

/**
 * Makes an account's employees what a file says, batch by batch. What is known to be stored is counted, whatever ends
 * the import, and an import that is run again finds what is stored already and leaves it alone.
 *
 * @throws {UnusableFileError} when the file cannot be imported at all
 */
export async function importEmployees(options: ImportOptions): Promise<ImportOutcome> {
  const { imports, accountId, fileName, dryRun } = options;
  return dryRun
    ? imports.rehearse(accountId, (store) => importWith(options, store))
    : importWith(options, imports.begin(accountId, fileName));
}

async function importWith(options: ImportOptions, store: StoreBatch): Promise<ImportOutcome> {
  const { entries, check, batchSize, maximumRefused, signal } = options;
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
      const { employee, faults } =
        entry.fault === undefined ? check(entry.value) : { faults: [entry.fault], employee: undefined };
      if (employee !== undefined) {
        batch.add(entry.line, employee);
      } else {
        counts.rejected += 1;
        options.onRefused(entry.line, faults);
        if (counts.rejected > maximumRefused) return { counts, ending: { kind: 'too_many_refused' } };
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
