/**
 * Headers of every page: it loads nothing from elsewhere, and nobody frames it.
 *
 * @param formTargets origins that a form's answer may lead to besides this server. Browsers apply the policy to
 *   the redirect that follows a form, such as the one from the consent page to the application.
 * @param script whether the page runs our own script; without, none runs at all
 */
export function pageHeaders(
  formTargets: readonly string[] = [],
  { script = false }: { script?: boolean } = {},
): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      // The style library draws its icons from data URIs.
      "img-src 'self' data:",
      ...(script ? ["script-src 'self'"] : []),
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

/** Headers of a page that is for one person. */
export function privatePageHeaders(
  formTargets?: readonly string[],
  options?: { script?: boolean },
): Record<string, string> {
  return { ...pageHeaders(formTargets, options), 'cache-control': 'no-store' };
}
