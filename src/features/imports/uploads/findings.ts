import { shorten } from './file-preview.js';

/** Errors with the same cause. A line with several errors counts for each. */
export interface ErrorCause {
  readonly cause: string;
  readonly count: number;
  /** The first lines. */
  readonly lines: readonly number[];
}

/** What a check or an import has found, for its page. Stored with the progress; empty before the first batch. */
export interface Findings {
  /** In the order of the file. */
  readonly causes?: readonly ErrorCause[];
  /** Errors of other causes than these. */
  readonly otherErrors?: number;
}

/** Causes that are counted. Most files have fewer than ten. */
const maximumCauses = 100;

const maximumCauseLength = 200;

/** Lines that are stored of a cause. */
const maximumLines = 5;

/** Collects the findings of a run that starts, or continues after those of an earlier one. */
export class FindingsCollector {
  readonly #causes: Map<string, ErrorCause>;
  #otherErrors: number;

  constructor({ causes = [], otherErrors = 0 }: Findings) {
    this.#causes = new Map(causes.map((each) => [each.cause, each]));
    this.#otherErrors = otherErrors;
  }

  get value(): Findings {
    return { causes: [...this.#causes.values()], otherErrors: this.#otherErrors };
  }

  /** @param causes the errors of a line, without its values */
  addErrors(line: number, causes: readonly string[]): void {
    for (const text of causes) {
      const cause = shorten(text.replaceAll('\0', '\uFFFD'), maximumCauseLength);
      const { count, lines } = this.#causes.get(cause) ?? { count: 0, lines: [] };
      if (count === 0 && this.#causes.size >= maximumCauses) this.#otherErrors += 1;
      else
        this.#causes.set(cause, {
          cause,
          count: count + 1,
          lines: lines.length < maximumLines ? [...lines, line] : lines,
        });
    }
  }
}
