/*
 * Own code, because no library for Node.js 20 removes a caller from its queue when the client disconnects or a timeout
 * expires, and keeps the slot of running work: p-limit 7 and async-mutex 0.5 do not remove a caller, p-queue 8 removes it
 * only when a slot becomes free, and p-queue 9 also frees the slot of running work, so that two run with a limit of 1.
 */

/** No slot became free within the time limit of the queue. */
export class QueueTimeoutError extends Error {
  override readonly name = 'QueueTimeoutError';
}

/** The queue is full. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

export interface QueueOptions {
  /** Removes the caller from the queue when it aborts. */
  readonly signal: AbortSignal;
  /** Maximum time to wait for a slot, in milliseconds. */
  readonly waitMs: number;
  /** Callers that may wait for the key, with this one. Default: any number. */
  readonly maxWaiting?: number;
  /** Origins take turns, so that one with many callers does not delay the others. Default: the same for all callers. */
  readonly origin?: string;
}

interface Slots {
  used: number;
  readonly queue: FairQueue;
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
   * @throws {QueueFullError} when more than `maxWaiting` callers wait, and no other origin has more of them
   * @throws the reason of the signal when it aborts first
   */
  async acquire(key: string, options: QueueOptions): Promise<() => void> {
    options.signal.throwIfAborted();
    const slots = this.#keys.get(key) ?? { used: 0, queue: new FairQueue() };
    this.#keys.set(key, slots);
    if (slots.used < this.#slotsPerKey) slots.used += 1;
    else await waitInQueue(slots.queue, options);
    return () => this.#release(key, slots);
  }

  #release(key: string, slots: Slots): void {
    const next = slots.queue.next();
    // The slot stays used, so that a later caller cannot take it before the next one in the queue.
    if (next !== undefined) next.enter();
    else slots.used -= 1;
    if (slots.used === 0) this.#keys.delete(key);
  }
}

interface Waiter {
  readonly enter: () => void;
  readonly reject: (error: Error) => void;
}

/** Callers that wait: those of an origin in the order of arrival, and the origins in turn. */
class FairQueue {
  /** The origin whose turn is next is the first one. */
  readonly #origins = new Map<string, Set<Waiter>>();

  get length(): number {
    return [...this.#origins.values()].reduce((sum, { size }) => sum + size, 0);
  }

  add(origin: string, waiter: Waiter): void {
    const waiters = this.#origins.get(origin) ?? new Set();
    this.#origins.set(origin, waiters.add(waiter));
  }

  remove(origin: string, waiter: Waiter): void {
    const waiters = this.#origins.get(origin);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#origins.delete(origin);
  }

  next(): Waiter | undefined {
    const [turn] = this.#origins;
    if (turn === undefined) return undefined;
    const [origin, waiters] = turn;
    this.#origins.delete(origin);
    this.#origins.set(origin, waiters);
    // Only the first one is read: a queue can be long.
    const [first] = waiters;
    return first;
  }

  /** The last caller of the origin with the most callers; if several have the most, of the given one. */
  surplus(origin: string): Waiter | undefined {
    let most = this.#origins.get(origin) ?? new Set();
    for (const waiters of this.#origins.values()) if (waiters.size > most.size) most = waiters;
    return [...most].at(-1);
  }
}

function waitInQueue(
  queue: FairQueue,
  { signal, waitMs, maxWaiting = Number.POSITIVE_INFINITY, origin = '' }: QueueOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      queue.remove(origin, waiter);
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    const waiter: Waiter = {
      enter: () => {
        leave();
        resolve();
      },
      reject: (error) => {
        leave();
        reject(error);
      },
    };
    const abort = () => waiter.reject(signal.reason);
    const timer = setTimeout(
      () => waiter.reject(new QueueTimeoutError('No slot became free in time')),
      waitMs,
    );
    signal.addEventListener('abort', abort);
    queue.add(origin, waiter);
    if (queue.length > maxWaiting) queue.surplus(origin)?.reject(new QueueFullError('The queue is full'));
  });
}
