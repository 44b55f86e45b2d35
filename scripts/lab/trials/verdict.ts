import type { Options } from './options.js';

export type Trial = (settings: Omit<Options, 'chosen'> & { verdict: Verdict }) => Promise<void>;

/** Maximum number of kinds of violations that are shown with an example; the others are counted. */
const shown = 10;

/** The result of a trial: notes, and guarantees that hold or are violated. */
export class Verdict {
  readonly #lines: string[] = [];
  readonly #violations = new Map<string, { count: number; example: string }>();
  readonly #timesDecide: boolean;

  /** @param settings timesDecide: whether a missed time is a violation */
  constructor({ timesDecide }: { timesDecide: boolean }) {
    this.#timesDecide = timesDecide;
  }

  /** Adds a measurement. */
  note(line: string): void {
    this.#lines.push(line);
  }

  /** Adds a violation of a guarantee. Violations of one kind are counted together. */
  violation(kind: string, example: unknown = ''): void {
    const known = this.#violations.get(kind);
    if (known === undefined)
      this.#violations.set(kind, { count: 1, example: String(example).slice(0, 1500) });
    else known.count += 1;
  }

  /** Adds a guarantee, and whether it holds. */
  check(text: string, holds: boolean): void {
    this.note(`${holds ? 'pass  ' : 'FAIL  '} ${text}`);
    if (!holds) this.violation(text);
  }

  /**
   * Does the same for a time, or a value that depends on it. In the short form, which runs on busy machines, it is a note.
   */
  checkTime(text: string, holds: boolean): void {
    if (this.#timesDecide) this.check(text, holds);
    else this.note(`${holds ? 'pass  ' : 'missed'} ${text}`);
  }

  get failed(): boolean {
    return this.#violations.size > 0;
  }

  toString(): string {
    const violations = [...this.#violations].map(
      ([kind, { count, example }]) => `VIOLATION  ${count} x ${kind}${example && `\n       ${example}`}`,
    );
    const rest =
      violations.length > shown ? [`… and ${violations.length - shown} other kinds of violations`] : [];
    return [...this.#lines, ...violations.slice(0, shown), ...rest].map((line) => `  ${line}\n`).join('');
  }
}
