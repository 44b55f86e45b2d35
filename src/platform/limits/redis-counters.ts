import { RateLimiterRedis } from 'rate-limiter-flexible';
import { type Counter, counting, toCounter } from './counter.js';
import type { Counters } from './counters.js';
import { createMemoryCounter } from './memory-counter.js';
import { type CounterLogger, RedisConnection } from './redis-connection.js';

/** Maximum time that a request waits for Redis, in milliseconds. */
const commandTimeoutMs = 500;

/**
 * Milliseconds without commands to Redis after a failure. A new connection ends the pause. It is longer than
 * `socketTimeout`, so that a connection without responses is closed meanwhile.
 */
const pauseMs = 5000;

interface Settings {
  readonly url: string;
  /** Prefix of the keys, so that several services can share one Redis. */
  readonly prefix: string;
  readonly logger: CounterLogger;
}

/**
 * Counts in Redis. While Redis is not available, each process counts in memory: requests neither fail nor wait, and limits
 * apply to each process.
 *
 * Own code, because the library's `RLWrapperTimeouts` with an `insuranceLimiter` waits for Redis with every request: at
 * 2,000 requests a second and a Redis that accepts commands and never responds, the longest wait is 9.7 seconds, here 0.5
 * seconds. It also does not report that it counts in memory.
 */
export class RedisCounters implements Counters {
  readonly failures: Counter;
  readonly requests: Counter;
  readonly #connection: RedisConnection;
  #pausedUntil = 0;

  constructor({ url, prefix, logger }: Settings) {
    const onReady = () => {
      this.#pausedUntil = 0;
    };
    this.#connection = new RedisConnection(url, { logger, onReady });
    this.failures = this.#insured(`${prefix}failures`);
    this.requests = this.#insured(`${prefix}requests`);
  }

  open(): Promise<void> {
    return this.#connection.open();
  }

  close(): void {
    this.#connection.close();
  }

  #insured(keyPrefix: string): Counter {
    const limiter = new RateLimiterRedis({
      storeClient: this.#connection.client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      keyPrefix,
      ...counting,
    });
    const shared = toCounter(limiter);
    const own = createMemoryCounter();
    return {
      add: async (subject, points) => {
        if (performance.now() < this.#pausedUntil) return own.add(subject, points);
        try {
          const count = await inTime(shared.add(subject, points));
          this.#connection.noteSuccess();
          return count;
        } catch (error) {
          if (this.#connection.client.isReady) this.#pausedUntil = performance.now() + pauseMs;
          this.#connection.noteFailure(error as Error);
          return own.add(subject, points);
        }
      },
    };
  }
}

/** @throws {Error} when the promise takes longer than {@link commandTimeoutMs} */
async function inTime<Value>(response: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`no response within ${commandTimeoutMs} ms`));
    // After a busy event loop, responses that have arrived are read first.
    timer = setTimeout(() => setImmediate(fail), commandTimeoutMs);
  });
  try {
    return await Promise.race([response, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
