import { type Contract, type Operation, resolve } from '../../../src/platform/contract/contract.js';
import { type DocumentedResponse, type Example, rawOperation } from '../reference/nodes.js';

/** The parts of the response that a sample prints. */
export type Result =
  /** The status: the response has no content. */
  | { readonly kind: 'status' }
  /** The content, which is not JSON. */
  | { readonly kind: 'text' }
  /** Members of the JSON document, each by its path. */
  | { readonly kind: 'members'; readonly paths: readonly (readonly string[])[] }
  /**
   * Members of each record of a list. The next page is at `links.next`, which is `null` on the last page, or in a feed
   * always a URL: then `meta.has_more` is false.
   */
  | {
      readonly kind: 'records';
      readonly members: readonly string[];
      readonly pages: 'links' | 'feed' | null;
    }
  /** The URL itself, which a browser opens. */
  | { readonly kind: 'url' };

interface Document {
  readonly data?: object | readonly object[];
  readonly links?: object;
  readonly meta?: object;
}

/** Selects the output, by the first example of the success response. */
export function resultOf(contract: Contract, operation: Operation): Result {
  if (operation.responses.has(302)) return { kind: 'url' };
  const { document } = contract;
  const { responses } = rawOperation(contract, operation);
  const [status = '', given] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const { content = {} } = resolve<DocumentedResponse>(document, given);
  const [mediaType, { examples = {} }] = Object.entries(content)[0] ?? ['', {}];
  if (mediaType === '') return { kind: 'status' };
  if (mediaType !== 'application/json') return { kind: 'text' };
  const value = resolve<Example>(document, Object.values(examples)[0]).value as Document;
  // A record in a collection, and not a part of the record that the path names.
  const isNew = status === '201' && !operation.path.includes('{');
  return printed(value, isNew);
}

function printed(value: Document, isNew: boolean): Result {
  const { data, links = {}, meta = {} } = value;
  if (Array.isArray(data)) {
    const members = ['id', descriptive(data[0] ?? {})];
    if (!('next' in links)) return { kind: 'records', members, pages: null };
    return { kind: 'records', members, pages: 'has_more' in meta ? 'feed' : 'links' };
  }
  if (data === undefined) {
    const [first] = Object.keys(value);
    return first === undefined ? { kind: 'status' } : { kind: 'members', paths: [[first]] };
  }
  const member = isNew ? 'id' : descriptive(data);
  // It is shown once only.
  const secret = 'secret' in meta ? [['meta', 'secret']] : [];
  return { kind: 'members', paths: [['data', member], ...secret] };
}

function descriptive(record: object): string {
  return 'attributes' in record ? 'attributes' : 'type';
}
