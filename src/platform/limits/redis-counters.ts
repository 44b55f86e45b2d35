import { createClient } from '@redis/client';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { inTime } from '../clock.js';
import type { Logger } from '../logger.js';
import { type Counter, type Counters, counting, createMemoryCounter, toCounter } from './counter.js';

/** Maximum delay between two attempts to reconnect, in milliseconds. */
const maximumRetryMs = 1000;

/** Maximum time that the start waits for Redis, in milliseconds. */
const openTimeoutMs = 1000;

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
  readonly logger: Logger;
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
  readonly #client;
  readonly #logger: Logger;
  #pausedUntil = 0;
  #unavailable = false;
  #closed = false;

  constructor({ url, prefix, logger }: Settings) {
    this.#logger = logger;
    this.#client = createClient({
      url,
      // Commands fail at once while the client is not connected.
      disableOfflineQueue: true,
      // Detects a server that accepts commands and does not respond: `socketTimeout` closes the connection.
      pingInterval: 2000,
      socket: {
        connectTimeout: 2000,
        socketTimeout: 4000,
        reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, maximumRetryMs),
      },
    });
    this.#client.on('error', (error: Error) => this.#noteFailure(error));
    this.#client.on('ready', () => {
      this.#pausedUntil = 0;
      this.#noteSuccess();
    });
    this.failures = this.#insured(`${prefix}failures`);
    this.requests = this.#insured(`${prefix}requests`);
  }

  async open(): Promise<void> {
    // The `error` event reports a failure. The client connects in the background after the time.
    await inTime(this.#client.connect(), openTimeoutMs).catch(() => undefined);
  }

  /** Closes the connection. Pending commands fail. */
  close(): void {
    this.#closed = true;
    this.#client.destroy();
  }

  #insured(keyPrefix: string): Counter {
    const limiter = new RateLimiterRedis({
      storeClient: this.#client,
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
          const count = await inTime(shared.add(subject, points), commandTimeoutMs);
          this.#noteSuccess();
          return count;
        } catch (error) {
          if (this.#client.isReady) this.#pausedUntil = performance.now() + pauseMs;
          this.#noteFailure(error as Error);
          return own.add(subject, points);
        }
      },
    };
  }

  /** Logs the first failure after a success. */
  #noteFailure(error: Error): void {
    if (this.#unavailable || this.#closed) return;
    this.#unavailable = true;
    // The other properties of the error may contain the URL with its password.
    const reason = error.message;
    this.#logger.warn({ reason }, 'Redis is not available: each process counts in memory');
  }

  #noteSuccess(): void {
    if (!this.#unavailable) return;
    this.#unavailable = false;
    this.#logger.info({}, 'Redis is available again: processes share their counts');
  }
}
