/*
 * Own code, because no library for Node.js 20 removes a caller from its queue when the client disconnects or a timeout
 * expires, and keeps the slot of running work: p-limit 7 and async-mutex 0.5 do not remove a caller, p-queue 8 removes it
 * only when a slot becomes free, and p-queue 9 also frees the slot of running work, so that two run with a limit of 1.
 */

/** No slot became free within the time limit of the queue. */
export class QueueTimeoutError extends Error {
  override readonly name = 'QueueTimeoutError';
}

export interface QueueOptions {
  /** Removes the caller from the queue when it aborts. */
  readonly signal: AbortSignal;
  /** Maximum time to wait for a slot, in milliseconds. */
  readonly waitMs: number;
}

interface Slots {
  used: number;
  /** Callers that wait, in the order of arrival. */
  readonly queue: Set<() => void>;
}

/**
 * Limits the concurrent work for each key, such as an account. Further callers are queued.
 */
export class ConcurrencyLimit {
  readonly #slotsPerKey: number;
  readonly #keys = new Map<string, Slots>();

  constructor(slotsPerKey: number) {
    this.#slotsPerKey = slotsPerKey;
  }

  /** Number of keys with work in progress. */
  get size(): number {
    return this.#keys.size;
  }

  /**
   * Acquires a slot of a key.
   *
   * @returns function that releases the slot; must be called once
   * @throws {QueueTimeoutError} when no slot becomes free within `waitMs`
   * @throws the reason of the signal when it aborts first
   */
  async acquire(key: string, { signal, waitMs }: QueueOptions): Promise<() => void> {
    signal.throwIfAborted();
    const slots = this.#keys.get(key) ?? { used: 0, queue: new Set() };
    this.#keys.set(key, slots);
    if (slots.used < this.#slotsPerKey) slots.used += 1;
    else await waitInQueue(slots.queue, signal, waitMs);
    return () => this.#release(key, slots);
  }

  #release(key: string, slots: Slots): void {
    const [next] = slots.queue;
    // The slot stays used, so that a later caller cannot take it before the next one in the queue.
    if (next !== undefined) next();
    else slots.used -= 1;
    if (slots.used === 0) this.#keys.delete(key);
  }
}

function waitInQueue(queue: Set<() => void>, signal: AbortSignal, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      queue.delete(enter);
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    const enter = () => {
      leave();
      resolve();
    };
    const abort = () => {
      leave();
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      leave();
      reject(new QueueTimeoutError('No slot became free in time'));
    }, waitMs);
    signal.addEventListener('abort', abort);
    queue.add(enter);
  });
}
