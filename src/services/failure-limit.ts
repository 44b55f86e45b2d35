import type { Count, Counter } from './counters/counter.js';

/**
 * Counts failed attempts to prove who one is, by whoever makes them and for whomever; all processes count
 * together.
 */
export class FailureLimit {
  readonly #counter: Counter;
  readonly #limit: number;

  /** @param limit failures that are allowed in a minute; 0 allows any number */
  constructor(counter: Counter, limit: number) {
    this.#counter = counter;
    this.#limit = limit;
  }

  /**
   * Counts a failure of each of these. Who counts before the attempt is judged, and gives it back when it was
   * good, lets no number of attempts at once slip through.
   *
   * @returns seconds until the next attempt may be judged; 0 when this one may
   */
  async count(subjects: readonly string[]): Promise<number> {
    if (this.#limit === 0) return 0;
    const counts = await Promise.all(subjects.map((subject) => this.#counter.add(subject, 1)));
    return Math.max(0, ...counts.map((count) => this.#wait(count)));
  }

  /** Takes a failure back: the attempt was good. */
  async giveBack(subjects: readonly string[]): Promise<void> {
    if (this.#limit === 0) return;
    await Promise.all(subjects.map((subject) => this.#counter.add(subject, -1)));
  }

  #wait({ total, resetMs }: Count): number {
    return total <= this.#limit ? 0 : Math.max(1, Math.ceil(resetMs / 1000));
  }
}
