/** Lets only so many pieces of work be under way at the same time; the others begin in the order in which they came. */
export class Turns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Has work wait for its turn, which comes with {@link begin} at the earliest. {@link done} must tell of its end. */
  add(work: () => void): void {
    this.#waiting.push(work);
  }

  /** Begins as much as may be under way. */
  begin(): void {
    while (this.#underWay < this.#atOnce) {
      const work = this.#waiting.shift();
      if (work === undefined) return;
      this.#underWay += 1;
      work();
    }
  }

  /** Something that had begun has ended. */
  done(): void {
    this.#underWay -= 1;
    this.begin();
  }
}
