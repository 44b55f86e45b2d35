/** Faults that are shown in full; the rest are counted. */
const shown = 10;

/** What a trial found: lines for people, and guarantees that were kept or broken. */
export class Verdict {
  #lines = [];
  #faults = new Map();
  #timesDecide;

  /** @param {{ timesDecide: boolean }} how whether a time that was missed breaks the trial */
  constructor({ timesDecide }) {
    this.#timesDecide = timesDecide;
  }

  /** Something that was measured or counted. */
  say(line) {
    this.#lines.push(line);
  }

  /** A guarantee is broken. Faults of one kind are counted together. */
  fault(kind, example = '') {
    const known = this.#faults.get(kind);
    if (known === undefined) this.#faults.set(kind, { count: 1, example: String(example).slice(0, 1500) });
    else known.count += 1;
  }

  /** A guarantee with a number: says it, and whether it holds. */
  bar(text, holds) {
    this.#lines.push(`${holds ? 'kept  ' : 'BROKEN'} ${text}`);
    if (!holds) this.fault(text);
  }

  /**
   * The same about a time, or what follows from it. A short form runs where nobody knows what else the machine does:
   * there it is told and decides nothing.
   */
  time(text, holds) {
    if (this.#timesDecide) this.bar(text, holds);
    else this.#lines.push(`${holds ? 'kept  ' : 'missed'} ${text}`);
  }

  get broken() {
    return this.#faults.size > 0;
  }

  toString() {
    const faults = [...this.#faults].map(
      ([kind, { count, example }]) =>
        `FAULT  ${count} x ${kind}${example === '' ? '' : `\n       ${example}`}`,
    );
    const rest = faults.length > shown ? [`… and ${faults.length - shown} other kinds of faults`] : [];
    return [...this.#lines, ...faults.slice(0, shown), ...rest].map((line) => `  ${line}\n`).join('');
  }
}
