/*
 * Own code, because p-limit 7 and p-queue 9 start work in the order of arrival: a request whose key is in use would delay
 * the requests with other keys behind it. Here it takes no slot until its key is free.
 */

import { RowsLockedError } from '../database/database-errors.js';
import { KeyInUseError } from './idempotent-request.js';

/** Concurrent requests of one application. Each one holds a connection, and a process has ten. */
const maxRunning = 3;

/** Maximum number of requests of one application in the queue. */
const maxWaiting = 100;

interface Waiter {
  readonly id: string;
  readonly start: () => void;
}

/**
 * Queues requests with an idempotency key in memory. Requests with the same key run one after the other, and few of one
 * application at the same time. Duplicates that wait in the database would take all connections of the pool.
 */
export class KeyQueue {
  readonly #applications = new Map<string, ApplicationQueue>();

  /**
   * Queues work and runs it.
   *
   * @param options.id the key and its user
   * @param options.waitMs maximum time in the queue, in milliseconds
   * @throws {KeyInUseError} when the timeout expires or the queue is full, and a request with the same key is running
   * @throws {RowsLockedError} when the timeout expires or the queue is full because of other keys of the application
   */
  async run<Result>(
    { applicationId, id, waitMs }: { applicationId: string; id: string; waitMs: number },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const queue = this.#applications.get(applicationId) ?? new ApplicationQueue();
    this.#applications.set(applicationId, queue);
    await queue.enter(id, waitMs);
    try {
      return await work();
    } finally {
      queue.leave(id);
      if (queue.isIdle) this.#applications.delete(applicationId);
    }
  }
}

class ApplicationQueue {
  readonly #running = new Set<string>();
  readonly #waiting = new Set<Waiter>();

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#waiting.size === 0;
  }

  async enter(id: string, waitMs: number): Promise<void> {
    if (this.#mayRun(id)) {
      this.#running.add(id);
      return;
    }
    if (this.#waiting.size >= maxWaiting) throw this.#busy(id);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(this.#busy(id));
      }, waitMs);
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const waiter: Waiter = { id, start };
      this.#waiting.add(waiter);
    });
  }

  leave(id: string): void {
    this.#running.delete(id);
    for (const waiter of this.#waiting) {
      if (!this.#mayRun(waiter.id)) continue;
      this.#waiting.delete(waiter);
      this.#running.add(waiter.id);
      waiter.start();
    }
  }

  #mayRun(id: string): boolean {
    return this.#running.size < maxRunning && !this.#running.has(id);
  }

  #busy(id: string): Error {
    return this.#running.has(id)
      ? new KeyInUseError()
      : new RowsLockedError('Requests with other idempotency keys of the application take too long');
  }
}
