import { dayMilliseconds } from '../clock.js';
import type { Database } from '../database/client.js';
import { networkOf, siteOf } from '../network/network-of-address.js';
import { type Count, type Counter, countInWindow, keyFor } from './counter.js';

export interface AuthenticationAttempt {
  /** Kind of attempt. Attempts of a kind are counted together for their origin. */
  readonly by: string;
  /** Network address of the origin. */
  readonly address: string;
  /** Counter key of the claimed identity, such as an e-mail address. */
  readonly of: string;
  /** Factor of the limit for {@link AuthenticationAttempt.of}. Default: 1. */
  readonly ofFactor?: number;
}

/** An attempt that must not be checked, because there were too many failures. */
export interface LimitReached {
  /** Whether the limit of the origin or of the claimed identity is reached. */
  readonly reached: 'by' | 'of';
  /** Seconds until the next attempt is checked; at least 1. */
  readonly retryAfterSeconds: number;
  /** Whether this is the first attempt in the window that this limit rejects. */
  readonly first: boolean;
}

/** Outcome of an attempt that was not checked. */
interface RateLimited {
  readonly kind: 'rate_limited';
  readonly retryAfterSeconds: number;
}

/** How an attempt is checked. */
interface AttemptCheck<Outcome> {
  readonly check: () => Promise<Outcome>;
  /** Whether the attempt succeeded, and does not count as a failure. */
  readonly succeeds: (outcome: Outcome) => boolean;
  /** Called for the first attempt in a window that a limit rejects: once, so that an attack does not fill the audit log. */
  readonly onFirst: (limit: LimitReached) => Promise<void>;
}

/** Factor of the limit for the /48 network of an IPv6 address, whose /64 networks one attacker may have. */
const siteFactor = 6;

/** Limits failed authentication attempts by origin and by identity. All processes share the counts. */
export class FailureLimit {
  readonly #counter: Counter;
  readonly #limit: number;

  /** @param limit failures in a minute; 0: no limit */
  constructor(counter: Counter, limit: number) {
    this.#counter = counter;
    this.#limit = limit;
  }

  /** Checks an attempt, unless there were too many failures. It stays counted as one when the check throws an error. */
  async run<Outcome>(
    attempt: AuthenticationAttempt,
    { check, succeeds, onFirst }: AttemptCheck<Outcome>,
  ): Promise<Outcome | RateLimited> {
    const limit = await this.count(attempt);
    if (limit !== null) {
      if (limit.first) await onFirst(limit);
      return { kind: 'rate_limited', retryAfterSeconds: limit.retryAfterSeconds };
    }
    const outcome = await check();
    if (succeeds(outcome)) await this.removeFailure(attempt);
    return outcome;
  }

  /**
   * Counts an attempt as a failure before it is checked, so that concurrent attempts cannot exceed the limit.
   * {@link removeFailure} removes it when the attempt succeeds.
   *
   * An attempt that is rejected because of its origin does not count for the identity. Otherwise one origin could lock out
   * any number of users.
   *
   * @returns `null` when the attempt may be checked
   */
  async count(attempt: AuthenticationAttempt): Promise<LimitReached | null> {
    if (this.#limit === 0) return null;
    for (const { key, which, factor } of countersOf(attempt)) {
      const limit = reached(which, await this.#counter.add(key, 1), this.#limit * factor);
      if (limit !== null) return limit;
    }
    return null;
  }

  /** Removes the failure of an attempt that succeeded. */
  async removeFailure(attempt: AuthenticationAttempt): Promise<void> {
    if (this.#limit === 0) return;
    await Promise.all(countersOf(attempt).map(({ key }) => this.#counter.add(key, -1)));
  }
}

/** The counters of an attempt, in the order in which they reject it. */
function countersOf({ by, address, of, ofFactor = 1 }: AuthenticationAttempt) {
  const site = siteOf(address);
  return [
    { key: `${by} ${networkOf(address)}`, which: 'by', factor: 1 } as const,
    ...(site === undefined ? [] : [{ key: `${by} ${site}`, which: 'by', factor: siteFactor } as const]),
    { key: of, which: 'of', factor: ofFactor } as const,
  ];
}

function reached(which: 'by' | 'of', { total, resetMs }: Count, limit: number): LimitReached | null {
  if (total <= limit) return null;
  return {
    reached: which,
    retryAfterSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
    first: total === limit + 1,
  };
}

/**
 * Failures of a user in a day, after which attempts are rejected. The limit for each minute alone would allow 14,400 guesses a
 * day: of the codes of an authenticator app, one in 25 days succeeds.
 *
 * @see NIST SP 800-63B-4 section 3.2.2
 */
const maximumFailuresInDay = 100;

/** Failures of a user that are counted for a day, which starts with the first one. */
interface DailyFailures {
  readonly kind: 'second factor' | 'reauthentication';
  readonly userId: string;
}

function dailyKeyOf({ kind, userId }: DailyFailures): string {
  return keyFor(`failures in a day ${kind} ${userId}`);
}

export async function countDailyFailure(
  prisma: Database['prisma'],
  failures: DailyFailures,
  at: Date,
): Promise<void> {
  await countInWindow(prisma, [dailyKeyOf(failures)], { milliseconds: dayMilliseconds, at });
}

/**
 * Time until another attempt of the user is accepted.
 *
 * @returns seconds, at least 1; `null` when the limit is not reached
 */
export async function secondsUntilAccepted(
  prisma: Database['prisma'],
  failures: DailyFailures,
  at: Date,
): Promise<number | null> {
  const count = await prisma.failureCount.findUnique({ where: { key: dailyKeyOf(failures) } });
  if (count === null || count.points < maximumFailuresInDay) return null;
  const milliseconds = Number(count.expire) - at.getTime();
  return milliseconds <= 0 ? null : Math.ceil(milliseconds / 1000);
}
