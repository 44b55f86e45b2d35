import { customKey } from '../../../platform/contract/attribute-access.js';
import { ruleText } from '../../../platform/problems/rule-texts.js';
import type { EmployeeCheck } from '../../employees/index.js';
import { dateNames, describeInvalidDate, toDateFormat } from '../dates.js';
import type { CheckedEntry } from '../import-employees.js';
import { shorten } from './file-preview.js';
import type { FileMapping } from './upload-state.js';

/** The check, whose errors have the labels of the attributes, which the user has assigned to the columns. */
export function labelledCheck(check: EmployeeCheck, mapping: FileMapping): (value: unknown) => CheckedEntry {
  const { attributes, dateFormats } = mapping;
  const labels = new Map(check.attributes.map(({ name, label }) => [name, label]));
  const dates = dateNames(check.attributes);
  return (value) => {
    const checked = check.checkMembers(value);
    if (checked.errors === undefined) return checked;
    const described = checked.errors.map(({ member, violation }) => {
      const known = labels.get(member);
      const label = known ?? (member || 'The record');
      const isDate = dates.has(member) && violation.rule !== 'not_before_hire_date';
      const given = isDate ? (value as Record<string, unknown>)[member] : undefined;
      if (typeof given === 'string') {
        const format = toDateFormat(dateFormats[attributes.indexOf(member)]);
        const { cause, message } = describeInvalidDate(given, format);
        return { message: `${label}: ${message}`, cause: `${label} ${cause}` };
      }
      const removed = known === undefined ? describeRemoved(member, mapping) : undefined;
      if (removed !== undefined) return { message: removed, cause: removed };
      const message = `${label} ${ruleText(violation)}`;
      // The file chooses the names of unknown members.
      return { message, cause: known === undefined && member !== '' ? 'A member is unknown' : message };
    });
    return { errors: described.map(({ message }) => message), causes: described.map(({ cause }) => cause) };
  };
}

/** Characters of the name of a column in an error. */
const maximumColumnLength = 60;

/** The error of a value whose custom attribute the form for the columns still had; `undefined`: it had none with this name. */
function describeRemoved(
  member: string,
  { columns, attributes, fixedValues }: FileMapping,
): string | undefined {
  if (customKey(member) === undefined) return undefined;
  const column = attributes.indexOf(member);
  if (column === -1 && !Object.hasOwn(fixedValues, member)) return undefined;
  const value =
    column === -1 ? 'The value for all rows' : `“${shorten(columns[column] ?? '', maximumColumnLength)}”`;
  return `${value} is assigned to a custom attribute that was archived or deleted (${member}); change the columns`;
}
