import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId } from '../../platform/accounts/account-id.js';
import {
  type CheckedRecord,
  type EmployeeRecord,
  type GivenReferences,
  type ManagerReference,
  type Spellings,
  sizedReferences,
} from '../employees/index.js';
import { addReferences } from './assign-references.js';
import { compareWithStoredDates } from './compare-dates.js';
import { findTooLarge, tooLargeError } from './custom-sizes.js';
import {
  type Assignments,
  addAssignments,
  addCounts,
  type EmployeeImports,
  type ImportCounts,
  type ImportWrites,
} from './employee-imports.js';
import { type Entry, UnusableFileError } from './lines.js';

/** Lines of the file that a batch has: the first and the last one, and the number of records. */
interface BatchLines {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** A line of the file, and the employees that its record refers to. */
interface BatchEntry {
  readonly line: number;
  readonly source: Entry['source'] | undefined;
  readonly manager: ManagerReference | undefined;
  readonly references: GivenReferences | undefined;
}

/** Records that are stored in one transaction. Of several records with the same number, the last value of each attribute counts. */
class EmployeeBatch {
  readonly #rows = new Map<string, EmployeeRecord>();
  /** By employee number. */
  readonly #entries = new Map<string, BatchEntry[]>();
  #lines: BatchLines = { first: 0, last: 0, count: 0 };

