import { hash } from 'node:crypto';
import type { EmployeeRecord, UpsertCounts } from '../../employees/index.js';

/**
 * The records that a check has read in earlier batches. They are not stored, so that the database does not report that a later
 * record has the employee number of one of them.
 */
export class EarlierRecords {
  /** Hashes, because the records of a file take more memory. */
  readonly #hashes = new Map<string, string>();

  add(record: EmployeeRecord): void {
    this.#hashes.set(record.employeeNumber, hash('sha256', JSON.stringify(record), 'base64'));
  }

  /**
   * Adds the records of a batch.
   *
   * @returns those with a new employee number, and what an import would do with the others
   */
  addBatch(records: readonly EmployeeRecord[]): {
    first: EmployeeRecord[];
    repeated: Pick<UpsertCounts, 'updated' | 'unchanged'>;
  } {
    const first: EmployeeRecord[] = [];
    const repeated = { updated: 0, unchanged: 0 };
    for (const record of records) {
      const earlier = this.#hashes.get(record.employeeNumber);
      this.add(record);
      if (earlier === undefined) first.push(record);
      else if (earlier === this.#hashes.get(record.employeeNumber)) repeated.unchanged += 1;
      else repeated.updated += 1;
    }
    return { first, repeated };
  }
}
