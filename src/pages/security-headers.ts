/** Permissions of the scripts of a page. */
interface PagePermissions {
  readonly script?: boolean;
  readonly requests?: boolean;
}

/**
 * Security headers of all pages: no content from other origins, no framing.
 *
 * @param formTargets other origins that the response to a form may redirect to. Browsers apply `form-action` to
 *   redirects too, such as the one from the consent screen to the application.
 * @param script whether the page may run scripts of this server
 * @param requests whether these scripts may send requests to this server
 */
export function pageHeaders(
  formTargets: readonly string[] = [],
  { script = false, requests = false }: PagePermissions = {},
): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      // The style library draws its icons from data URIs.
      "img-src 'self' data:",
      ...(script ? ["script-src 'self'"] : []),
      ...(requests ? ["connect-src 'self'"] : []),
      ["form-action 'self'", ...formTargets].join(' '),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Headers of a page that must not be cached. */
export function privatePageHeaders(
  formTargets?: readonly string[],
  options?: PagePermissions,
): Record<string, string> {
  return { ...pageHeaders(formTargets, options), 'cache-control': 'no-store' };
}

/** Targets of a form that leads to an authorization request of an application. */
export function originsOf(application: { readonly redirectOrigin: string } | null): string[] {
  return application === null ? [] : [application.redirectOrigin];
}
