import type { EmployeeRecord } from '../../employees/index.js';

/** A status that neither the contract nor the account has. */
interface NewStatus {
  readonly status: string;
  /** Number of rows. */
  readonly count: number;
}

export interface NewStatuses {
  /** In the order of the file. */
  readonly first: readonly NewStatus[];
  /** Number of rows with other new statuses than these. */
  readonly others: number;
}

/** Statuses that are listed. */
const maximumListed = 20;

/** Counts the statuses of a file that are new for the account. They are valid, but often a word for a known status. */
export class StatusCheck {
  readonly #counts: Map<string, number>;
  #others: number;

  constructor({ first, others }: NewStatuses = { first: [], others: 0 }) {
    this.#counts = new Map(first.map(({ status, count }) => [status, count]));
    this.#others = others;
  }

  get value(): NewStatuses {
    return {
      first: [...this.#counts].map(([status, count]) => ({ status, count })),
      others: this.#others,
    };
  }

  /** @param known the statuses before the import, in lower case */
  add(records: readonly EmployeeRecord[], known: ReadonlySet<string>): void {
    for (const { status } of records) {
      if (known.has(status.toLowerCase())) continue;
      const count = this.#counts.get(status) ?? 0;
      if (count === 0 && this.#counts.size >= maximumListed) this.#others += 1;
      else this.#counts.set(status, count + 1);
    }
  }
}
