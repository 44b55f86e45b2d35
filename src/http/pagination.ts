import { hash } from 'node:crypto';
import type { components } from '../contract/generated.js';
import { invalidParameter, type Problem } from '../problems/problem.js';

export type PageLinks = components['schemas']['PageLinks'];

/** Query parameters of every list. */
export interface PageQuery {
  'page[number]'?: number;
  'page[size]'?: number;
  'page[after]'?: string;
}

/** A page of a list, as a cursor names it. */
interface CursorContent<Anchor> {
  readonly number: number;
  readonly size: number;
  readonly anchor: Anchor;
}

/** What a response says of the pages around the one that it has. */
export interface PageLocations {
  /** Value of `page[after]` for the next page; `null` on the last page. */
  readonly nextCursor: string | null;
  readonly links: PageLinks;
}

/** Records of a page when a request names neither a size nor a cursor. */
export const defaultPageSize = 50;

const malformedCursor = 'must be a cursor taken from meta.next_cursor, unchanged';

/**
 * Which page of a list a request is for: by number, or by the cursor in `page[after]`. A cursor holds the number and the
 * size of its page, so that both parameters may be omitted.
 */
export class PageRequest<Anchor> {
  readonly number: number;
  readonly size: number;
  readonly anchor: Anchor | undefined;
  /** Address of the list with the query parameters that are not about pages. */
  readonly #address: string;
  readonly #fingerprint: string;

  /**
   * @param isAnchor whether the content of a cursor is an anchor of this list
   * @throws {Problem} 400 `invalid_request` when `page[after]` is not a cursor of this service, or contradicts another
   *   parameter
   */
  constructor(
    query: PageQuery,
    { baseUrl, url }: { baseUrl: string; url: string },
    isAnchor: (value: unknown) => value is Anchor,
  ) {
    const { 'page[number]': number, 'page[size]': size, 'page[after]': after } = query;
    const queryStart = url.includes('?') ? url.indexOf('?') : url.length;
    const others = otherParameters(url.slice(queryStart));
    this.#address = `${baseUrl}${url.slice(0, queryStart)}?${writeQuery(others)}`;
    this.#fingerprint = fingerprint(others);
    const cursor = after === undefined ? undefined : this.#readCursor(after, isAnchor);
    this.number = number ?? cursor?.number ?? 1;
    this.size = size ?? cursor?.size ?? defaultPageSize;
    this.anchor = cursor?.anchor;
    if (cursor !== undefined) this.#checkAgainst(cursor);
  }

  /** Number of records on the pages before. */
  get skip(): number {
    return (this.number - 1) * this.size;
  }

  /** Where the page begins, as services take it. */
  get from(): { readonly anchor: Anchor } | { readonly skip: number } {
    return this.anchor === undefined ? { skip: this.skip } : { anchor: this.anchor };
  }

  /**
   * The cursor of the next page, and the addresses of the pages around this one, which keep every other query parameter.
   *
   * @param nextAnchor where the next page begins; `null` when there is none
   */
  locate(recordCount: number, nextAnchor: Anchor | null): PageLocations {
    const lastNumber = Math.max(1, Math.ceil(recordCount / this.size));
    const next = this.number + 1;
    const nextCursor = nextAnchor === null ? null : this.#writeCursor(next, nextAnchor);
    return {
      nextCursor,
      links: {
        first: this.#link(1),
        prev: this.number > 1 ? this.#link(Math.min(this.number - 1, lastNumber)) : null,
        next: nextCursor === null ? null : `${this.#link(next)}&page%5Bafter%5D=${nextCursor}`,
        last: this.#link(lastNumber),
      },
    };
  }

  #link(number: number): string {
    return `${this.#address}page%5Bnumber%5D=${number}&page%5Bsize%5D=${this.size}`;
  }

  #writeCursor(number: number, anchor: Anchor): string {
    return Buffer.from(JSON.stringify([number, this.size, this.#fingerprint, anchor])).toString('base64url');
  }

  #readCursor(text: string, isAnchor: (value: unknown) => value is Anchor): CursorContent<Anchor> {
    const content = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(content) || content.length !== 4) throw invalidCursor(malformedCursor);
    const [number, size, fingerprint, anchor] = content;
    if (!isPositiveInteger(number) || !isPositiveInteger(size)) throw invalidCursor(malformedCursor);
    if (fingerprint !== this.#fingerprint) {
      throw invalidCursor(
        'must be sent with the filters and the order of the request that it was issued for',
      );
    }
    if (!isAnchor(anchor)) throw invalidCursor(malformedCursor);
    return { number, size, anchor };
  }

  #checkAgainst({ number, size }: CursorContent<Anchor>): void {
    if (this.number !== number) throw invalidCursor(`is the cursor of page[number] ${number}`);
    if (this.size !== size) throw invalidCursor(`is the cursor of a page with page[size] ${size}`);
  }
}

function invalidCursor(rule: string): Problem {
  return invalidParameter('page[after]', rule);
}

function otherParameters(search: string): URLSearchParams {
  const others = new URLSearchParams(search);
  for (const name of ['page[number]', 'page[size]', 'page[after]']) others.delete(name);
  return others;
}

/** To be followed by further parameters. JSON:API asks for %20 rather than the + of forms. */
function writeQuery(parameters: URLSearchParams): string {
  return parameters.size === 0 ? '' : `${parameters.toString().replaceAll('+', '%20')}&`;
}

/** Stands for the filters and the order, which decide which record follows which. */
function fingerprint(others: URLSearchParams): string {
  const sorted = new URLSearchParams(others);
  sorted.sort();
  return hash('sha256', sorted.toString(), 'base64url').slice(0, 8);
}

/** Bounded so that the number of records on the pages before stays an exact integer of the database. */
function isPositiveInteger(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000_000;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