  get rows(): EmployeeRecord[] {
    return [...this.#rows.values()];
  }

  get lines(): BatchLines {
    return this.#lines;
  }

  /** Number of records that were replaced by a later one. */
  get superseded(): number {
    return this.#lines.count - this.#rows.size;
  }

  /** The records with values that have the size of their references to employees. */
  get sizedRows(): EmployeeRecord[] {
    return this.rows.map((row) => {
      const references = (this.#entries.get(row.employeeNumber) ?? []).map(({ references }) => references);
      const custom = Object.assign({}, row.custom, ...references.map(sizedReferences));
      return references.every((given) => given === undefined) ? row : { ...row, custom };
    });
  }

  /** Adds the managers and the references of the records to those of the import, as they are in the file. */
  addAssignments(assignments: Assignments): void {
    for (const [number, entries] of this.#entries)
      for (const entry of entries) assign(assignments, number, entry);
  }

  add(employee: EmployeeRecord, entry: BatchEntry): void {
    const { line } = entry;
    const { first, count } = this.#lines;
    const entries = this.#entries.get(employee.employeeNumber);
    if (entries === undefined) this.#entries.set(employee.employeeNumber, [entry]);
    else entries.push(entry);
    this.#lines = { first: count === 0 ? line : first, last: line, count: count + 1 };
    const earlier = this.#rows.get(employee.employeeNumber);
    const custom = earlier?.custom && { custom: { ...earlier.custom, ...employee.custom } };
    this.#rows.set(employee.employeeNumber, { ...earlier, ...employee, ...custom });
  }

  /** Removes the record with an employee number, and returns its lines. */
  remove(number: string): readonly BatchEntry[] {
    const entries = this.#entries.get(number) ?? [];
    this.#rows.delete(number);
    this.#entries.delete(number);
    this.#lines = { ...this.#lines, count: this.#lines.count - entries.length };
    return entries;
  }
}

/** Adds the manager and the references of a record to those of an import. */
function assign(
  { managers, references }: Assignments,
  number: string,
  { line, ...record }: Pick<BatchEntry, 'line' | 'manager' | 'references'>,
): void {
  if (record.manager !== undefined) managers.set(number, { line, reference: record.manager });
  if (record.references !== undefined)
    addReferences(references, { number, line, references: record.references });
}

export interface ImportOptions extends RunOptions {
  readonly imports: EmployeeImports;
  readonly accountId: AccountId;
  /** Name of the file, for the audit log. */
  readonly fileName: string;
  /** Runs the import and rolls it back. */
  readonly dryRun: boolean;
}

/** `causes`: the errors without values of the record, for counting. Default: the errors. */
export type CheckedEntry = CheckedRecord & { readonly causes?: readonly string[] };

interface Rejection {
  readonly errors: readonly string[];
  readonly causes?: readonly string[];
}

interface RunOptions {
  /** In batches of any size, which can be empty. */
  readonly entries: AsyncIterable<readonly Entry[]>;
  check(value: unknown): CheckedEntry;
  /** Lines that are stored in one transaction. */
  readonly batchSize: number;
  /** Rejected lines after which the import stops. */
  readonly maximumRejected: number;
  /** Counts of an earlier run that was stopped: continues after the entries that it has read. Default: starts. */
  readonly continueFrom?: ImportCounts;
  /** Stops the import after the current batch, and before more of the file is read. */
  readonly signal: AbortSignal;
  /** A record, or an employee that it refers to, is not stored. Those are reported up to the maximum. */
  onRejected(
    line: number,
    errors: readonly string[],
    more: { readonly causes: readonly string[]; readonly source?: Entry['source'] | undefined },
  ): void;
  onProgress(counts: ImportCounts): void;
}

type ImportEnding =
  | { readonly kind: 'complete' | 'interrupted' | 'too_many_rejected' }
  /** The database failed. The batch of these lines is not stored, or its outcome is unknown. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly lines: BatchLines };

export interface ImportOutcome {
  readonly counts: ImportCounts;
  readonly ending: ImportEnding;
}

/**
 * Imports the employees of an account from a file in batches, then their managers and references. The counts include stored batches even if the import fails.
 * An import that is run again does not change employees that are already stored.
 *
 * @throws {UnusableFileError} when the whole file is invalid
 */
export async function importEmployees(options: ImportOptions): Promise<ImportOutcome> {
  const { imports, accountId, fileName, dryRun } = options;
  const check = withSpellings(options.check, await imports.spellings(accountId));
  const run = { ...options, check };
  return dryRun
    ? imports.rehearse(accountId, (writes) => runImport(run, writes))
    : runImport(run, imports.begin(accountId, { fileName }));
}

/** The check, after which a record has the spellings of the account. */
export function withSpellings(check: RunOptions['check'], spellings: Spellings): RunOptions['check'] {
  return (value) => {
    const checked = check(value);
    if (checked.employee === undefined) return checked;
    return { ...checked, employee: spellings.apply(checked.employee) };
  };
}

/** The counts of an import that has read nothing. */
export const noCounts: ImportCounts = {
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  superseded: 0,
  managersRejected: 0,
};

/** Entries after which other work of the process runs. Checking them takes a few milliseconds. */
const entriesPerTurn = 50;

/**
 * Imports entries of a file into a store of batches.
 *
 * @throws {UnusableFileError} when the whole file is invalid
 */
export async function runImport(options: RunOptions, writes: ImportWrites): Promise<ImportOutcome> {
  const { entries, check, batchSize, maximumRejected, signal, continueFrom = noCounts } = options;
  let counts = continueFrom;
  const assignments: Assignments = { managers: new Map(), references: new Map() };
  let batch = new EmployeeBatch();
  let storedUpTo = counts.read;

  const reject = (
    line: number,
    { source, errors, causes = errors }: Pick<BatchEntry, 'source'> & Rejection,
  ): void => {
    counts = { ...counts, rejected: counts.rejected + 1 };
    options.onRejected(line, errors, { source, causes });
  };

  const flush = async (): Promise<void> => {
    if (counts.read === storedUpTo) return;
    for (const number of await findTooLarge(batch.sizedRows, writes.stored))
      for (const { line, source } of batch.remove(number)) reject(line, { source, errors: [tooLargeError] });
    batch.addAssignments(assignments);
    const stored = await writes.store(batch.rows, counts);
    counts = { ...addCounts(counts, stored), superseded: counts.superseded + batch.superseded };
    batch = new EmployeeBatch();
    storedUpTo = counts.read;
    options.onProgress(counts);
  };

  let position = 0;
  const read = ({ line, source, ...entry }: Entry): void => {
    position += 1;
    // Of the entries that an earlier run has stored, only the managers and references are missing.
    const isNew = position > continueFrom.read;
    if (isNew) counts = { ...counts, read: counts.read + 1 };
    const checked: CheckedEntry = entry.error === undefined ? check(entry.value) : { errors: [entry.error] };
    if (checked.employee !== undefined) {
      const { employee, manager, references } = checked;
      if (isNew) batch.add(employee, { line, source, manager, references });
      else {
        writes.skip?.(employee);
        assign(assignments, employee.employeeNumber, { line, manager, references });
      }
    } else if (isNew) reject(line, { ...checked, source });
  };

  try {
    for await (const parsed of compareWithStoredDates(entries, writes.stored)) {
      if (signal.aborted) return { counts, ending: { kind: 'interrupted' } };
      for (const entry of parsed) {
        read(entry);
        if (counts.rejected > maximumRejected) return { counts, ending: { kind: 'too_many_rejected' } };
        if (counts.read - storedUpTo >= batchSize) await flush();
        else if (position % entriesPerTurn === 0) await nextTurn();
        else continue;
        if (signal.aborted) return { counts, ending: { kind: 'interrupted' } };
      }
    }
    await flush();
    const outcome = await writes.finish(assignments, counts);
    for (const { line, errors, causes } of outcome.errors.slice(0, maximumRejected))
      options.onRejected(line, errors, { causes });
    return { counts: addAssignments(counts, outcome), ending: { kind: 'complete' } };
  } catch (error) {
    // The signal destroys a source that is waiting for data, such as a terminal.
    if (signal.aborted) return { counts, ending: { kind: 'interrupted' } };
    if (error instanceof UnusableFileError) throw error;
    return { counts, ending: { kind: 'failed', error, lines: batch.lines } };
  }
}
