import { customName } from '../../../platform/contract/attribute-access.js';
import {
  type CustomValue,
  type Employee,
  type EmployeeRecord,
  formatCustomValue,
  fullName,
  givenAttributes,
  type RecordMember,
  valuesToChange,
} from '../../employees/index.js';
import { shorten } from './file-preview.js';
import { type NewStatuses, StatusCheck } from './new-statuses.js';
import { EmailCheck, type RepeatedEmails } from './repeated-emails.js';

/** Errors with the same cause. A line with several errors counts for each. */
export interface ErrorCause {
  readonly cause: string;
  readonly count: number;
  /** The first lines. */
  readonly lines: readonly number[];
}

/** A value of an employee that a record changes. */
export interface ValueChange {
  readonly employeeNumber: string;
  /** The stored name. */
  readonly name: string;
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Numbers of employees of an import that was undone. */
export interface UndoneImport {
  /** The import had created them. */
  readonly deleted: number;
  /** They have the values from before the import. */
  readonly restored: number;
  /** They were changed since, and are unchanged by undoing. */
  readonly kept: number;
  /** They are restored except for the manager, who was deleted since or would lead to a cycle. */
  readonly managersKept: number;
}

/** What a check or an import has found, for its page. Stored with the progress; empty before the first batch. */
export interface Findings {
  /** In the order of the file. */
  readonly causes?: readonly ErrorCause[];
  /** Errors of other causes than these. */
  readonly otherErrors?: number;
  /** The first changes of a check. */
  readonly changes?: readonly ValueChange[];
  /** E-mail addresses of more than one person. Found by a check, and kept by the import. */
  readonly emails?: RepeatedEmails;
  /** Statuses that were new for the account. Found by a check, and kept by the import. */
  readonly statuses?: NewStatuses;
  /** Set when the import was undone. */
  readonly undone?: UndoneImport;
}

/** Causes that are counted. Most files have fewer than ten. */
const maximumCauses = 100;

const maximumCauseLength = 200;

/** Lines that are stored of a cause. */
const maximumLines = 5;

const maximumChanges = 10;

/** Collects the findings of a run that starts, or continues after those of an earlier one. */
export class FindingsCollector {
  readonly #causes: Map<string, ErrorCause>;
  #otherErrors: number;
  readonly #changes: ValueChange[];
  readonly emails: EmailCheck;
  readonly statuses: StatusCheck;
  readonly #labels: ReadonlyMap<string, string>;

  /** @param attributes those of the records */
  constructor(
    { causes = [], otherErrors = 0, changes = [], emails, statuses }: Findings,
    attributes: readonly RecordMember[],
  ) {
    this.#labels = new Map(attributes.map(({ name, label }) => [name, label]));
    this.#causes = new Map(causes.map((each) => [each.cause, each]));
    this.#otherErrors = otherErrors;
    this.#changes = [...changes];
    this.emails = new EmailCheck(emails);
    this.statuses = new StatusCheck(statuses);
  }

  get value(): Findings {
    return {
      causes: [...this.#causes.values()],
      otherErrors: this.#otherErrors,
      changes: this.#changes,
      emails: this.emails.value,
      statuses: this.statuses.value,
    };
  }

  get needsChanges(): boolean {
    return this.#changes.length < maximumChanges;
  }

  /** @param stored the employees that have the numbers of the records, before the change */
  addChanges(records: readonly EmployeeRecord[], stored: readonly Employee[]): void {
    const byNumber = new Map(stored.map((employee) => [employee.employeeNumber, employee]));
    for (const record of records) {
      if (!this.needsChanges) return;
      const employee = byNumber.get(record.employeeNumber);
      if (employee === undefined) continue;
      const { employeeNumber } = employee;
      const earlier = valuesToChange(employee, record);
      const name = fullName(employee);
      const changes: ValueChange[] = givenAttributes.flatMap(({ label, member }) => {
        if (member === 'employeeNumber' || earlier[member] === undefined) return [];
        const after = record[member] ?? null;
        return [{ employeeNumber, name, label, before: earlier[member], after }];
      });
      for (const [key, before] of Object.entries(earlier.custom ?? {})) {
        const label = this.#labels.get(customName(key)) ?? key;
        const after = record.custom?.[key] ?? null;
        changes.push({ employeeNumber, name, label, before: customText(before), after: customText(after) });
      }
      this.#changes.push(...changes.slice(0, maximumChanges - this.#changes.length));
    }
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

/** Characters of a value of a custom attribute that is listed. */
const maximumValueLength = 200;

function customText(value: CustomValue | null): string | null {
  return value === null ? null : shorten(formatCustomValue(value), maximumValueLength);
}
