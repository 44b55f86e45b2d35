/** Default page after signing in. */
export const home = '/people';

/**
 * A path in printable ASCII, without a host. The URL parser of Node.js needs quadratic time for a host name with
 * combining marks.
 */
const localAddress = /^\/(?![/\\])[!-~]*$/;

/** Address of the sign-in page, which redirects to a path of this server after signing in. */
export function signInAddress(returnTo: string): string {
  return `/sign_in?return_to=${encodeURIComponent(returnTo)}`;
}

/**
 * Redirect target after signing in: a path of this server, or {@link home} for any other value. This prevents open
 * redirects.
 */
export function safeReturnTo(value: unknown, baseUrl: string): string {
  if (typeof value !== 'string' || !localAddress.test(value) || !URL.canParse(value, baseUrl)) return home;
  const url = new URL(value, baseUrl);
  const ours = url.origin === new URL(baseUrl).origin;
  const known = url.pathname === '/v1/oauth/authorize' || /^\/people(\/|$)/.test(url.pathname);
  return ours && known ? `${url.pathname}${url.search}` : home;
}
