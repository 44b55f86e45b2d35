import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../problems/problem.js';

interface MediaRange {
  readonly name: string;
  readonly weight: number;
}

/** Whether an Accept header names exactly this media type; a wildcard does not count. */
export function accepts(header: string | undefined, mediaType: string): boolean {
  return readRanges(header).some(({ name, weight }) => name === mediaType && weight > 0);
}

/**
 * Rejects a request whose Accept header excludes the media type of the response.
 *
 * @throws {Problem} 406 `not_acceptable`
 */
export function requireAcceptable(
  { headers: { accept } }: { readonly headers: IncomingHttpHeaders },
  mediaType: string,
): void {
  if (isAcceptable(accept, mediaType)) return;
  throw new Problem('not_acceptable', `The response is ${mediaType}, which the Accept header excludes.`, {
    headers: { vary: 'Accept' },
  });
}

/**
 * Whether an Accept header allows a media type. The most specific range that matches decides. Without a header, or with
 * one that lists no range, every type is acceptable. Parameters of a range other than its weight are ignored.
 *
 * @see RFC 9110 section 12.5.1
 */
export function isAcceptable(header: string | undefined, mediaType: string): boolean {
  const ranges = readRanges(header).filter(({ name }) => name !== '');
  if (ranges.length === 0) return true;
  const [type] = mediaType.split('/');
  for (const name of [mediaType, `${type}/*`, '*/*']) {
    const matching = ranges.filter((range) => range.name === name);
    if (matching.length > 0) return matching.some(({ weight }) => weight > 0);
  }
  return false;
}

function readRanges(header = ''): MediaRange[] {
  return header.split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q=/.test(parameter))?.slice(2);
    return { name, weight: weight === undefined ? 1 : readWeight(weight) };
  });
}

/** A malformed weight is ignored. */
function readWeight(text: string): number {
  return /^(0(\.\d*)?|1(\.0*)?)$/.test(text) ? Number(text) : 1;
}
