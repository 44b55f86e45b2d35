import { createHash } from 'node:crypto';
import { type GivenValues, givenAttributes } from './employee-attributes.js';

/**
 * Hash of an employee's values, which identifies their version. The time of the last change does not: two changes may have the
 * same one.
 */
export function employeeVersion(employee: GivenValues): string {
  const values = givenAttributes.map(({ name, member }) => [name, employee[member]]);
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}
