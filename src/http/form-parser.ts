import { Problem } from '../problems/problem.js';

/**
 * Reads an `application/x-www-form-urlencoded` body. A parameter without a value counts as left out; one that
 * is sent twice becomes a list, which no schema of the contract accepts.
 *
 * @throws {Problem} 400 `invalid_request` when the body is not percent-encoded UTF-8
 * @see RFC 6749 section 3.2 and appendix B
 */
export function parseForm(text: string): Record<string, string | string[]> {
  try {
    decodeURIComponent(text);
  } catch {
    throw new Problem('invalid_request', 'The form body must be percent-encoded UTF-8.');
  }
  const form: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (value === '') continue;
    const earlier = form[name];
    form[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return form;
}
