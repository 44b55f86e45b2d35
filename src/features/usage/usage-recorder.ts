import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/client.js';
import type { Logger } from '../../platform/logger.js';
import type { FinishedRequest, RequestObserver } from '../../platform/observability/request-watch.js';
import { storeFailures, storeInBatches, storeRejections, storeUsage } from './store-usage.js';
import { type ApiCall, RecentFailures, RecentRejections, UsageCounts } from './unstored-usage.js';

/** Milliseconds between two writes of usage. A process that is killed loses the counts since the last write. */
export const usageIntervalMilliseconds = 10_000;

interface UsageLimits {
  /** Rows of one statement. */
  readonly batchSize: number;
  /** Number of counts at which usage is stored before the interval ends. */
  readonly earlyFlushCounts: number;
  /** Maximum number of counts in memory. They accumulate while the database is unavailable. */
  readonly maximumCounts: number;
}

/** A statement takes milliseconds, and the counts in memory about 10 MB. */
const defaultLimits: UsageLimits = { batchSize: 1_000, earlyFlushCounts: 2_000, maximumCounts: 20_000 };

/** Maximum number of applications whose rejected requests are in memory. */
const maximumApplications = 1_000;

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
  readonly limits?: UsageLimits;
}

/**
 * Records the calls of applications, their last rejected requests and failed client authentications. All are collected in
 * memory and stored in batches, because a statement for each request would cost more than most requests.
 *
 * After a failure they are stored the next time. When the connection is lost during a commit, the calls of one statement may
 * be counted twice.
 */
export class UsageRecorder implements RequestObserver {
  readonly #options: Options;
  readonly #limits: UsageLimits;
  readonly #counts: UsageCounts;
  readonly #rejections = new RecentRejections(maximumApplications);
  readonly #failures = new RecentFailures(maximumApplications);
  #flushed: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
    this.#counts = new UsageCounts(this.#limits.maximumCounts);
  }

  /**
   * Records a request with a known application: by an accepted token, by a validly signed token that was rejected, or by the
   * client of the token or revocation endpoint. All of them are operations of the contract: a message of the Model Context
   * Protocol is counted by the operation that it calls.
   *
   * A request whose client authentication failed is no call of the application: anyone can send it. It is only recorded as a
   * failed authentication. A request without the required secret is both.
   */
  finished({ request, caller, operation, method, status, problemCode }: FinishedRequest): void {
    if (request.routeOptions.config?.operation === undefined) return;
    const { rejectedClient } = request;
    const known = caller ?? rejectedClient;
    if (known === null || (known.applicationId === undefined && known.clientId === undefined)) return;
    const call = {
      accountId: known.accountId,
      applicationId: known.applicationId,
      clientId: known.clientId,
      userId: known.userId ?? null,
      operation,
      status,
      // The response to HEAD contains no records.
      records: method === 'HEAD' ? 0 : request.records,
      requestId: request.id,
      code: problemCode,
    };
    if (caller === null) this.recordFailure(call);
    else this.record(call);
  }

  /** Records a request whose client authentication failed. */
  recordFailure(call: ApiCall): void {
    this.#failures.add(call, this.#options.clock().getTime());
  }

  record(call: ApiCall): void {
    const at = this.#options.clock().getTime();
    const { earlyFlushCounts } = this.#limits;
    const before = this.#counts.size;
    this.#counts.add(call, at);
    if (call.code === 'invalid_client') this.#failures.add(call, at);
    else this.#rejections.add(call, at);
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
    const failures = this.#failures.takeAll();
    const { batchSize } = this.#limits;
    try {
      await storeInBatches(this.#options.database, counts, batchSize, storeUsage);
      await storeInBatches(this.#options.database, rejections, batchSize, storeRejections);
      await storeInBatches(this.#options.database, failures.counts, batchSize, storeFailures);
      await storeInBatches(this.#options.database, failures.rejections, batchSize, storeRejections);
    } catch (error) {
      this.#counts.putBack(counts);
      this.#rejections.putBack(rejections);
      this.#failures.putBack(failures);
      throw error;
    }
  }
}
