const authority = /^https?:\/\/[^/?]*/i;

/**
 * Path and query of a request target in absolute form, which every server must accept. Links and problem documents
 * contain the path only.
 *
 * @see RFC 9112 section 3.2.2
 */
export function originForm(target: string): string {
  const path = target.replace(authority, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}
