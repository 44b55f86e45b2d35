import type { AccountId } from '../../platform/accounts/account-id.js';
import { isStatementCanceled } from '../../platform/database/database-errors.js';
import type { ReportConcurrency } from '../../platform/limits/report-concurrency.js';
import { Problem } from '../../platform/problems/problem.js';

/** Runs reports within the limits of their account. */
export class ReportRuns {
  readonly #slots: ReportConcurrency;

  constructor(slots: ReportConcurrency) {
    this.#slots = slots;
  }

  /**
   * Waits for a slot of the account, and runs a report in it.
   *
   * @param options.signal aborts when the client disconnects
   * @throws {Problem} 429 `rate_limit_exceeded` when no slot is free in time, 503 `service_unavailable` when the run took
   *   too long
   */
  async run<Result>(
    accountId: AccountId,
    { signal, read }: { signal: AbortSignal; read: () => Promise<Result> },
  ): Promise<Result> {
    const release = await this.#slots.forRun(accountId, signal);
    try {
      return await read();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw isStatementCanceled(error) ? tookTooLong(error) : error;
    } finally {
      release();
    }
  }
}

function tookTooLong(cause: unknown): Problem {
  return new Problem(
    'service_unavailable',
    'The report exceeded the maximum duration of a run. Use fewer or more selective filters, or try again later.',
    { retryAfterSeconds: 5, cause },
  );
}
