import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import { Problem } from '../problems/problem.js';

/** Whether an Accept header names exactly this media type; a wildcard does not count. */
export function namesMediaType({ accept = '' }: IncomingHttpHeaders, mediaType: string): boolean {
  return new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes(mediaType);
}

/** Whether the Accept-Encoding header prefers gzip to no encoding. @see RFC 9110 section 12.5.3 */
export function prefersGzip(headers: IncomingHttpHeaders): boolean {
  return new Negotiator({ headers }).encoding(['gzip', 'identity']) === 'gzip';
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
