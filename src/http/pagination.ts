import { hash } from 'node:crypto';
import type { components } from '../contract/generated.js';
import { invalidParameter } from '../problems/problem.js';

export type PageLinks = components['schemas']['PageLinks'];

/** Query parameters of every list, after the contract's defaults were filled in. */
export interface PageQuery {
  'page[number]'?: number;
  'page[size]'?: number;
  'page[after]'?: string;
}

/**
 * Where in a list a request is. A marker in `page[after]` counts only for the very page that it was issued
 * for: with another number, size, filter or order the page is found by its number.
 */
export class PageRequest<Anchor> {
  readonly number: number;
  readonly size: number;
  readonly anchor: Anchor | undefined;
  /** Address of the list with the query parameters that are not about pages. */
  readonly #address: string;
  readonly #fingerprint: string;

  /**
   * @param isAnchor tells whether what a marker holds is an anchor of this list
   * @throws {Problem} 400 `invalid_request` when `page[after]` is not a marker of this service
   */
  constructor(
    query: PageQuery,
    { baseUrl, url }: { baseUrl: string; url: string },
    isAnchor: (value: unknown) => value is Anchor,
  ) {
    const { 'page[number]': number, 'page[size]': size, 'page[after]': after } = query;
    if (number === undefined || size === undefined) throw new Error('The contract gives no default page');
    this.number = number;
    this.size = size;
    const queryStart = url.includes('?') ? url.indexOf('?') : url.length;
    const others = otherParameters(url.slice(queryStart));
    this.#address = `${baseUrl}${url.slice(0, queryStart)}?${writeQuery(others)}`;
    this.#fingerprint = fingerprint(size, others);
    this.anchor = after === undefined ? undefined : this.#readMarker(after, isAnchor);
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
   * Addresses of the pages around this one; every other query parameter is kept.
   *
   * @param nextAnchor where the next page begins; `null` when there is none
   */
  links(recordCount: number, nextAnchor: Anchor | null): PageLinks {
    const lastNumber = Math.max(1, Math.ceil(recordCount / this.size));
    return {
      first: this.#link(1),
      prev: this.number > 1 ? this.#link(Math.min(this.number - 1, lastNumber)) : null,
      next: nextAnchor !== null ? this.#link(this.number + 1, nextAnchor) : null,
      last: this.#link(lastNumber),
    };
  }

  #link(number: number, anchor?: Anchor): string {
    const page = `${this.#address}page%5Bnumber%5D=${number}&page%5Bsize%5D=${this.size}`;
    return anchor === undefined ? page : `${page}&page%5Bafter%5D=${this.#writeMarker(number, anchor)}`;
  }

  #writeMarker(number: number, anchor: Anchor): string {
    return Buffer.from(JSON.stringify([number, this.#fingerprint, anchor])).toString('base64url');
  }

  #readMarker(marker: string, isAnchor: (value: unknown) => value is Anchor): Anchor | undefined {
    const content = parseJson(Buffer.from(marker, 'base64url').toString('utf8'));
    if (!Array.isArray(content) || content.length !== 3 || !isAnchor(content[2])) {
      throw invalidParameter('page[after]', 'must be a marker taken from links.next, unchanged');
    }
    const [number, fingerprint, anchor] = content;
    return number === this.number && fingerprint === this.#fingerprint ? anchor : undefined;
  }
}

function otherParameters(search: string): URLSearchParams {
  const parameters = new URLSearchParams(search);
  for (const name of ['page[number]', 'page[size]', 'page[after]']) parameters.delete(name);
  return parameters;
}

/** To be followed by further parameters. JSON:API asks for %20 rather than the + of forms. */
function writeQuery(parameters: URLSearchParams): string {
  return parameters.size === 0 ? '' : `${parameters.toString().replaceAll('+', '%20')}&`;
}

/** Stands for everything that decides which record follows which. */
function fingerprint(size: number, others: URLSearchParams): string {
  const sorted = new URLSearchParams(others);
  sorted.sort();
  return hash('sha256', `${size}?${sorted}`, 'base64url').slice(0, 8);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
