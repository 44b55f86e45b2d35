import { parseUrl } from '../../platform/contract/outside-text.js';

/** Maximum length of a redirect URI, in characters. */
export const maximumRedirectUriLength = 2000;

/**
 * Validates a redirect URI. Returns an error as a sentence for the user; `undefined` when the URI is valid.
 *
 * @param options.allowLocalhost whether `http://localhost` is valid, with any port and path; `false` in production
 * @see RFC 9700 section 2.1 and RFC 6749 section 3.1.2
 */
export function redirectUriError(
  uri: string,
  { allowLocalhost }: { allowLocalhost: boolean },
): string | undefined {
  if (uri.length > maximumRedirectUriLength) {
    return `The redirect URI is longer than ${maximumRedirectUriLength} characters.`;
  }
  // URL parsers remove or replace other characters, each in its own way.
  if (!/^[!-~]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) {
    return 'Remove spaces, and percent-encode all characters that a URI cannot contain.';
  }
  if (uri.includes('*')) return 'Wildcards (*) are not supported: register each URI in full.';
  if (uri.includes('#'))
    return 'The redirect URI must not have a fragment: remove “#” and everything after it.';
  const authority = /^[^:/?]+:\/\/([^/?]*)/.exec(uri)?.[1] ?? '';
  const url = authority === '' ? undefined : parseUrl(uri);
  if (url === undefined) {
    return 'This is not a complete address, such as https://app.example.com/callback.';
  }
  if (authority.includes('@')) return 'The redirect URI must not contain a user name or password.';
  return schemeError(url, allowLocalhost);
}

function schemeError({ protocol, hostname }: URL, allowLocalhost: boolean): string | undefined {
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && hostname === 'localhost' && allowLocalhost) return undefined;
  if (protocol === 'http:' && hostname === 'localhost') {
    return 'http://localhost is for development only: use a redirect URI that starts with https://.';
  }
  return allowLocalhost
    ? 'The redirect URI must start with https://. For development, http://localhost is also allowed.'
    : 'The redirect URI must start with https://.';
}
