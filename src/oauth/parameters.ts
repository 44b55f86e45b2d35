import { invalidParameter } from '../problems/problem.js';

/**
 * The value of a form parameter that the grant cannot do without.
 *
 * @throws {Problem} 400 `invalid_request` that names the parameter
 */
export function requireParameter(name: string, value: string | undefined): string {
  if (value === undefined) throw invalidParameter(name, 'is required');
  return value;
}
