import { hash } from 'node:crypto';
import { invalidParameter } from '../problems/invalid-request.js';
import type { Problem } from '../problems/problem.js';
import { violation } from '../problems/rule-texts.js';
import { maximumPageSize } from './page-size.js';

// The page after this one is the last that `page[number]` can name.
const maximumNumber = 999_999_999;

/** Content of a cursor: number and size of the page, and the last record before it. */
export interface Cursor<Anchor> {
  readonly number: number;
  readonly size: number;
  readonly anchor: Anchor;
}

/** Identifies the list that a cursor belongs to: path, filters and order. */
export function fingerprintOf(path: string, parameters: URLSearchParams): string {
  const sorted = new URLSearchParams(parameters);
  sorted.sort();
  return hash('sha256', `${path}?${sorted}`, 'base64url').slice(0, 8);
}

/** Serializes a cursor as `[A-Za-z0-9_-]` text. */
export function writeCursor<Anchor>({ number, size, anchor }: Cursor<Anchor>, fingerprint: string): string {
  return Buffer.from(JSON.stringify([number, size, fingerprint, anchor])).toString('base64url');
}

/**
 * Reads `page[after]`.
 *
 * @param isAnchor whether the content of a cursor is an anchor of this list
 * @throws {Problem} 400 `invalid_request` when the value is not a cursor, or a cursor of another list
 */
export function readCursor<Anchor>(
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
