import { parseUrl } from '../contract/outside-text.js';
import { home } from './paths.js';

/** A path without a host. */
const localPath = /^\/(?![/\\])/;

/** Maximum characters of an address. Request lines are no longer. */
const maximumReturnToLength = 16_384;

/**
 * Redirect target after signing in: a path of this server, or {@link home} for any other value. This prevents open
 * redirects.
 */
export function safeReturnTo(value: unknown, baseUrl: string): string {
  if (typeof value !== 'string' || !localPath.test(value)) return home;
  const url = parseUrl(value, { base: baseUrl, maximumLength: maximumReturnToLength });
  if (url === undefined) return home;
  const ours = url.origin === new URL(baseUrl).origin;
  const known = url.pathname === '/v1/oauth/authorize' || /^\/people(\/|$)/.test(url.pathname);
  return ours && known ? `${url.pathname}${url.search}` : home;
}
