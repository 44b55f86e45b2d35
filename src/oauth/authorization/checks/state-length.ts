import { invalidParameter } from '../../../platform/problems/invalid-request.js';
import { violation } from '../../../platform/problems/rule-texts.js';

/** Maximum length of `state`, in bytes of UTF-8. */
const maximumBytes = 2048;

/**
 * Limits the bytes of `state`. The contract limits its characters, which a schema can count.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 */
export function stateLength(state: string): void {
  if (Buffer.byteLength(state) > maximumBytes) {
    throw invalidParameter('state', violation('maximum_bytes', { maximum: maximumBytes }));
  }
}
