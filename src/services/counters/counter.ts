import { createHash } from 'node:crypto';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** Seconds in which whatever one subject does is counted together. */
export const windowSeconds = 60;

/** How limiters of the library count; they are not asked what is too much. */
export const counting = { points: 0, duration: windowSeconds } as const;

/** What a subject has come to in its current window. */
export interface Count {
  readonly total: number;
  /** Milliseconds until the window ends and counting begins again. */
  readonly resetMs: number;
}

/** Counts what subjects do, each in windows of {@link windowSeconds} that begin with the first that is counted. */
export interface Counter {
  /** Adds to a subject's count, or takes back from it when `points` is negative. */
  add(subject: string, points: number): Promise<Count>;
}

/** Counts with a limiter of the library, that is made with {@link counting}. */
export function toCounter(limiter: Pick<RateLimiterAbstract, 'penalty' | 'reward'>): Counter {
  return {
    async add(subject, points) {
      const key = keyFor(subject);
      const result = await (points < 0 ? limiter.reward(key, -points) : limiter.penalty(key, points));
      return { total: result.consumedPoints, resetMs: Math.max(0, result.msBeforeNext) };
    },
  };
}

/** A store need not hold addresses, nor e-mail addresses of people who mistyped them. */
function keyFor(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}
