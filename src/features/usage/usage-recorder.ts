import type { Clock } from '../../platform/clock.js';
import type { Database, DatabaseLogger } from '../../platform/database/client.js';
import type { FinishedRequest, RequestObserver } from '../../platform/observability/request-watch.js';
import { storeInBatches, storeRejections, storeUsage } from './store-usage.js';
import { type ApiCall, RecentRejections, UsageCounts } from './unstored-usage.js';

/** Milliseconds between two writes of usage. A process that is killed loses the counts since the last write. */
export const usageIntervalMilliseconds = 10_000;

/** Number of counts at which usage is stored before the interval ends. */
const earlyFlushCounts = 2_000;

/** Maximum number of counts in memory, about 10 MB. They accumulate while the database is unavailable. */
const maximumCounts = 20_000;

/** Maximum number of applications whose rejected requests are in memory. */
const maximumApplications = 1_000;

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger?: Pick<DatabaseLogger, 'warn'> | undefined;
}

/**
 * Records the calls of applications and their last rejected requests. Both are collected in memory and stored in batches,
 * because a statement for each request would cost more than most requests.
 *
 * After a failure they are stored the next time. When the connection is lost during a commit, the calls of one statement may
 * be counted twice.
 */
export class UsageRecorder implements RequestObserver {
  readonly #options: Options;
  readonly #counts = new UsageCounts(maximumCounts);
  readonly #rejections = new RecentRejections(maximumApplications);
  #flushed: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Records a request with a known application: by an accepted token, by a validly signed token that was rejected, or by the
   * client of the token or revocation endpoint. All of them are operations of the contract: a message of the Model Context
   * Protocol is counted by the operation that it calls.
   */
  finished({ request, caller, operation, method, status, problemCode }: FinishedRequest): void {
    if (request.routeOptions.config?.operation === undefined) return;
    if (caller === null || (caller.applicationId === undefined && caller.clientId === undefined)) return;
    this.record({
      accountId: caller.accountId,
      applicationId: caller.applicationId,
      clientId: caller.clientId,
      userId: caller.userId ?? null,
      operation,
      status,
      // The response to HEAD contains no records.
      records: method === 'HEAD' ? 0 : request.records,
      requestId: request.id,
      code: problemCode,
    });
  }

  record(call: ApiCall): void {
    const at = this.#options.clock().getTime();
    const before = this.#counts.size;
    this.#counts.add(call, at);
    this.#rejections.add(call, at);
    // At exactly this size: an attempt for each further count would add load while the database is unavailable.
    if (before === earlyFlushCounts - 1 && this.#counts.size === earlyFlushCounts)
      this.flush().catch(() => {});
  }

  /**
   * Stores all recorded calls.
   *
   * @throws the error of the database; the calls stay in memory for the next attempt
   */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.catch(() => {}).then(() => this.#store());
    return this.#flushed;
  }

  async #store(): Promise<void> {
    const dropped = this.#counts.takeDropped();
    if (dropped > 0) {
      this.#options.logger?.warn(
        { calls: dropped },
        'calls were not counted: the database was unavailable for too long',
      );
    }
    const counts = this.#counts.takeAll();
    const rejections = this.#rejections.takeAll();
    try {
      await storeInBatches(this.#options.database, counts, storeUsage);
      await storeInBatches(this.#options.database, rejections, storeRejections);
    } catch (error) {
      this.#counts.putBack(counts);
      this.#rejections.putBack(rejections);
      throw error;
    }
  }
}
