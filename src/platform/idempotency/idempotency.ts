import type { Database, Prisma } from '../database/client.js';
import { RowsLockedError } from '../database/database-errors.js';
import { ConcurrencyLimit } from '../limits/concurrency-limit.js';
import {
  claimKey,
  countKey,
  type IdempotentRequest,
  KeyInUseError,
  type StoredResponse,
  storeResponse,
  TooManyKeysError,
} from './key-claim.js';

export type IdempotentOutcome =
  | { readonly kind: 'completed'; readonly response: StoredResponse }
  /** `in_use`: a request with this key is still running; `reused`: the key belongs to a request with another payload. */
  | { readonly kind: 'in_use' | 'reused' }
  /** The application has reached its limit of keys. */
  | { readonly kind: 'too_many_keys'; readonly limit: number };

/** Maximum time, in milliseconds, that a request waits for others with a key. */
export const waitMs = 5_000;

/** Maximum time in milliseconds to wait for a transaction, and to run it. It includes the wait for the key. */
export const transactionLimits = limitsOf(waitMs);

function limitsOf(wait: number) {
  return { maxWait: wait, timeout: 3 * wait };
}

/** The parts of the transaction of a request. */
export interface IdempotentWork {
  /** Locks rows before the key, in the lock order of `src/platform/database/README.md`. */
  readonly prepare: (tx: Prisma.TransactionClient) => Promise<void>;
  /** Does the work of the request and returns its response. */
  readonly work: (tx: Prisma.TransactionClient) => Promise<StoredResponse>;
}

/** Concurrent requests of one application. Each one holds a connection, and a process has ten. */
const maxRunning = 3;

/** Maximum number of requests of one application in the queue. */
const defaultMaxWaiting = 100;

/**
 * Runs requests with an idempotency key. They are queued in memory: those with the same key run one after the other, and few of
 * one application at the same time. Duplicates that wait in the database would take all connections of the pool.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #maxKeys: number;
  readonly #maxWaiting: number;
  readonly #waitMs: number;
  readonly #queue = new ConcurrencyLimit(maxRunning);

  /**
   * @param maxKeys maximum number of keys of an application; 0: no limit
   * @param maxWaiting for tests; default: {@link defaultMaxWaiting}
   * @param wait milliseconds that a request waits for others, for tests; default: {@link waitMs}
   */
  constructor(
    database: Database,
    {
      maxKeys,
      maxWaiting = defaultMaxWaiting,
      wait = waitMs,
    }: { maxKeys: number; maxWaiting?: number; wait?: number | undefined },
  ) {
    this.#database = database;
    this.#maxKeys = maxKeys;
    this.#maxWaiting = maxWaiting;
    this.#waitMs = wait;
  }

  /**
   * Runs a request once for each key of an application and its user. A repeated request gets the stored response. One
   * transaction claims the key, does the work and stores the response. A request that fails stores no key.
   *
   * @throws {RowsLockedError} when requests with other keys of the application take longer than {@link waitMs}, or fill the queue
   */
  async respondOnce(request: IdempotentRequest, work: IdempotentWork): Promise<IdempotentOutcome> {
    const { applicationId, userId, key } = request;
    const limitMs = this.#waitMs;
    const deadline = performance.now() + limitMs;
    const exclusive = `${userId ?? ''} ${key}`;
    const rejection = () =>
      this.#queue.isRunning(applicationId, exclusive)
        ? new KeyInUseError()
        : new RowsLockedError('Requests with other idempotency keys of the application take too long');
    try {
      return await this.#queue.run(
        applicationId,
        { exclusive, waitMs: limitMs, maxWaiting: this.#maxWaiting, rejection },
        () =>
          this.#database.prisma.$transaction(
            (tx) => this.#respondIn(tx, request, deadline, work),
            limitsOf(limitMs),
          ),
      );
    } catch (error) {
      if (error instanceof KeyInUseError) return { kind: 'in_use' };
      if (error instanceof TooManyKeysError) return { kind: 'too_many_keys', limit: this.#maxKeys };
      throw error;
    }
  }

  async #respondIn(
    tx: Prisma.TransactionClient,
    request: IdempotentRequest,
    deadline: number,
    { prepare, work }: IdempotentWork,
  ): Promise<IdempotentOutcome> {
    await prepare(tx);
    const claim = await claimKey(tx, request, deadline - performance.now());
    if (claim.kind === 'completed' || claim.kind === 'reused') return claim;
    const response = await work(tx);
    await storeResponse(tx, request, response);
    if (claim.kind === 'new') await countKey(tx, request, this.#maxKeys);
    return { kind: 'completed', response };
  }
}
