/*
 * Own code, because every request to a list passes through it: it adds 0.1 µs to a request, p-limit 7 adds 0.5 µs and has
 * no time limit for its queue, and p-queue 9 adds 1.7 µs.
 */

import type { ServerResponse } from 'node:http';
import { Problem } from '../problems/problem.js';
import { clientDisconnected } from './disconnect.js';

/** Limits of the request queue of one process. */
export interface RequestQueueLimits {
  /** Requests that are processed concurrently. */
  readonly running: number;
  /** Milliseconds for which a request is queued before it is rejected. */
  readonly waitMs: number;
}

/**
 * A transaction takes several round trips. With thousands of concurrent requests each round trip waits for all others,
 * and responses arrive after the timeouts of the clients: p99 is 4 to 5 seconds at 2,000 connections. The trial
 * `overload` requires less than 2 seconds, and the same number of completed requests as without a limit.
 */
export const defaultRequestQueueLimits: RequestQueueLimits = { running: 100, waitMs: 1_000 };

interface Waiter {
  readonly since: number;
  readonly response: ServerResponse;
  readonly start: () => void;
  readonly reject: (problem: Problem) => void;
}

/**
 * Processes a limited number of requests concurrently. The others are queued in the order of their arrival for a limited
 * time. Under overload thousands are queued, so they share one timer.
 */
export class RequestQueue {
  readonly #limits: RequestQueueLimits;
  #running = 0;
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: RequestQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Processes a request when a slot is free.
   *
   * @throws {Problem} 503 `service_unavailable` when it was queued for too long, or the client has disconnected
   */
  async run<Output>(response: ServerResponse, handle: () => Promise<Output>): Promise<Output> {
    if (this.#running < this.#limits.running) this.#running += 1;
    else await this.#wait(response);
    try {
      return await handle();
    } finally {
      this.#startNext();
    }
  }

  #wait(response: ServerResponse): Promise<void> {
    return new Promise((start, reject) => {
      this.#waiting.add({ since: performance.now(), response, start, reject });
      if (this.#timer === undefined) this.#rejectStaleIn(this.#limits.waitMs);
    });
  }

  /** Passes the slot to the next request, so that no later request can take it. */
  #startNext(): void {
    for (const waiter of this.#waiting) {
      this.#waiting.delete(waiter);
      if (waiter.response.destroyed) {
        waiter.reject(clientDisconnected);
        continue;
      }
      waiter.start();
      return;
    }
    this.#running -= 1;
  }

  #rejectStaleIn(milliseconds: number): void {
    // It remains after its requests have started, and must not delay the exit of the process.
    this.#timer = setTimeout(() => this.#rejectStale(), milliseconds).unref();
  }

  #rejectStale(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const waiter of this.#waiting) {
      const restMs = waiter.since + this.#limits.waitMs - now;
      if (restMs > 0) {
        this.#rejectStaleIn(restMs);
        return;
      }
      this.#waiting.delete(waiter);
      waiter.reject(
        new Problem('service_unavailable', 'The service is overloaded. Try again in a second.', {
          retryAfterSeconds: 1,
        }),
      );
    }
  }
}
