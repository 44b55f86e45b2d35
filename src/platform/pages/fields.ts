import { isStorableText, normalizeNfc } from '../contract/outside-text.js';
import { invalidParameter } from '../problems/invalid-request.js';
import { recordNotFound } from '../problems/problem.js';
import { violation } from '../problems/rule-texts.js';

/** The lines of a text, without the spaces around them. */
export function lines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.trim());
}

/** The lines of a text that are not blank. */
export function filledLines(text: string): string[] {
  return lines(text).filter((line) => line !== '');
}

/** A stored value as {@link Fields} reads it from a form: trimmed and normalized, which stored values need not be. */
export function asSubmitted(stored: string): string {
  return normalizeNfc(stored.trim());
}

/** Whether a field was submitted as it is stored. */
export function isUnchanged(submitted: string, stored: string): boolean {
  return submitted === asSubmitted(stored);
}

/**
 * The fields of a form or of a query. Fields are read by name; all others are ignored.
 */
export class Fields {
  readonly #source: Readonly<Record<string, unknown>>;

  constructor(source: unknown) {
    this.#source = typeof source === 'object' && source !== null ? (source as Record<string, unknown>) : {};
  }

  /**
   * The value of a field, trimmed and in Unicode normalization form C; empty when it is missing.
   *
   * @throws {Problem} 400 `invalid_request` when the field is repeated or contains control characters
   */
  text(name: string): string {
    const [value = '', ...more] = this.list(name);
    if (more.length > 0) throw invalidParameter(name, violation('not_repeated'));
    return normalizeNfc(value);
  }

  /**
   * The value of a field as it was entered, for passwords; empty when it is missing or repeated, or cannot be stored.
   */
  secret(name: string): string {
    const value = Object.hasOwn(this.#source, name) ? this.#source[name] : undefined;
    return isStorableText(value) ? value : '';
  }

  /** Names and values of all fields, in their order; a repeated field has several. */
  entries(): (readonly [string, string])[] {
    return Object.entries(this.#source).flatMap(([name, value]) =>
      [value].flat().map((item) => [name, String(item)] as const),
    );
  }

  /**
   * All values of a field that may be repeated, trimmed.
   *
   * @throws {Problem} 400 `invalid_request` when a value contains control characters
   */
  list(name: string): string[] {
    const value = Object.hasOwn(this.#source, name) ? this.#source[name] : undefined;
    if (value === undefined) return [];
    return [value].flat().map((item) => {
      if (!isStorableText(item)) throw invalidParameter(name, violation('plain_text'));
      return item.trim();
    });
  }
}

/** Whether text has the form of a record id. */
export function isRecordId(text: string): boolean {
  return /^[a-z0-9]{1,64}$/.test(text);
}

/**
 * The id of a record in the path.
 *
 * @throws {Problem} 404 `not_found` when no record can have it
 */
export function requestedId({ parameter }: { parameter(name: string): string }, name = 'id'): string {
  const id = parameter(name);
  if (!isRecordId(id)) throw recordNotFound();
  return id;
}
