import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { Problem } from '../problems/problem.js';

/** Whether an Accept header names exactly this media type; a wildcard does not count. */
export function namesMediaType({ accept = '' }: IncomingHttpHeaders, mediaType: string): boolean {
  return new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes(mediaType);
}

/** Whether an Accept header names HTML, and does not prefer a problem document. Browsers do. */
export function prefersHtml(headers: IncomingHttpHeaders): boolean {
  if (!namesMediaType(headers, 'text/html')) return false;
  const types = ['text/html', 'application/problem+json', 'application/json'];
  return new Negotiator({ headers }).mediaType(types) === 'text/html';
}

/** An encoding of static content. @see RFC 9110 section 8.4.1 */
export type ContentEncoding = 'br' | 'gzip' | 'identity';

/** The encodings of static content, smallest content first. */
const contentEncodings: readonly ContentEncoding[] = ['br', 'gzip', 'identity'];

/**
 * The encoding with the highest weight in the Accept-Encoding header; of several, the one with the smallest content. A
 * header that excludes every encoding is ignored.
 *
 * @see RFC 9110 section 12.5.3
 */
export function preferredEncoding(headers: IncomingHttpHeaders): ContentEncoding {
  // The type declarations lack the option.
  const negotiator = new Negotiator({ headers }) as unknown as {
    encoding(
      available: typeof contentEncodings,
      options: { preferred: typeof contentEncodings },
    ): ContentEncoding | undefined;
  };
  return negotiator.encoding(contentEncodings, { preferred: contentEncodings }) ?? 'identity';
}

/**
 * Rejects a request whose Accept header excludes the media type of the response. The most specific range that matches
 * decides. A header without a range allows every type.
 *
 * @param mediaType with the parameters that a range may name
 * @throws {Problem} 406 `not_acceptable`
 * @see RFC 9110 section 12.5.1
 */
export function requireAcceptable(
  { headers }: { readonly headers: IncomingHttpHeaders },
  mediaType: string,
): void {
  if (/^[\s,]*$/.test(headers.accept ?? '')) return;
  if (new Negotiator({ headers }).mediaType([mediaType]) !== undefined) return;
  const [type] = mediaType.split(';');
  throw new Problem('not_acceptable', `The response is ${type}, which the Accept header excludes.`, {
    headers: { vary: 'Accept' },
  });
}
