/** What a page may do, besides showing content of this server. */
export interface PagePermissions {
  /** Whether it may run scripts of this server. */
  readonly script?: boolean;
  /** Whether these scripts may send requests to this server. */
  readonly requests?: boolean;
  /** Whether a form may lead to the redirect URI of an application. */
  readonly toApplication?: boolean;
}

/** Security headers of all pages: no content from other origins, no framing. */
export function pageHeaders({
  script = false,
  requests = false,
  toApplication = false,
}: PagePermissions = {}): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      // The style library draws its icons from data URIs.
      "img-src 'self' data:",
      ...(script ? ["script-src 'self'"] : []),
      ...(requests ? ["connect-src 'self'"] : []),
      // Browsers apply it to every redirect after a form, also to those of the application, which are unknown here.
      ...(toApplication ? [] : ["form-action 'self'"]),
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
export function privatePageHeaders(permissions?: PagePermissions): Record<string, string> {
  return { ...pageHeaders(permissions), 'cache-control': 'no-store' };
}
