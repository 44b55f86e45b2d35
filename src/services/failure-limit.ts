import type { Count, Counter } from './counters/counter.js';

/** An attempt to authenticate. */
export interface Attempt {
  /** Counter key of the origin, such as a network address. */
  readonly by: string;
  /** Counter key of the claimed identity, such as an e-mail address. */
  readonly of: string;
  /** Factor of the limit for {@link Attempt.of}. Default: 1. */
  readonly ofFactor?: number;
}

/** An attempt that must not be checked, because there were too many failures. */
export interface LimitReached {
  /** The key whose limit is reached. */
  readonly reached: 'by' | 'of';
  /** Seconds until the next attempt is checked; at least 1. */
  readonly retryAfterSeconds: number;
  /** Whether this is the first attempt in the window that this limit rejects. */
  readonly first: boolean;
}

/** Limits failed authentication attempts by origin and by identity. All processes share the counts. */
export class FailureLimit {
  readonly #counter: Counter;
  readonly #limit: number;

  /** @param limit failures in a minute; 0: no limit */
  constructor(counter: Counter, limit: number) {
    this.#counter = counter;
    this.#limit = limit;
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
  async count({ by, of, ofFactor = 1 }: Attempt): Promise<LimitReached | null> {
    if (this.#limit === 0) return null;
    return (
      reached('by', await this.#counter.add(by, 1), this.#limit) ??
      reached('of', await this.#counter.add(of, 1), this.#limit * ofFactor)
    );
  }

  /** Removes the failure of an attempt that succeeded. */
  async removeFailure({ by, of }: Attempt): Promise<void> {
    if (this.#limit === 0) return;
    await Promise.all([by, of].map((subject) => this.#counter.add(subject, -1)));
  }
}

function reached(which: 'by' | 'of', { total, resetMs }: Count, limit: number): LimitReached | null {
  if (total <= limit) return null;
  return {
    reached: which,
    retryAfterSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
    first: total === limit + 1,
  };
}
