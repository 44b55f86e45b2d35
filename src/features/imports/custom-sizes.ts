import { ruleText, violation } from '../../platform/problems/rule-texts.js';
import {
  customBytes,
  type Employee,
  type EmployeeRecord,
  maximumStoredBytes,
  withCustomChanges,
} from '../employees/index.js';

/** The error of a record that {@link findTooLarge} finds. */
export const tooLargeError = `the custom attributes with those that are stored ${ruleText(
  violation('maximum_bytes', { maximum: maximumStoredBytes }),
)}`;

/**
 * Finds the records after which an employee would have too many values of custom attributes. The database would reject the whole
 * batch for them, without a line.
 *
 * @param rows no two with the same employee number
 * @param read reads the employees with these numbers; called once, if any record adds or changes a value
 * @returns their employee numbers
 */
export async function findTooLarge(
  rows: readonly EmployeeRecord[],
  read: (numbers: readonly string[]) => Promise<readonly Employee[]>,
): Promise<ReadonlySet<string>> {
  const given = rows.filter(({ custom = {} }) => Object.values(custom).some((value) => value !== null));
  if (given.length === 0) return new Set();
  const stored = new Map(
    (await read(given.map(({ employeeNumber }) => employeeNumber))).map((employee) => [
      employee.employeeNumber,
      employee.custom,
    ]),
  );
  const isTooLarge = ({ employeeNumber, custom }: EmployeeRecord) =>
    customBytes(withCustomChanges(stored.get(employeeNumber) ?? {}, custom)) > maximumStoredBytes;
  return new Set(given.filter(isTooLarge).map(({ employeeNumber }) => employeeNumber));
}
