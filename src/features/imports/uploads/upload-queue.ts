import { type AccountId, toAccountId } from '../../../platform/accounts/account-id.js';
import type { Clock } from '../../../platform/clock.js';
import type { Database, Prisma } from '../../../platform/database/client.js';
import { allAccounts, withScope } from '../../../platform/database/scope.js';
import type { ImportCounts } from '../employee-imports.js';
import type { UploadError } from './employee-uploads.js';
import type { Findings, FindingsCollector } from './findings.js';
import type { RejectedRow } from './rejected-rows.js';
import { deleteFile, type ImportKey } from './stored-file.js';
import { type FileMapping, maximumStoredErrors, noProgress } from './upload-state.js';

/** Milliseconds after which another process takes over an import whose process has stopped. */
const leaseMilliseconds = 15_000;

/** Milliseconds until an import is run again after an error. */
const retryMilliseconds = 5_000;

/** Runs without a stored batch after which an import fails. */
const maximumAttempts = 5;

/** An import that this process runs. */
export interface ClaimedUpload extends ImportKey, FileMapping {
  readonly worker: string;
  readonly step: 'checking' | 'importing';
  readonly userId: string;
  readonly address: string;
  readonly requestId: string;
  readonly eventId: string;
  readonly fileName: string;
  readonly queuedAt: Date | null;
  readonly expiresAt: Date;
  readonly counts: ImportCounts;
  readonly findings: Findings;
}

/** Another process runs the import, or it was deleted. The work of this process is rolled back. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/**
 * The queue of checks and imports of all accounts. An account has one at a time, so that an account does not wait for all
 * imports of another.
 */
export class UploadQueue {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;

  constructor({ prisma }: Database, clock: Clock) {
    this.#prisma = prisma;
    this.#clock = clock;
  }

