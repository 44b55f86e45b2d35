import { ruleText } from '../../../platform/problems/rule-texts.js';
import type { CheckedRecord, EmployeeCheck } from '../../employees/index.js';
import { addCounts, type EmployeeImports, type ImportWrites } from '../employee-imports.js';
import { UnusableFileError } from '../entry.js';
import { type ImportOutcome, runImport } from '../import-employees.js';
import { EarlierRecords } from './earlier-records.js';
import { readMappedEntries } from './mapped-entries.js';
import type { StoredFiles } from './stored-file.js';
import type { ClaimedUpload, Progress, UploadQueue } from './upload-queue.js';

/**
 * Lines in one transaction. Other changes of the employees of the account wait for it, so it is smaller than that of the
 * command line.
 */
const batchSize = 1_000;

/** Maximum characters of the errors of a line. */
const maximumMessageLength = 500;

export interface RunDependencies {
  readonly queue: UploadQueue;
  readonly files: StoredFiles;
  readonly imports: EmployeeImports;
  readonly check: EmployeeCheck;
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
  { queue, files, imports, check, signal, onCancelled }: RunDependencies,
): Promise<ImportOutcome['ending'] | UnusableFileError> {
  const source = { bytesRead: 0 };
  let rejected: Progress['errors'][number][] = [];
  const progressOf = (counts: Progress['counts']): Progress => ({
    counts,
    bytesRead: source.bytesRead,
    errors: rejected,
  });
  const content = files.read(upload, (bytes) => {
    source.bytesRead += bytes;
  });
  const options = {
    entries: readMappedEntries(content, upload, check.attributes),
    check: (value: unknown) => checkRecord(check, value),
    batchSize,
    maximumRejected: Number.POSITIVE_INFINITY,
    continueFrom: upload.counts,
    signal,
    onRejected(line: number, errors: readonly string[]) {
      rejected.push({ line, message: toMessage(errors) });
    },
    onProgress() {
      rejected = [];
    },
  };
  const writes =
    upload.step === 'checking'
      ? checkWrites(upload, { queue, imports, progressOf, onCancelled })
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
  readonly progressOf: (counts: Progress['counts']) => Progress;
}

function importWrites(
  upload: ClaimedUpload,
  { queue, imports, progressOf, onCancelled }: BatchDependencies,
): ImportWrites {
  const { accountId, userId, address, requestId, eventId, fileName, queuedAt } = upload;
  return imports.begin(accountId, {
    ...{ userId, origin: { address, requestId }, eventId, fileName },
    ...(queuedAt !== null && { startedAt: queuedAt }),
    async progressIn(tx, { counts, finished, managerErrors }) {
      const progress = progressOf(counts);
      const errors = [
        ...progress.errors,
        ...managerErrors.map(({ line, error }) => ({ line, message: error })),
      ];
      const cancelled = await queue.progressIn(tx, upload, { ...progress, errors });
      if (finished) await queue.finishIn(tx, upload);
      else if (cancelled) onCancelled();
    },
  });
}

function checkWrites(
  upload: ClaimedUpload,
  { queue, imports, progressOf, onCancelled }: BatchDependencies,
): ImportWrites {
  const earlier = new EarlierRecords();
  return {
    skip(record) {
      earlier.add(record);
    },
    async store(rows, counts) {
      const { first, repeated } = earlier.addBatch(rows);
      const rehearsed = await imports.rehearseBatch(upload.accountId, first);
      const stored = {
        created: rehearsed.created,
        updated: rehearsed.updated + repeated.updated,
        unchanged: rehearsed.unchanged + repeated.unchanged,
      };
      if (await queue.progress(upload, progressOf(addCounts(counts, stored)))) onCancelled();
      return stored;
    },
    async finish() {
      await queue.finish(upload);
      // Managers can be in the file only, and its employees are not stored.
      return { updated: 0, errors: [] };
    },
  };
}

/** The errors have the labels of the attributes, which the user has assigned to the columns. */
function checkRecord(check: EmployeeCheck, value: unknown): CheckedRecord {
  const checked = check.checkMembers(value);
  if (checked.errors === undefined) return checked;
  const labels = new Map(check.attributes.map(({ name, label }) => [name, label]));
  return {
    errors: checked.errors.map(
      ({ member, violation }) => `${labels.get(member) ?? (member || 'The record')} ${ruleText(violation)}`,
    ),
  };
}

function toMessage(errors: readonly string[]): string {
  return errors.join('; ').replaceAll('\0', '\uFFFD').slice(0, maximumMessageLength).toWellFormed();
}
