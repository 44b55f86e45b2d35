import { composeText, isStorableText } from '../contract/storable-text.js';
import { invalidParameter } from '../problems/problem.js';

/**
 * The fields of a form or of a query. They are read one by one, by name: what a browser sends besides them has
 * no effect.
 */
export class Fields {
  readonly #source: Readonly<Record<string, unknown>>;

  constructor(source: unknown) {
    this.#source = typeof source === 'object' && source !== null ? (source as Record<string, unknown>) : {};
  }

  /**
   * The value of a field without the space around it, in Unicode's composed form; empty when it was omitted.
   *
   * @throws {Problem} 400 `invalid_request` when it was sent twice or cannot be stored
   */
  text(name: string): string {
    const [value = '', ...more] = this.list(name);
    if (more.length > 0) throw invalidParameter(name, 'must be sent once only');
    return composeText(value);
  }

  /**
   * Every value of a field that may be sent more than once, without the space around it.
   *
   * @throws {Problem} 400 `invalid_request` when one cannot be stored
   */
  list(name: string): string[] {
    const value = Object.hasOwn(this.#source, name) ? this.#source[name] : undefined;
    if (value === undefined) return [];
    return [value].flat().map((item) => {
      if (!isStorableText(item)) throw invalidParameter(name, 'must be text without control characters');
      return item.trim();
    });
  }
}
