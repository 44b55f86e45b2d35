import type { Clock } from '../../clock.js';
import type { Database, DatabaseLogger } from '../../database/client.js';
import type { ApiCall, CallingApplication } from './api-call.js';
import { type Identified, identifyApplications } from './identify-applications.js';
import { RecentRejections } from './recent-rejections.js';
import { storeRejections } from './store-rejections.js';
import { storeUsage } from './store-usage.js';
import { UsageCounts } from './usage-counts.js';

/** Milliseconds between two times that usage is stored. A process that is killed loses the counts of this time. */
export const usageIntervalMilliseconds = 10_000;

/** Counts from which they are stored before their time. */
const manyCounts = 2_000;

/** Counts in memory at most, about 10 MB: as many as come together while the database is away. */
const maximumCounts = 20_000;

/** Applications whose rejected requests are in memory at most. */
const maximumApplications = 1_000;

/** Rows that one statement stores: few enough that it is done in milliseconds. */
const batchSize = 1_000;

interface Options {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger?: Pick<DatabaseLogger, 'warn'> | undefined;
}

/**
 * Counts the calls of applications, and keeps the last ones that were rejected. Both are collected in memory and stored
 * together, because a statement for each request would cost more than most requests.
 *
 * What could not be stored is stored the next time. Where the connection is lost while the database commits, the calls of
 * one statement may be counted twice.
 */
export class UsageRecorder {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Options['logger'];
  readonly #counts = new UsageCounts(maximumCounts);
  readonly #rejections = new RecentRejections(maximumApplications);
  #flushed: Promise<void> = Promise.resolve();

  constructor({ database, clock, logger }: Options) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Takes note of a call. */
  record(call: ApiCall): void {
    const at = this.#clock().getTime();
    const before = this.#counts.size;
    this.#counts.add(call, at);
    this.#rejections.add(call, at);
    // At this size only: when the database is away, another attempt for each new count would make things worse.
    if (before === manyCounts - 1 && this.#counts.size === manyCounts) this.flush().catch(() => {});
  }

  /**
   * Stores everything that was recorded before.
   *
   * @throws when the database fails; everything is kept for the next time then
   */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.catch(() => {}).then(() => this.#store());
    return this.#flushed;
  }

  async #store(): Promise<void> {
    const dropped = this.#counts.takeDropped();
    if (dropped > 0) {
      this.#logger?.warn({ calls: dropped }, 'calls were not counted: the database was away for too long');
    }
    const counts = this.#counts.takeAll();
    const rejections = this.#rejections.takeAll();
    try {
      await storeInBatches(this.#database, counts, storeUsage);
      await storeInBatches(this.#database, rejections, storeRejections);
    } catch (error) {
      this.#counts.putBack(counts);
      this.#rejections.putBack(rejections);
      throw error;
    }
  }
}

/** Removes batches of calls from a list as they are stored, so that the list is what is left to do. */
async function storeInBatches<Call extends CallingApplication>(
  database: Database,
  calls: Call[],
  store: (database: Database, batch: readonly Identified<Call>[]) => Promise<void>,
): Promise<void> {
  while (calls.length > 0) {
    const identified = await identifyApplications(database, calls.slice(0, batchSize));
    if (identified.length > 0) await store(database, identified);
    calls.splice(0, batchSize);
  }
}
