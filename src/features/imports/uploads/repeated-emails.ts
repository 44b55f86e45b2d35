import type { EmployeeRecord } from '../../employees/index.js';

/** An e-mail address of more than one person. */
interface RepeatedEmail {
  readonly email: string;
  /** Employee numbers of two of them. */
  readonly numbers: readonly [string, string];
}

export interface RepeatedEmails {
  /** Number of addresses. */
  readonly count: number;
  readonly first: readonly RepeatedEmail[];
}

/** Addresses that are listed. */
const maximumListed = 10;

/** Finds e-mail addresses that more than one person has, in a file and among the stored employees. They are valid. */
export class EmailCheck {
  /** The first employee number of each address of the file. */
  readonly #numbers = new Map<string, string>();
  readonly #repeated = new Set<string>();
  #count: number;
  readonly #first: RepeatedEmail[];

  constructor({ count, first }: RepeatedEmails = { count: 0, first: [] }) {
    this.#count = count;
    this.#first = [...first];
  }

  get value(): RepeatedEmails {
    return { count: this.#count, first: this.#first };
  }

  /** Adds a record that an earlier run has checked. */
  skip(record: EmployeeRecord): void {
    const { email, other } = this.#other(record);
    if (other !== undefined) this.#repeated.add(email);
  }

  /** @param others numbers of stored employees who have the addresses of records, by the number of the record */
  add(records: readonly EmployeeRecord[], others: ReadonlyMap<string, string>): void {
    for (const record of records) {
      const { employeeNumber } = record;
      const { email, other = others.get(employeeNumber) } = this.#other(record);
      if (other === undefined || this.#repeated.has(email)) continue;
      this.#repeated.add(email);
      this.#count += 1;
      if (this.#first.length < maximumListed)
        this.#first.push({ email: record.email ?? '', numbers: [other, employeeNumber] });
    }
  }

  /** Another person with the address in the file so far. People without an address share none. */
  #other({ email: given = '', employeeNumber }: EmployeeRecord): {
    email: string;
    other: string | undefined;
  } {
    const email = given.toLowerCase();
    if (email === '') return { email, other: undefined };
    const first = this.#numbers.get(email);
    if (first === undefined) this.#numbers.set(email, employeeNumber);
    return { email, other: first === employeeNumber ? undefined : first };
  }
}
