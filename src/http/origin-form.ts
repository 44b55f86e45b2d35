const authority = /^https?:\/\/[^/?]*/i;

/**
 * The path and query of a request target that names the whole address, as requests to proxies do and every server must
 * understand. Links and problems are about the path.
 *
 * @see RFC 9112 section 3.2.2
 */
export function originForm(target: string): string {
  const path = target.replace(authority, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}
