import { createHash } from 'node:crypto';
import { RateLimiterPrisma, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../database/client.js';

/** Seconds in which failures are counted together. */
const windowSeconds = 60;

/**
 * Counts failed attempts to prove who one is, by whoever makes them and for whomever; all processes count
 * together.
 */
export class FailureLimit {
  readonly #limiter: RateLimiterPrisma | null;
  readonly #limit: number;

  /** @param limit failures that are allowed in a minute; 0 allows any number */
  constructor(database: Database, limit: number) {
    this.#limit = limit;
    this.#limiter =
      limit === 0
        ? null
        : new RateLimiterPrisma({
            storeClient: database.prisma,
            tableName: 'failureCount',
            keyPrefix: '',
            points: limit,
            duration: windowSeconds,
            // Pruning is done with that of all other tables.
            clearExpiredByTimeout: false,
          });
  }

  /** Seconds until one of these may try again; 0 when each may try now. */
  async retryAfterSeconds(subjects: readonly string[]): Promise<number> {
    const limiter = this.#limiter;
    if (limiter === null) return 0;
    const counts = await Promise.all(subjects.map((subject) => limiter.get(keyFor(subject))));
    return Math.max(0, ...counts.map((count) => this.#wait(count)));
  }

  /** Counts a failure of each of these. */
  async record(subjects: readonly string[]): Promise<void> {
    const limiter = this.#limiter;
    if (limiter === null) return;
    await Promise.all(subjects.map((subject) => limiter.penalty(keyFor(subject), 1)));
  }

  #wait(count: RateLimiterRes | null): number {
    if (count === null || count.consumedPoints < this.#limit) return 0;
    return Math.max(1, Math.ceil(count.msBeforeNext / 1000));
  }
}

/** The table need not hold e-mail addresses of people who mistyped them. */
function keyFor(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
