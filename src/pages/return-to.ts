/** Where a browser goes after signing in when it came for nothing in particular. */
export const home = '/people';

/**
 * A path in printable ASCII, as browsers send it, and no host: the time to read a host name grows with the square of
 * the number of combining marks in it.
 */
const localAddress = /^\/(?![/\\])[!-~]*$/;

/**
 * The address to go on to after signing in: a path of this server, or {@link home} for anything else, so that
 * nobody can send people through our sign-in page to a site of theirs.
 */
export function safeReturnTo(value: unknown, baseUrl: string): string {
  if (typeof value !== 'string' || !localAddress.test(value) || !URL.canParse(value, baseUrl)) return home;
  const url = new URL(value, baseUrl);
  const ours = url.origin === new URL(baseUrl).origin;
  const known = url.pathname === '/v1/oauth/authorize' || /^\/people(\/|$)/.test(url.pathname);
  return ours && known ? `${url.pathname}${url.search}` : home;
}
