import {
  type AttributeType,
  employeeAttributes,
} from '../../../src/services/employees/employee-attributes.js';
import type { TestEmployee } from './tenant.js';

/** The attributes of an employee as the API shows them. */
export function attributesOf(employee: TestEmployee): Record<string, string | null> {
  return Object.fromEntries(
    employeeAttributes.map(({ name, member, type }) => [name, asText(employee[member] ?? null, type)]),
  );
}

/** Models have a `Date` for a date too. */
function asText(value: string | Date | null, type: AttributeType): string | null {
  if (!(value instanceof Date)) return value;
  return type === 'date' ? value.toISOString().slice(0, 10) : value.toISOString();
}
