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

  /**
   * Counts a failure of each of these. Who counts before the attempt is judged, and gives it back when it was
   * good, lets no number of attempts at once slip through.
   *
   * @returns seconds until the next attempt may be judged; 0 when this one may
   */
  async count(subjects: readonly string[]): Promise<number> {
    const limiter = this.#limiter;
    if (limiter === null) return 0;
    const counts = await Promise.all(subjects.map((subject) => limiter.penalty(keyFor(subject), 1)));
    return Math.max(0, ...counts.map((count) => this.#wait(count)));
  }

  /** Takes a failure back: the attempt was good. */
  async giveBack(subjects: readonly string[]): Promise<void> {
    const limiter = this.#limiter;
    if (limiter === null) return;
    await Promise.all(subjects.map((subject) => limiter.reward(keyFor(subject), 1)));
  }

  #wait({ consumedPoints, msBeforeNext }: RateLimiterRes): number {
    return consumedPoints <= this.#limit ? 0 : Math.max(1, Math.ceil(msBeforeNext / 1000));
  }
}

/** The table need not hold e-mail addresses of people who mistyped them. */
function keyFor(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
