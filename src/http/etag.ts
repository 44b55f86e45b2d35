/** A version of a record. */
export interface RecordVersion {
  readonly id: string;
  readonly version: number;
}

/** The strong entity tag of a version of a record, unique among all records. */
export function etagOf({ id, version }: RecordVersion): string {
  return `"${id}.${version}"`;
}

/**
 * Reads the versions in `If-Match`. Without the header every version matches; weak tags never match.
 *
 * @see RFC 9110 section 13.1.1
 */
export function readIfMatch(header: string | undefined): (record: RecordVersion) => boolean {
  if (header === undefined || header === '*') return () => true;
  const tags = readTags(header);
  return (record) => tags.includes(etagOf(record));
}

/**
 * Whether `If-None-Match` contains this version of a record. Weak and strong tags are compared in the same way.
 *
 * @see RFC 9110 section 13.1.2
 */
export function isKnownToClient(header: string | undefined, record: RecordVersion): boolean {
  return includesTag(header, etagOf(record));
}

/**
 * Whether `If-None-Match` contains a strong tag, with the weak comparison.
 *
 * @see RFC 9110 section 8.8.3.2
 */
export function includesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return readTags(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

function readTags(header: string): string[] {
  return [...header.matchAll(/(?:W\/)?"[^"]*"/g)].map(([tag]) => tag);
}
