import { hash } from 'node:crypto';
import type { components } from '../contract/generated.js';
import { parseJson } from '../contract/outside-text.js';
import { invalidParameter } from '../problems/invalid-request.js';
import type { Problem } from '../problems/problem.js';
import { violation } from '../problems/rule-texts.js';

/** Records of a page when the request has neither a size nor a cursor. */
export const defaultPageSize = 50;

/** Maximum number of records of a page: of `page[size]` in the contract, and of the size in a cursor. */
export const maximumPageSize = 500;

// The page after this one is the last that `page[number]` can name.
const maximumNumber = 999_999_999;

/** Content of a cursor, which is base64url: number and size of the page, and the last record before it. */
interface Cursor<Anchor> {
  readonly number: number;
  readonly size: number;
  readonly anchor: Anchor;
}

/** Identifies the list that a cursor belongs to: path, filters and order. */
function fingerprintOf(path: string, parameters: URLSearchParams): string {
  const sorted = new URLSearchParams(parameters);
  sorted.sort();
  return hash('sha256', `${path}?${sorted}`, 'base64url').slice(0, 8);
}

/**
 * Reads `page[after]`.
 *
 * @param isAnchor whether the content of a cursor is an anchor of this list
 * @throws {Problem} 400 `invalid_request` when the value is not a cursor, or a cursor of another list
 */
function readCursor<Anchor>(
  text: string,
  fingerprint: string,
  isAnchor: (value: unknown) => value is Anchor,
): Cursor<Anchor> {
  const content = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(content) || content.length !== 4) throw malformedCursor();
  const [number, size, issuedFor, anchor] = content;
  if (!isBetween(number, 2, maximumNumber) || !isBetween(size, 1, maximumPageSize)) throw malformedCursor();
  if (issuedFor !== fingerprint) {
    throw invalidParameter('page[after]', violation('list_cursor'));
  }
  if (!isAnchor(anchor)) throw malformedCursor();
  return { number, size, anchor };
}

function malformedCursor(): Problem {
  return invalidParameter('page[after]', violation('page_cursor'));
}

function isBetween(value: unknown, minimum: number, maximum: number): value is number {
  return Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
}

/** One key of a sort order, as services expect it. */
interface SortKey<Key> {
  readonly key: Key;
  readonly descending: boolean;
}

/**
 * Reads a `sort` parameter that matches the pattern of the contract. Only the first occurrence of a repeated attribute
 * counts.
 *
 * @param keys attributes of the pattern, and their properties in services
 */
export function parseSort<Key>(
  sort: string | undefined,
  keys: Readonly<Record<string, Key>>,
): SortKey<Key>[] {
  const directions = new Map<string, boolean>();
  for (const part of sort?.split(',') ?? []) {
    const name = part.replace(/^-/, '');
    if (!directions.has(name)) directions.set(name, part.startsWith('-'));
  }
  return [...directions].map(([name, descending]) => {
    const key = keys[name];
    if (key === undefined)
      throw new Error(`The contract accepts sort=${name}, which is not in the list of keys`);
    return { key, descending };
  });
}

const latest = Date.UTC(10_000, 0, 1) - 1;

/**
 * Reads a `date-time` parameter that matches the format and pattern of the contract. An offset can move the last hours
 * of the year 9999 into the year 10000, which PostgreSQL cannot parse in the format of `toISOString`.
 */
export function parseTimestamp(text: string): Date {
  return new Date(Math.min(Date.parse(text), latest));
}

type PageLinks = components['schemas']['PageLinks'];

/** Query parameters of every list. */
interface PageQuery {
  'page[number]'?: number;
  'page[size]'?: number;
  'page[after]'?: string;
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

  get skip(): number {
    return (this.number - 1) * this.size;
  }

  /** Start of the page, as services expect it. */
  get from(): { readonly anchor: Anchor } | { readonly skip: number } {
    return this.anchor === undefined ? { skip: this.skip } : { anchor: this.anchor };
  }

  /**
   * The value of `page[after]` for the next page, and the URLs of other pages, which keep all other query parameters.
   *
   * @param nextAnchor start of the next page; `null` when there is none
   */
  locate(
    recordCount: number,
    nextAnchor: Anchor | null,
  ): { readonly nextCursor: string | null; readonly links: PageLinks } {
    const lastNumber = Math.max(1, Math.ceil(recordCount / this.size));
    const nextCursor = this.#nextCursor(nextAnchor);
    return {
      nextCursor,
      links: {
        first: this.#link(1),
        prev: this.number > 1 ? this.#link(Math.min(this.number - 1, lastNumber)) : null,
        next: nextCursor === null ? null : `${this.#link(this.number + 1)}&page%5Bafter%5D=${nextCursor}`,
        last: this.#link(lastNumber),
      },
    };
  }

  /** The same for a list that has no page numbers and is not counted. */
  locateNext(nextAnchor: Anchor | null): {
    readonly nextCursor: string | null;
    readonly links: { readonly next: string | null };
  } {
    const nextCursor = this.#nextCursor(nextAnchor);
    const size = `page%5Bsize%5D=${this.size}`;
    const next = nextCursor === null ? null : `${this.#address}${size}&page%5Bafter%5D=${nextCursor}`;
    return { nextCursor, links: { next } };
  }

  #nextCursor(nextAnchor: Anchor | null): string | null {
    if (nextAnchor === null) return null;
    const cursor = [this.number + 1, this.size, this.#fingerprint, nextAnchor];
    return Buffer.from(JSON.stringify(cursor)).toString('base64url');
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
