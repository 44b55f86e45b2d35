import { Problem } from '../problems/problem.js';

/** Name-value pairs of a form, which the contract states. The limit bounds the processing of a form of 64 KiB. */
export const maximumPairs = 100;

/**
 * Name-value pairs of a form of the pages for people. The form of an employee has two for each custom attribute, and one for each
 * choice.
 */
export const maximumPagePairs = 1_000;

/**
 * Parses an `application/x-www-form-urlencoded` body. A field with an empty value is omitted. A repeated field becomes
 * an array, which no schema of the contract accepts.
 *
 * @throws {Problem} 400 `invalid_request` when the body is not percent-encoded UTF-8 or has more pairs than the maximum
 * @see RFC 6749 section 3.2 and appendix B
 */
export function parseForm(text: string, maximum = maximumPairs): Record<string, string | string[]> {
  try {
    decodeURIComponent(text);
  } catch {
    throw new Problem('invalid_request', 'The form body must be percent-encoded UTF-8.');
  }
  const pairs = new URLSearchParams(text);
  if (pairs.size > maximum) {
    throw new Problem('invalid_request', `A form must have at most ${maximum} name-value pairs.`);
  }
  const form: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    if (value === '') continue;
    const previous = form[name];
    if (Array.isArray(previous)) previous.push(value);
    else form[name] = previous === undefined ? value : [previous, value];
  }
  return form;
}
