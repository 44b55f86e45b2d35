import { invalidParameter } from '../platform/problems/invalid-request.js';
import { violation } from '../platform/problems/rule-texts.js';

/**
 * Value of a required form parameter.
 *
 * @throws {Problem} 400 `invalid_request` when it is missing
 */
export function requireParameter(name: string, value: string | undefined): string {
  if (value === undefined) throw invalidParameter(name, violation('required'));
  return value;
}
