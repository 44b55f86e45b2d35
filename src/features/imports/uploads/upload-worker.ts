import { ClaimWorker } from '../../../platform/claim-worker.js';
import type { Clock } from '../../../platform/clock.js';
import type { Contract } from '../../../platform/contract/contract.js';
import type { Database } from '../../../platform/database/client.js';
import { randomId } from '../../../platform/database/ids.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import type { Logger } from '../../../platform/logger.js';
import { createEmployeeCheck, type EmployeeCheck, readActiveAttributes } from '../../employees/index.js';
import { EmployeeImports } from '../employee-imports.js';
import { UnusableFileError } from '../lines.js';
import { runUpload } from './run-upload.js';
import { StoredFiles } from './stored-file.js';
import { type ClaimedUpload, LeaseLostError, UploadQueue } from './upload-queue.js';

/** Interval in which a process looks for imports that another process has queued. */
export const uploadPollMilliseconds = 3_000;

/** Imports that a process runs concurrently, of different accounts, so that a small one does not wait for a large one. */
const maximumRunning = 2;

const heartbeatMilliseconds = 5_000;

/**
 * Lines in one transaction. Other changes of the employees of the account wait for it, so it is smaller than that of the
 * command line.
 */
const defaultBatchSize = 1_000;

/** Runs the queued checks and imports of uploaded files, in any process. */
export class UploadWorker extends ClaimWorker<ClaimedUpload> {
  readonly #prisma: Database['prisma'];
  readonly #queue: UploadQueue;
  readonly #files: StoredFiles;
  readonly #imports: EmployeeImports;
  readonly #check: EmployeeCheck;
  readonly #batchSize: number;
  readonly #logger: Logger | undefined;

  constructor({
    database,
    clock,
    contract,
    logger,
    batchSize = defaultBatchSize,
  }: {
    database: Database;
    clock: Clock;
    contract: Contract;
    logger?: Logger;
    /** Lines in one transaction. */
    batchSize?: number;
  }) {
    super({ maximumRunning, name: 'imports', logger });
    this.#prisma = database.prisma;
    this.#queue = new UploadQueue(database, clock);
    this.#files = new StoredFiles(database);
    this.#imports = new EmployeeImports(database, clock);
    this.#check = createEmployeeCheck(contract);
    this.#logger = logger;
    this.#batchSize = batchSize;
  }

  protected override async claim(): Promise<ClaimedUpload[]> {
    const upload = await this.#queue.claim(randomId());
    return upload === null ? [] : [upload];
  }

  /** When the process stops, it ends after its current batch, and another process continues it. */
  protected override async run(upload: ClaimedUpload): Promise<boolean> {
    await withScope(accountScope(upload.accountId), () => this.#runInScope(upload)).catch((err) => {
      if (err instanceof LeaseLostError) return;
      this.#logger?.warn({ err, import: upload.id }, 'an import stopped and will be continued');
    });
    // The next import of the account can start.
    return true;
  }

  async #runInScope(upload: ClaimedUpload): Promise<void> {
    const cancelled = new AbortController();
    const lost = new AbortController();
    const onCancelled = () => cancelled.abort();
    const signal = AbortSignal.any([this.stopping, cancelled.signal, lost.signal]);
    const beat = async () => {
      try {
        if (await this.#queue.extend(upload)) onCancelled();
      } catch (error) {
        // Without a database the run itself fails.
        if (error instanceof LeaseLostError) lost.abort();
      }
    };
    await beat();
    const heartbeat = setInterval(beat, heartbeatMilliseconds);
    heartbeat.unref();
    try {
      // A batch fails when one of them is archived meanwhile. The import then continues with those that remain.
      const check = this.#check.withCustom(await readActiveAttributes(this.#prisma, upload.accountId));
      const ending = await runUpload(upload, {
        ...{ queue: this.#queue, files: this.#files, imports: this.#imports, check },
        ...{ batchSize: this.#batchSize, signal, onCancelled },
      });
      await this.#end(upload, ending, { cancelled: cancelled.signal.aborted, lost: lost.signal.aborted });
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #end(
    upload: ClaimedUpload,
    ending: Awaited<ReturnType<typeof runUpload>>,
    { cancelled, lost }: { cancelled: boolean; lost: boolean },
  ): Promise<void> {
    if (ending instanceof UnusableFileError) {
      await this.#queue.fail(upload, `The file cannot be read: ${ending.message}.`);
      return;
    }
    if (ending.kind === 'complete' || lost) return;
    if (ending.kind === 'failed') {
      if (ending.error instanceof LeaseLostError) return;
      this.#logger?.warn({ err: ending.error, import: upload.id }, 'an import failed and will be continued');
      await this.#queue.release(upload, { failed: true });
      return;
    }
    if (cancelled) await this.#queue.cancel(upload);
    else await this.#queue.release(upload, { failed: false });
  }
}
