import { RowsLockedError } from '../database/database-errors.js';
import { ConcurrencyLimit } from '../limits/concurrency-limit.js';
import { KeyInUseError } from './key-claim.js';

/** Concurrent requests of one application. Each one holds a connection, and a process has ten. */
const maxRunning = 3;

/** Maximum number of requests of one application in the queue. */
const maxWaiting = 100;

/**
 * Queues requests with an idempotency key in memory. Requests with the same key run one after the other, and few of one
 * application at the same time. Duplicates that wait in the database would take all connections of the pool.
 */
export class KeyQueue {
  readonly #limit = new ConcurrencyLimit(maxRunning);

  /**
   * Queues work and runs it.
   *
   * @param options.id the key and its user
   * @param options.waitMs maximum time in the queue, in milliseconds
   * @throws {KeyInUseError} when the timeout expires or the queue is full, and a request with the same key is running
   * @throws {RowsLockedError} when the timeout expires or the queue is full because of other keys of the application
   */
  run<Result>(
    { applicationId, id, waitMs }: { applicationId: string; id: string; waitMs: number },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const rejection = () =>
      this.#limit.isRunning(applicationId, id)
        ? new KeyInUseError()
        : new RowsLockedError('Requests with other idempotency keys of the application take too long');
    return this.#limit.run(applicationId, { exclusive: id, waitMs, maxWaiting, rejection }, work);
  }
}
