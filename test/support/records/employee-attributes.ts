import {
  type AttributeType,
  type AttributeValues,
  employeeAttributes,
} from '../../../src/features/employees/employee-attributes.js';

/** An employee that a test creates, or that a model reads. Models have a `Date` for a date. */
type AnyEmployee = { readonly [Member in keyof AttributeValues]?: AttributeValues[Member] | Date };

/** The attributes of an employee as the API shows them. */
export function attributesOf(employee: AnyEmployee): Record<string, string | null> {
  return Object.fromEntries(
    employeeAttributes.map(({ name, member, type }) => [name, asText(employee[member] ?? null, type)]),
  );
}

function asText(value: string | Date | null, type: AttributeType): string | null {
  if (!(value instanceof Date)) return value;
  return type === 'date' ? value.toISOString().slice(0, 10) : value.toISOString();
}
