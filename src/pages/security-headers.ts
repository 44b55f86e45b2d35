/**
 * Headers of every page: it loads nothing from elsewhere, runs no script, and nobody frames it.
 *
 * @param formTargets origins that a form's answer may lead to besides this server. Browsers apply the policy to
 *   the redirect that follows a form, such as the one from the consent page to the application.
 */
export function pageHeaders(formTargets: readonly string[] = []): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      // The style library draws its icons from data URIs.
      "img-src 'self' data:",
      ["form-action 'self'", ...formTargets].join(' '),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Headers of a page that is for one person. */
export function privatePageHeaders(formTargets?: readonly string[]): Record<string, string> {
  return { ...pageHeaders(formTargets), 'cache-control': 'no-store' };
}
