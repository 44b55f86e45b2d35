import type { AccountId } from '../accounts/account-id.js';
import type { ProblemCode } from '../contract/contract.js';
import { type Problem, retryLater } from '../problems/problem.js';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** Limits of report runs and CSV downloads, each for one process. */
export interface ReportLimits {
  /** Concurrent runs of one account. */
  readonly runsPerAccount: number;
  /** Concurrent CSV downloads of one account. */
  readonly downloadsPerAccount: number;
  /** Concurrent CSV downloads of all accounts. */
  readonly downloadsPerProcess: number;
  /** Milliseconds for which a request above these limits is queued. */
  readonly queueMs: number;
  /** Bytes of a CSV download that the client must read in each period of {@link ReportLimits.throughputPeriodMs}. */
  readonly minimumBytes: number;
  readonly throughputPeriodMs: number;
  /** Maximum duration of a CSV download, in milliseconds. */
  readonly downloadMs: number;
}

export const defaultReportLimits: ReportLimits = {
  runsPerAccount: 2,
  downloadsPerAccount: 2,
  downloadsPerProcess: 20,
  queueMs: 5_000,
  minimumBytes: 64 * 1024,
  throughputPeriodMs: 60_000,
  downloadMs: 30 * 60_000,
};

/** Concurrency limits for report runs and CSV downloads, for each account and for the process. */
export class ReportConcurrency {
  readonly #limits: ReportLimits;
  readonly #runs: ConcurrencyLimit;
  readonly #downloads: ConcurrencyLimit;
  readonly #allDownloads: ConcurrencyLimit;

  constructor(limits: ReportLimits) {
    this.#limits = limits;
    this.#runs = new ConcurrencyLimit(limits.runsPerAccount);
    this.#downloads = new ConcurrencyLimit(limits.downloadsPerAccount);
    this.#allDownloads = new ConcurrencyLimit(limits.downloadsPerProcess);
  }

  /**
   * Acquires a slot for a run.
   *
   * @returns releases the slot
   * @throws {Problem} 429 `rate_limit_exceeded` when no slot of the account is free in time
   */
  forRun(accountId: AccountId, signal: AbortSignal): Promise<() => void> {
    const { queueMs, runsPerAccount } = this.#limits;
    const detail = `An account has a limit of ${runsPerAccount} concurrent report runs.`;
    const rejection = this.#rejection('rate_limit_exceeded', detail);
    return this.#runs.acquire(accountId, { signal, waitMs: queueMs, rejection });
  }

  /**
   * Acquires a slot for a CSV download: first of the account, then of the process, so that one account cannot fill the
   * queue of the process.
   *
   * @returns releases the slot
   * @throws {Problem} 429 `rate_limit_exceeded` when no slot of the account is free in time, 503 `service_unavailable`
   *   when no slot of the process is free in time
   */
  async forDownload(accountId: AccountId, signal: AbortSignal): Promise<() => void> {
    const { queueMs, downloadsPerAccount } = this.#limits;
    const queuedAt = performance.now();
    const detail = `An account has a limit of ${downloadsPerAccount} concurrent CSV downloads.`;
    const releaseAccount = await this.#downloads.acquire(accountId, {
      signal,
      waitMs: queueMs,
      rejection: this.#rejection('rate_limit_exceeded', detail),
    });
    const waitMs = Math.max(0, queueMs - (performance.now() - queuedAt));
    try {
      const release = await this.#allDownloads.acquire('all', {
        signal,
        waitMs,
        rejection: this.#rejection(
          'service_unavailable',
          'The service has reached its limit of concurrent CSV downloads.',
        ),
      });
      return () => {
        release();
        releaseAccount();
      };
    } catch (error) {
      releaseAccount();
      throw error;
    }
  }

  #rejection(code: ProblemCode, detail: string): () => Problem {
    return () => retryLater(code, detail, Math.max(1, Math.ceil(this.#limits.queueMs / 1000)));
  }
}
