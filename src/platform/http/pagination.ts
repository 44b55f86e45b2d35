import type { components } from '../contract/generated.js';
import { invalidParameter } from '../problems/invalid-request.js';
import { violation } from '../problems/rule-texts.js';
import { fingerprintOf, readCursor, writeCursor } from './cursor.js';
import { defaultPageSize } from './page-size.js';

export type PageLinks = components['schemas']['PageLinks'];

/** Query parameters of every list. */
export interface PageQuery {
  'page[number]'?: number;
  'page[size]'?: number;
  'page[after]'?: string;
}

/** Cursor and links to other pages in a response. */
export interface PageLocations {
  /** Value of `page[after]` for the next page; `null` on the last page. */
  readonly nextCursor: string | null;
  readonly links: PageLinks;
}

/**
 * The requested page of a list, by number or by the cursor in `page[after]`. A cursor contains the number and the size of
 * its page, so both parameters may be omitted.
 */
export class PageRequest<Anchor> {
  readonly number: number;
  readonly size: number;
  readonly anchor: Anchor | undefined;
  /** URL of the list with all query parameters except those of pagination. */
  readonly #address: string;
  readonly #fingerprint: string;

  /**
   * @param isAnchor whether the content of a cursor is an anchor of this list
   * @throws {Problem} 400 `invalid_request` when `page[after]` is not a cursor of this list, or contradicts another
   *   parameter
   */
  constructor(
    query: PageQuery,
    { baseUrl, url }: { baseUrl: string; url: string },
    isAnchor: (value: unknown) => value is Anchor,
  ) {
    const { 'page[number]': number, 'page[size]': size, 'page[after]': after } = query;
    const queryStart = url.includes('?') ? url.indexOf('?') : url.length;
    const path = url.slice(0, queryStart);
    const others = otherParameters(url.slice(queryStart));
    this.#address = `${baseUrl}${path}?${writeQuery(others)}`;
    this.#fingerprint = fingerprintOf(path, others);
    const cursor = after === undefined ? undefined : readCursor(after, this.#fingerprint, isAnchor);
    this.number = number ?? cursor?.number ?? 1;
    this.size = size ?? cursor?.size ?? defaultPageSize;
    this.anchor = cursor?.anchor;
    if (cursor === undefined) return;
    if (this.number !== cursor.number)
      throw invalidParameter('page[after]', violation('cursor_number', { number: cursor.number }));
    if (this.size !== cursor.size)
      throw invalidParameter('page[after]', violation('cursor_size', { size: cursor.size }));
  }

  /** Number of records on the previous pages. */
  get skip(): number {
    return (this.number - 1) * this.size;
  }

  /** Start of the page, as services expect it. */
  get from(): { readonly anchor: Anchor } | { readonly skip: number } {
    return this.anchor === undefined ? { skip: this.skip } : { anchor: this.anchor };
  }

  /**
   * The cursor of the next page and the URLs of other pages, which keep all other query parameters.
   *
   * @param nextAnchor start of the next page; `null` when there is none
   */
  locate(recordCount: number, nextAnchor: Anchor | null): PageLocations {
    const lastNumber = Math.max(1, Math.ceil(recordCount / this.size));
    const next = { number: this.number + 1, size: this.size };
    const nextCursor =
      nextAnchor === null ? null : writeCursor({ ...next, anchor: nextAnchor }, this.#fingerprint);
    return {
      nextCursor,
      links: {
        first: this.#link(1),
        prev: this.number > 1 ? this.#link(Math.min(this.number - 1, lastNumber)) : null,
        next: nextCursor === null ? null : `${this.#link(next.number)}&page%5Bafter%5D=${nextCursor}`,
        last: this.#link(lastNumber),
      },
    };
  }

  #link(number: number): string {
    return `${this.#address}page%5Bnumber%5D=${number}&page%5Bsize%5D=${this.size}`;
  }
}

function otherParameters(search: string): URLSearchParams {
  const others = new URLSearchParams(search);
  for (const name of ['page[number]', 'page[size]', 'page[after]']) others.delete(name);
  return others;
}

/** Query string with a trailing `&`. JSON:API requires `%20` instead of the `+` of forms. */
function writeQuery(parameters: URLSearchParams): string {
  return parameters.size === 0 ? '' : `${parameters.toString().replaceAll('+', '%20')}&`;
}
