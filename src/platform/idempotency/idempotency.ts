import type { Database, Prisma } from '../database/client.js';
import {
  claimKey,
  countKey,
  type IdempotentRequest,
  KeyInUseError,
  type StoredResponse,
  storeResponse,
  TooManyKeysError,
} from './key-claim.js';
import { KeyQueue } from './key-queue.js';

export type IdempotentOutcome =
  | { readonly kind: 'completed'; readonly response: StoredResponse }
  /** `in_use`: a request with this key is still running; `reused`: the key belongs to a request with another payload. */
  | { readonly kind: 'in_use' | 'reused' }
  /** The application has reached its limit of keys. */
  | { readonly kind: 'too_many_keys'; readonly limit: number };

/** Maximum time, in milliseconds, that a request waits for another one with the same key. */
export const waitMs = 5_000;

/** Maximum time in milliseconds to wait for a transaction, and to run it. It includes the wait for the key. */
export const transactionLimits = { maxWait: waitMs, timeout: 3 * waitMs };

/** The parts of the transaction of a request. */
export interface IdempotentWork {
  /** Locks rows before the key, in the lock order of `src/platform/database/README.md`. */
  readonly prepare: (tx: Prisma.TransactionClient) => Promise<void>;
  /** Does the work of the request and returns its response. */
  readonly work: (tx: Prisma.TransactionClient) => Promise<StoredResponse>;
}

/** Runs requests with an idempotency key. */
export class Idempotency {
  readonly #database: Database;
  readonly #maxKeys: number;
  readonly #queue = new KeyQueue();

  /** @param options.maxKeys maximum number of keys of an application; 0: no limit */
  constructor(database: Database, { maxKeys }: { maxKeys: number }) {
    this.#database = database;
    this.#maxKeys = maxKeys;
  }

  /**
   * Runs a request once for each key of an application and its user. A repeated request gets the stored response. One
   * transaction claims the key, does the work and stores the response. A request that fails stores no key.
   *
   * @throws {RowsLockedError} when other requests of the application take longer than {@link waitMs}
   */
  async respondOnce(request: IdempotentRequest, work: IdempotentWork): Promise<IdempotentOutcome> {
    const { applicationId, userId, key } = request;
    const deadline = performance.now() + waitMs;
    try {
      return await this.#queue.run({ applicationId, id: `${userId ?? ''} ${key}`, waitMs }, () =>
        this.#database.prisma.$transaction(
          (tx) => this.#respondIn(tx, request, deadline, work),
          transactionLimits,
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
