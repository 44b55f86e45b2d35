import { hash } from 'node:crypto';
import { isObject } from '../../../platform/contract/outside-text.js';
import {
  type EmployeeCheck,
  type EmployeeRecord,
  type RecordMember,
  type UpsertCounts,
  withCustomMembers,
} from '../../employees/index.js';
import { type Delimiter, delimiters } from '../csv.js';
import { readCsvEntries } from '../csv-entries.js';
import { toDateFormat } from '../dates.js';
import { addCounts, type EmployeeImports, type ImportWrites } from '../employee-imports.js';
import { type ImportOutcome, runImport, withSpellings } from '../import-employees.js';
import { ImportHistory } from '../import-history.js';
import { readJsonEntries } from '../json-entries.js';
import { type Entry, splitLines, UnusableFileError } from '../lines.js';
import { labelledCheck } from './check-records.js';
import { FindingsCollector } from './findings.js';
import { cellsOf } from './rejected-rows.js';
import type { StoredFiles } from './stored-file.js';
import type { ClaimedUpload, UploadProgress, UploadQueue } from './upload-queue.js';
import { type FileMapping, maximumStoredErrors } from './upload-state.js';

/**
 * The records that a check has read in earlier batches. They are not stored, so that the database does not report that a later
 * record has the employee number of one of them.
 */
class EarlierRecords {
  /** Hashes, because the records of a file take more memory. */
  readonly #hashes = new Map<string, string>();

  add(record: EmployeeRecord): void {
    this.#hashes.set(record.employeeNumber, hash('sha256', JSON.stringify(record), 'base64'));
  }

