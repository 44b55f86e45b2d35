import type { EmployeeRecord } from '../employees/index.js';

/** Maximum number of lines of a file in a batch. */
export interface BatchLines {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** Records that are stored in one transaction. Of several records with the same number, the last value of each attribute counts. */
export class EmployeeBatch {
  readonly #rows = new Map<string, EmployeeRecord>();
  #lines: BatchLines = { first: 0, last: 0, count: 0 };

  get rows(): EmployeeRecord[] {
    return [...this.#rows.values()];
  }

  get lines(): BatchLines {
    return this.#lines;
  }

  /** Number of records that were replaced by a later one. */
  get superseded(): number {
    return this.#lines.count - this.#rows.size;
  }

  add(line: number, employee: EmployeeRecord): void {
    const { first, count } = this.#lines;
    this.#lines = { first: count === 0 ? line : first, last: line, count: count + 1 };
    const earlier = this.#rows.get(employee.employeeNumber);
    this.#rows.set(employee.employeeNumber, { ...earlier, ...employee });
  }
}
