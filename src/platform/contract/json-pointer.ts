/** Part of a JSON Pointer for a member. @see RFC 6901 section 3 */
export function pointerTo(member: string): string {
  return `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The name of a member in a JSON Pointer. */
export function memberIn(pointerPart: string): string {
  return pointerPart.replaceAll('~1', '/').replaceAll('~0', '~');
}
