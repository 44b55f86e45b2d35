/*
 * Own code, because no library for Node.js 20 removes a caller from its queue when the client disconnects or a timeout
 * expires, and keeps the slot of running work: p-limit 7 and async-mutex 0.5 do not remove a caller, p-queue 8 removes it
 * only when a slot becomes free, and p-queue 9 also frees the slot of running work, so that two run with a limit of 1.
 */

/** How a caller is queued. */
interface QueueOptions {
  /** Removes the caller from the queue when it aborts. Default: never. */
  readonly signal?: AbortSignal;
  /** Maximum time to wait for a slot, in milliseconds. Default: no limit. */
  readonly waitMs?: number;
  /** Callers that may wait for the key, with this one. Default: any number. */
  readonly maxWaiting?: number;
  /** Origins take turns, so that one with many callers does not delay the others. Default: the same for all callers. */
  readonly origin?: string;
  /** Work with the same name runs one after the other, and takes no slot while it waits for this. */
  readonly exclusive?: string;
  /** Creates the error for a caller that waited too long, or is rejected because the queue is full. */
  readonly rejection?: () => Error;
}

interface Slots {
  used: number;
  /** Names of exclusive work in progress. */
  readonly running: Set<string>;
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

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Acquires a slot of a key.
   *
   * @returns function that releases the slot; must be called once
   * @throws the error of `rejection` when no slot becomes free within `waitMs`, or more than `maxWaiting` callers wait, and no
   *   other origin has more of them
   * @throws the reason of the signal when it aborts first
   */
  async acquire(key: string, options: QueueOptions = {}): Promise<() => void> {
    const { signal, exclusive } = options;
    signal?.throwIfAborted();
    const slots = this.#keys.get(key) ?? { used: 0, running: new Set(), queue: new FairQueue() };
    this.#keys.set(key, slots);
    if (slots.used < this.#slotsPerKey && !isBlocked(exclusive, slots.running)) {
      slots.used += 1;
      if (exclusive !== undefined) slots.running.add(exclusive);
    } else await waitInQueue(slots.queue, options);
    return () => this.#release(key, slots, exclusive);
  }

  /** Runs work in a slot of a key. Throws like {@link acquire}. */
  async run<Result>(key: string, options: QueueOptions, work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(key, options);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Whether exclusive work with the name is in progress. */
  isRunning(key: string, exclusive: string): boolean {
    return this.#keys.get(key)?.running.has(exclusive) ?? false;
  }

  #release(key: string, slots: Slots, exclusive: string | undefined): void {
    if (exclusive !== undefined) slots.running.delete(exclusive);
    const next = slots.queue.next(slots.running);
    // The slot stays used, so that a later caller cannot take it before the next one in the queue.
    if (next === undefined) slots.used -= 1;
    else {
      if (next.exclusive !== undefined) slots.running.add(next.exclusive);
      next.enter();
    }
    if (slots.used === 0) this.#keys.delete(key);
  }
}

/** Whether exclusive work must wait for other work with its name. */
function isBlocked(exclusive: string | undefined, running: ReadonlySet<string>): boolean {
  return exclusive !== undefined && running.has(exclusive);
}

interface Waiter {
  readonly exclusive: string | undefined;
  readonly enter: () => void;
  /** Rejects the caller with the error of its `rejection`. */
  readonly reject: () => void;
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

  next(running: ReadonlySet<string>): Waiter | undefined {
    for (const [origin, waiters] of this.#origins) {
      // A queue can be long: without exclusive work only the first one is read.
      for (const waiter of waiters) {
        if (isBlocked(waiter.exclusive, running)) continue;
        this.#origins.delete(origin);
        this.#origins.set(origin, waiters);
        return waiter;
      }
    }
    return undefined;
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
  {
    signal,
    waitMs,
    maxWaiting,
    origin = '',
    exclusive,
    rejection = () => new Error('No slot is free'),
  }: QueueOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      queue.remove(origin, waiter);
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const waiter: Waiter = {
      exclusive,
      enter: () => {
        leave();
        resolve();
      },
      reject: () => {
        leave();
        reject(rejection());
      },
    };
    const abort = () => {
      leave();
      reject(signal?.reason);
    };
    const timer = waitMs === undefined ? undefined : setTimeout(waiter.reject, waitMs);
    signal?.addEventListener('abort', abort);
    queue.add(origin, waiter);
    if (maxWaiting !== undefined && queue.length > maxWaiting) queue.surplus(origin)?.reject();
  });
}