  /**
   * Adds the records of a batch.
   *
   * @returns those with a new employee number, and what an import would do with the others
   */
  addBatch(records: readonly EmployeeRecord[]): {
    first: EmployeeRecord[];
    repeated: Pick<UpsertCounts, 'updated' | 'unchanged'>;
  } {
    const first: EmployeeRecord[] = [];
    const repeated = { updated: 0, unchanged: 0 };
    for (const record of records) {
      const earlier = this.#hashes.get(record.employeeNumber);
      this.add(record);
      if (earlier === undefined) first.push(record);
      else if (earlier === this.#hashes.get(record.employeeNumber)) repeated.unchanged += 1;
      else repeated.updated += 1;
    }
    return { first, repeated };
  }
}

/** Reads the records of an uploaded file, with the names of attributes. */
export function readMappedEntries(
  content: AsyncIterable<Uint8Array>,
  mapping: FileMapping,
  known: readonly RecordMember[],
): AsyncIterable<readonly Entry[]> {
  const lines = splitLines(content);
  const entries =
    mapping.format === 'csv'
      ? readCsvEntries(lines, known, {
          delimiter: delimiters.find((delimiter): delimiter is Delimiter => delimiter === mapping.delimiter),
          columns: mapping.attributes,
          dateFormatOf: (column) => toDateFormat(mapping.dateFormats[column]),
        })
      : renameMembers(readJsonEntries(lines), mapping);
  return replaceValues(entries, mapping);
}

/** Adds the values that are the same in all records, and replaces those of the status. */
async function* replaceValues(
  entries: AsyncIterable<readonly Entry[]>,
  { fixedValues, statusValues }: FileMapping,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const statuses = new Map(Object.entries(statusValues));
  const replace = (entry: Entry): Entry => {
    if (entry.error !== undefined || !isObject(entry.value)) return entry;
    const { value } = entry;
    const { status } = value;
    const replaced = typeof status === 'string' ? statuses.get(status.trim()) : undefined;
    return {
      ...entry,
      value: { ...fixedValues, ...value, ...(replaced !== undefined && { status: replaced }) },
    };
  };
  for await (const batch of entries) yield batch.map(replace);
}

/** Members that the mapping does not know keep their names, so that unknown ones are rejected with their line. */
async function* renameMembers(
  entries: AsyncIterable<readonly Entry[]>,
  { columns, attributes }: FileMapping,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const names = new Map(columns.map((column, index) => [column, attributes[index] ?? '']));
  for await (const batch of entries) yield batch.map((entry) => rename(entry, names));
}

function rename(entry: Entry, names: ReadonlyMap<string, string>): Entry {
  if (entry.error !== undefined || !isObject(entry.value)) return entry;
  const members = Object.entries(withCustomMembers(entry.value));
  const own = members.filter(([name]) => !names.has(name));
  const renamed = members.flatMap(([name, member]) => {
    const attribute = names.get(name);
    return attribute === undefined || attribute === '' ? [] : [[attribute, member] as const];
  });
  return { ...entry, value: Object.fromEntries([...own, ...renamed]) };
}

/** Maximum characters of the errors of a line. */
const maximumMessageLength = 500;

interface RunDependencies {
  readonly queue: UploadQueue;
  readonly files: StoredFiles;
  readonly imports: EmployeeImports;
  readonly check: EmployeeCheck;
  /** Lines in one transaction. */
  readonly batchSize: number;
  /** Stops the run after the current batch. */
  readonly signal: AbortSignal;
  /** Called when the user has cancelled the import. */
  readonly onCancelled: () => void;
}

/**
 * Runs the check or the import of an uploaded file, from its last stored batch on. Each batch is committed with the progress,
 * so that a process that takes over neither repeats nor omits a line.
 *
 * In a check, each batch is rolled back on its own, so that other changes of employees do not wait for the whole file.
 */
export async function runUpload(
  upload: ClaimedUpload,
  { queue, files, imports, check, batchSize, signal, onCancelled }: RunDependencies,
): Promise<ImportOutcome['ending'] | UnusableFileError> {
  const source = { bytesRead: 0 };
  const findings = new FindingsCollector(upload.findings, check.attributes);
  let rejected: UploadProgress['errors'][number][] = [];
  let errorCount = upload.counts.rejected;
  const progressOf = (counts: UploadProgress['counts']): UploadProgress => ({
    counts,
    bytesRead: source.bytesRead,
    errors: rejected,
    findings,
  });
  const content = files.read(upload, (bytes) => {
    source.bytesRead += bytes;
  });
  const spellings = await imports.spellings(upload.accountId);
  const statuses = spellings.valuesOf('status');
  const options: Parameters<typeof runImport>[0] = {
    entries: readMappedEntries(content, upload, check.attributes),
    check: withSpellings(labelledCheck(check, upload), spellings),
    batchSize,
    maximumRejected: Number.POSITIVE_INFINITY,
    continueFrom: upload.counts,
    signal,
    onRejected: (line, errors, { source, causes }) => {
      errorCount += 1;
      const cells = errorCount > maximumStoredErrors ? [] : cellsOf(source, upload);
      rejected.push({ line, message: toMessage(errors), cells });
      findings.addErrors(line, causes);
    },
    onProgress() {
      rejected = [];
    },
  };
  const writes =
    upload.step === 'checking'
      ? await checkWrites(upload, { queue, imports, findings, statuses, progressOf, onCancelled })
      : importWrites(upload, { queue, imports, progressOf, onCancelled });
  try {
    const { ending } = await runImport(options, writes);
    return ending;
  } catch (error) {
    if (error instanceof UnusableFileError) return error;
    throw error;
  }
}

interface BatchDependencies extends Pick<RunDependencies, 'queue' | 'imports' | 'onCancelled'> {
  readonly progressOf: (counts: UploadProgress['counts']) => UploadProgress;
}

function importWrites(
  upload: ClaimedUpload,
  { queue, imports, progressOf, onCancelled }: BatchDependencies,
): ImportWrites {
  const { accountId, userId, address, requestId, eventId, fileName, queuedAt } = upload;
  return imports.begin(accountId, {
    ...{ userId, origin: { address, requestId }, eventId, fileName },
    ...(queuedAt !== null && { startedAt: queuedAt }),
    history: new ImportHistory(upload),
    async progressIn(tx, { counts, finished, assignmentErrors }) {
      const progress = progressOf(counts);
      const errors = [
        ...progress.errors,
        ...assignmentErrors.map(({ line, errors: messages }) => ({
          line,
          message: toMessage(messages),
          cells: [],
        })),
      ];
      for (const { line, causes } of assignmentErrors) progress.findings.addErrors(line, causes);
      const cancelled = await queue.progressIn(tx, upload, { ...progress, errors });
      if (finished) await queue.finishIn(tx, upload);
      else if (cancelled) onCancelled();
    },
  });
}

interface CheckDependencies extends BatchDependencies {
  readonly findings: FindingsCollector;
  /** The statuses that the contract or the account has, in lower case. */
  readonly statuses: ReadonlySet<string>;
}

async function checkWrites(
  upload: ClaimedUpload,
  { queue, imports, findings, statuses, progressOf, onCancelled }: CheckDependencies,
): Promise<ImportWrites> {
  const earlier = new EarlierRecords();
  const othersWithEmail = await imports.emailLookup(upload.accountId);
  const stored = (numbers: readonly string[]) => imports.stored(upload.accountId, numbers);
  return {
    stored,
    skip(record) {
      earlier.add(record);
      findings.emails.skip(record);
    },
    async store(rows, counts) {
      const { first, repeated } = earlier.addBatch(rows);
      const [rehearsed, others] = await Promise.all([
        imports.rehearseBatch(upload.accountId, first),
        othersWithEmail(rows),
      ]);
      findings.emails.add(rows, others);
      findings.statuses.add(rows, statuses);
      // Each of these batches has a change, so there are at most ten such queries.
      if (rehearsed.updated > 0 && findings.needsChanges) {
        const numbers = first.map(({ employeeNumber }) => employeeNumber);
        findings.addChanges(first, await stored(numbers));
      }
      const counted = {
        created: rehearsed.created,
        updated: rehearsed.updated + repeated.updated,
        unchanged: rehearsed.unchanged + repeated.unchanged,
      };
      if (await queue.progress(upload, progressOf(addCounts(counts, counted)))) onCancelled();
      return counted;
    },
    async finish() {
      await queue.finish(upload);
      // Managers can be in the file only, and its employees are not stored.
      return { updated: 0, errors: [] };
    },
  };
}

function toMessage(errors: readonly string[]): string {
  return errors.join('; ').replaceAll('\0', '\uFFFD').slice(0, maximumMessageLength).toWellFormed();
}
