import type { Count, Counter } from './counters/counter.js';

/** An attempt to prove who one is. */
export interface Attempt {
  /** Where it comes from. */
  readonly by: string;
  /** Who it claims to come from. */
  readonly of: string;
  /** How many times the limit may fail in the name of {@link Attempt.of}; by default once. */
  readonly ofFactor?: number;
}

/** An attempt must not be judged: there were too many failures. */
export interface LimitReached {
  /** The count that is full. */
  readonly reached: 'by' | 'of';
  /** Until the next attempt may be judged; at least 1. */
  readonly retryAfterSeconds: number;
  /** Whether no attempt was rejected because of this count before, in its current window. */
  readonly first: boolean;
}

/** Counts failed attempts to prove who one is, by origin and by name; all processes count together. */
export class FailureLimit {
  readonly #counter: Counter;
  readonly #limit: number;

  /** @param limit failures that are allowed in a minute; 0 allows any number */
  constructor(counter: Counter, limit: number) {
    this.#counter = counter;
    this.#limit = limit;
  }

  /**
   * Counts a failure. An attempt is counted before it is judged, and the failure taken back when it succeeds, so that
   * no number of concurrent attempts exceeds the limit.
   *
   * An attempt that is rejected because of its origin does not count for the name: otherwise one place could lock out any
   * number of people.
   *
   * @returns `null` when this attempt may be judged
   */
  async count({ by, of, ofFactor = 1 }: Attempt): Promise<LimitReached | null> {
    if (this.#limit === 0) return null;
    return (
      reached('by', await this.#counter.add(by, 1), this.#limit) ??
      reached('of', await this.#counter.add(of, 1), this.#limit * ofFactor)
    );
  }

  /** Takes a failure back: the attempt succeeded. */
  async giveBack({ by, of }: Attempt): Promise<void> {
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
