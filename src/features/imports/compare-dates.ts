import { isDateText, isObject, isStorableText } from '../../platform/contract/outside-text.js';
import { ruleText, violation } from '../../platform/problems/rule-texts.js';
import type { Employee } from '../employees/index.js';
import type { Entry } from './lines.js';

/** A record with one of the two dates. The other one stays as it is stored. */
interface SingleDate {
  readonly number: string;
  readonly hired?: string;
  readonly terminated?: string;
}

/**
 * Rejects records whose termination date would be before the hire date of the stored employee, or the other way round. A record
 * with both dates is compared when it is checked.
 *
 * @param read reads the employees with these numbers; called once for a batch that has such records
 */
export async function* compareWithStoredDates(
  entries: AsyncIterable<readonly Entry[]>,
  read: (numbers: readonly string[]) => Promise<readonly Employee[]>,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for await (const batch of entries) {
    const singles = batch.map(singleDate);
    const numbers = singles.flatMap((single) => (single === undefined ? [] : [single.number]));
    const stored = new Map(
      (numbers.length === 0 ? [] : await read(numbers)).map((employee) => [
        employee.employeeNumber,
        employee,
      ]),
    );
    yield batch.map((entry, index) => {
      const single = singles[index];
      const employee = single && stored.get(single.number);
      if (single === undefined || employee === undefined) return entry;
      const { hired = employee.hireDate, terminated = employee.terminationDate } = single;
      if (hired === null || terminated === null || terminated >= hired) return entry;
      const { line, source = '' } = entry;
      return { line, source, error: storedDatesError };
    });
  }
}

const storedDatesError = `the termination date ${ruleText(violation('not_before_hire_date'))} (one of them is stored)`;

function singleDate({ value }: Entry): SingleDate | undefined {
  if (!isObject(value)) return undefined;
  const { employee_number: number, hire_date: hired, termination_date: terminated } = value;
  if (typeof number !== 'string' || (hired === undefined) === (terminated === undefined)) return undefined;
  const date = typeof hired === 'string' ? hired : terminated;
  const text = typeof date === 'string' ? date.trim() : '';
  // Other errors are found by the check.
  if (!isDateText(text) || !isStorableText(number)) return undefined;
  return { number: number.trim(), ...(hired === undefined ? { terminated: text } : { hired: text }) };
}
