/** The strong entity tag of a version of a record. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * Reads `If-Match`: which versions a change is meant for. Without the header, all of them are; a weak tag stands
 * for none.
 *
 * @see RFC 9110 section 13.1.1
 */
export function readIfMatch(header: string | undefined): (version: number) => boolean {
  if (header === undefined || header === '*') return () => true;
  const tags = [...header.matchAll(/(?:W\/)?"[^"]*"/g)].map(([tag]) => tag);
  return (version) => tags.includes(etagOf(version));
}