  /**
   * Claims the import that is queued longest, or whose process has stopped.
   *
   * @param worker identifies the run; never used again
   */
  async claim(worker: string): Promise<ClaimedUpload | null> {
    const now = this.#clock();
    return await withScope(allAccounts, async () => {
      const [row] = await this.#prisma.$queryRaw<{ accountId: string; id: string }[]>`
        WITH next AS MATERIALIZED (
          SELECT account_id, id FROM employee_imports
          WHERE state IN ('checking', 'importing') AND (lease_until IS NULL OR lease_until < ${now})
          ORDER BY queued_at, account_id LIMIT 1 FOR UPDATE SKIP LOCKED)
        UPDATE employee_imports AS stored
        SET locked_by = ${worker}, lease_until = ${this.#lease()}, attempts = attempts + 1
        FROM next WHERE stored.account_id = next.account_id AND stored.id = next.id
        RETURNING stored.account_id AS "accountId", stored.id`;
      if (row === undefined) return null;
      const { accountId, id } = row;
      const claimed = await this.#prisma.employeeImport.findFirst({ where: { accountId, id } });
      if (claimed === null) return null;
      const upload = toClaimed(claimed, worker);
      if (claimed.attempts <= maximumAttempts) return upload;
      await this.fail(upload, 'The import stopped several times because of an internal error.');
      return null;
    });
  }

  /**
   * Extends the lease.
   *
   * @returns whether the user has cancelled the import
   * @throws {LeaseLostError}
   */
  async extend({ accountId, id, worker }: ClaimedUpload): Promise<boolean> {
    const rows = await this.#prisma.$queryRaw<{ cancelled: boolean }[]>`
      UPDATE employee_imports SET lease_until = ${this.#lease()}
      WHERE account_id = ${accountId} AND id = ${id} AND locked_by = ${worker}
      RETURNING cancel_requested AS cancelled`;
    return cancelledIn(rows);
  }

  /** Stores the progress after a batch, with its rejected lines, in a transaction of its own. */
  async progress(upload: ClaimedUpload, progress: UploadProgress): Promise<boolean> {
    return await this.#prisma.$transaction((tx) => this.progressIn(tx, upload, progress));
  }

  /**
   * Stores the progress after a batch, in the transaction of the batch.
   *
   * @returns whether the user has cancelled the import
   * @throws {LeaseLostError}
   */
  async progressIn(
    tx: Prisma.TransactionClient,
    { accountId, id, worker }: ClaimedUpload,
    { counts, bytesRead, errors, findings }: UploadProgress,
  ): Promise<boolean> {
    const { read, created, updated, unchanged, rejected, managersRejected } = counts;
    const superseded = read - created - updated - unchanged - rejected;
    const rows = await tx.$queryRaw<{ cancelled: boolean }[]>`
      UPDATE employee_imports SET
        read = ${read}, created = ${created}, updated = ${updated}, unchanged = ${unchanged},
        rejected = ${rejected}, managers_rejected = ${managersRejected}, superseded = ${superseded}, bytes_read = ${bytesRead},
        findings = ${JSON.stringify(findings.value)}::text::jsonb,
        lease_until = ${this.#lease()}, attempts = 0
      WHERE account_id = ${accountId} AND id = ${id} AND locked_by = ${worker}
      RETURNING cancel_requested AS cancelled`;
    const cancelled = cancelledIn(rows);
    const room = Math.max(0, maximumStoredErrors - (rejected + managersRejected - errors.length));
    if (room > 0 && errors.length > 0) {
      await tx.employeeImportError.createMany({
        data: errors
          .slice(0, room)
          .map(({ cells, ...error }) => ({ accountId, importId: id, ...error, cells: [...cells] })),
        skipDuplicates: true,
      });
    }
    return cancelled;
  }

  /** Ends a check or an import that is complete. The file of an import is deleted. */
  async finishIn(tx: Prisma.TransactionClient, upload: ClaimedUpload): Promise<void> {
    await this.#end(tx, upload, { state: upload.step === 'checking' ? 'checked' : 'complete' });
  }

  async finish(upload: ClaimedUpload): Promise<void> {
    await this.#prisma.$transaction((tx) => this.finishIn(tx, upload));
  }

  async cancel(upload: ClaimedUpload): Promise<void> {
    await this.#prisma.$transaction((tx) => this.#end(tx, upload, { state: 'cancelled' }));
  }

  /** @param failure sentences for the user */
  async fail(upload: ClaimedUpload, failure: string): Promise<void> {
    await this.#prisma.$transaction((tx) => this.#end(tx, upload, { state: 'failed', failure }));
  }

  /** Lets any process continue the import: at once, or later after an error. */
  async release({ accountId, id, worker }: ClaimedUpload, { failed }: { failed: boolean }): Promise<void> {
    const leaseUntil = failed ? new Date(this.#clock().getTime() + retryMilliseconds) : null;
    await this.#prisma.employeeImport.updateMany({
      where: { accountId, id, lockedBy: worker },
      // A run that was stopped deliberately does not count.
      data: { lockedBy: null, leaseUntil, ...(!failed && { attempts: 0 }) },
    });
  }

  async #end(
    tx: Prisma.TransactionClient,
    { accountId, id, worker, step }: ClaimedUpload,
    end: { state: 'checked' | 'complete' | 'cancelled' | 'failed'; failure?: string },
  ): Promise<void> {
    // A check counts what an import would do.
    const counts = step === 'checking' && end.state !== 'checked' ? noProgress : {};
    const { count } = await tx.employeeImport.updateMany({
      where: { accountId, id, lockedBy: worker },
      data: { ...end, ...counts, finishedAt: this.#clock(), lockedBy: null, leaseUntil: null },
    });
    if (count === 0) throw new LeaseLostError('Another process runs the import');
    if (end.state !== 'checked') await deleteFile(tx, { accountId, id });
  }

  #lease(): Date {
    return new Date(this.#clock().getTime() + leaseMilliseconds);
  }
}

/** The data that is stored after a batch. */
export interface UploadProgress {
  /** Counts up to and including the batch. */
  readonly counts: Omit<ImportCounts, 'superseded'>;
  readonly bytesRead: number;
  /** Rejected lines of the batch. */
  readonly errors: readonly (Pick<UploadError, 'line'> & RejectedRow)[];
  /** Up to and including the batch. */
  readonly findings: FindingsCollector;
}

function cancelledIn([row]: readonly { cancelled: boolean }[]): boolean {
  if (row === undefined) throw new LeaseLostError('Another process runs the import');
  return row.cancelled;
}

type Row = Prisma.EmployeeImportGetPayload<object>;

function toClaimed(row: Row, worker: string): ClaimedUpload {
  const { read, created, updated, unchanged, rejected, superseded, managersRejected } = row;
  return {
    ...row,
    fixedValues: row.fixedValues as Record<string, string>,
    statusValues: row.statusValues as Record<string, string>,
    findings: row.findings as Findings,
    accountId: toAccountId(row.accountId) as AccountId,
    worker,
    step: row.state === 'checking' ? 'checking' : 'importing',
    counts: { read, created, updated, unchanged, rejected, superseded, managersRejected },
  };
}
