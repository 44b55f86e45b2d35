import { hash } from 'node:crypto';

interface RecordVersion {
  readonly id: string;
  readonly version: number;
}

/** The strong entity tag of a version of a record, unique among all records. */
export function etagOf({ id, version }: RecordVersion): string {
  return `"${id}.${version}"`;
}

/** The strong entity tag of a response body. */
export function etagOfBody(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/**
 * Reads the versions in `If-Match`. Without the header every version matches. RFC 9110 requires the strong comparison, so that
 * bytes are not confused. Tags of records name a version and not bytes, so they are compared as {@link includesTag} does.
 *
 * @see RFC 9110 section 13.1.1
 */
export function readIfMatch(header: string | undefined): (record: RecordVersion) => boolean {
  return (record) => header === undefined || includesTag(header, etagOf(record));
}

/**
 * Whether `If-None-Match` contains this version of a record.
 *
 * @see RFC 9110 section 13.1.2
 */
export function isKnownToClient(header: string | undefined, record: RecordVersion): boolean {
  return includesTag(header, etagOf(record));
}

/**
 * Whether a header contains a strong tag, with the weak comparison, and also as a proxy changes it when it compresses the
 * response: `W/"a"`, `"a-gzip"`, `"a;gzip"`, `"a--gzip"`.
 *
 * @see RFC 9110 section 8.8.3.2
 */
export function includesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag || tag.replace(coding, '"') === etag);
}

/** What compressing proxies append. */
const coding = /(?:--?|;)(?:gzip|br|zstd|deflate)"$/;
