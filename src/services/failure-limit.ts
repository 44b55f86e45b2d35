import type { Count, Counter } from './counters/counter.js';

/** An attempt to prove who one is. */
export interface Attempt {
  /** Where it comes from. */
  readonly by: string;
  /** Who it says it is. */
  readonly of: string;
}

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
   * Counts a failure. Who counts before the attempt is judged, and gives it back when it was good, lets no number of
   * attempts at once slip through.
   *
   * What is refused because of who makes it does not count for whom it is made: one place could otherwise keep any number
   * of people out.
   *
   * @returns seconds until the next attempt may be judged; 0 when this one may
   */
  async count({ by, of }: Attempt): Promise<number> {
    if (this.#limit === 0) return 0;
    return this.#wait(await this.#counter.add(by, 1)) || this.#wait(await this.#counter.add(of, 1));
  }

  /** Takes a failure back: the attempt was good. */
  async giveBack({ by, of }: Attempt): Promise<void> {
    if (this.#limit === 0) return;
    await Promise.all([by, of].map((subject) => this.#counter.add(subject, -1)));
  }

  #wait({ total, resetMs }: Count): number {
    return total <= this.#limit ? 0 : Math.max(1, Math.ceil(resetMs / 1000));
  }
}
