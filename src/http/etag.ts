/** A version of a record. */
export interface RecordVersion {
  readonly id: string;
  readonly version: number;
}

/** The strong entity tag of a version of a record. No other record has it. */
export function etagOf({ id, version }: RecordVersion): string {
  return `"${id}.${version}"`;
}

/**
 * Reads `If-Match`: which versions a change is meant for. Without the header, all of them are; a weak tag stands
 * for none.
 *
 * @see RFC 9110 section 13.1.1
 */
export function readIfMatch(header: string | undefined): (record: RecordVersion) => boolean {
  if (header === undefined || header === '*') return () => true;
  const tags = readTags(header);
  return (record) => tags.includes(etagOf(record));
}

/**
 * Reads `If-None-Match`: whether the client has this version of a record. Weak and strong tags are compared alike.
 *
 * @see RFC 9110 section 13.1.2
 */
export function isKnownToClient(header: string | undefined, record: RecordVersion): boolean {
  if (header === undefined) return false;
  if (header === '*') return true;
  return readTags(header).some((tag) => tag.replace(/^W\//, '') === etagOf(record));
}

function readTags(header: string): string[] {
  return [...header.matchAll(/(?:W\/)?"[^"]*"/g)].map(([tag]) => tag);
}
