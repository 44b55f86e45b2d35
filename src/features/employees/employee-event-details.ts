import { customName } from '../../platform/contract/attribute-access.js';
import { customValue, formatCustomValue } from './custom-values.js';
import type { Employee } from './employee.js';
import { type GivenAttribute, type GivenValues, givenAttributes } from './employee-attributes.js';

/** An employee of an audit event. */
type EventEmployee = GivenValues & Pick<Employee, 'id' | 'custom'>;

type Details = Readonly<Record<string, string>>;

/** Between the value before a change and the one after it, in the details of its event. */
export const valuesSeparator = ' → ';

/** No value, in the details of an event. */
export const absentValue = '–';

/** The details of the event that an employee was created, with all values. */
export function createdDetails(employee: EventEmployee): Details {
  const values = givenAttributes.flatMap(({ name, member }) => {
    const value = employee[member];
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  const custom = Object.entries(employee.custom).map(([key, value]) => [
    customName(key),
    formatCustomValue(value),
  ]);
  return { employee: employee.id, ...Object.fromEntries([...values, ...custom]) };
}

type CustomHolder = Pick<Employee, 'custom'>;

/** The values of custom attributes before and after a change, for the details of its event. */
export function customDetails(before: CustomHolder, after: CustomHolder, keys: readonly string[]): Details {
  const text = ({ custom }: CustomHolder, key: string) => {
    const value = customValue(custom, key);
    return value === undefined ? absentValue : formatCustomValue(value);
  };
  return Object.fromEntries(
    keys.map((key) => [customName(key), [text(before, key), text(after, key)].join(valuesSeparator)]),
  );
}

/** The details of the event that attributes of an employee were changed, with their values before and after. */
export function updatedDetails(
  before: EventEmployee,
  after: GivenValues,
  changed: readonly GivenAttribute[],
): Details {
  const values = changed.map(({ name, member }) => [
    name,
    [before[member] || absentValue, after[member] || absentValue].join(valuesSeparator),
  ]);
  const identity = { employee: before.id, employee_number: before.employeeNumber };
  return { ...identity, ...Object.fromEntries(values) };
}
