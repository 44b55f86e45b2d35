/** Longest redirect URI that is taken. */
export const maximumRedirectUriLength = 2000;

/**
 * What is wrong with a redirect URI, as a sentence for the person who typed it; `undefined` when nothing is.
 * Codes are sent there: the owner of such an address could act for the users who sign in.
 *
 * @param allowLocalhost whether `http://localhost` is taken, with any port and path: outside production only
 * @see RFC 9700 section 2.1 and RFC 6749 section 3.1.2
 */
export function redirectUriError(
  uri: string,
  { allowLocalhost }: { allowLocalhost: boolean },
): string | undefined {
  if (uri.length > maximumRedirectUriLength) {
    return `The address is longer than ${maximumRedirectUriLength} characters.`;
  }
  // Parsers drop or turn what they find of these, each in its own way.
  if (!/^[!-~]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) {
    return 'Write the address without spaces, and percent-encode anything but plain characters.';
  }
  if (uri.includes('*')) return 'A wildcard (*) is not possible: register each address in full.';
  if (uri.includes('#')) return 'The address must not have a fragment: leave out “#” and what follows it.';
  const authority = /^[^:/?]+:\/\/([^/?]*)/.exec(uri)?.[1];
  if (authority === undefined || authority === '' || !URL.canParse(uri)) {
    return 'This is not a complete address, such as https://app.example.com/callback.';
  }
  if (authority.includes('@')) return 'The address must not contain a user name or password.';
  return schemeError(new URL(uri), allowLocalhost);
}

function schemeError({ protocol, hostname }: URL, allowLocalhost: boolean): string | undefined {
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && hostname === 'localhost' && allowLocalhost) return undefined;
  if (protocol === 'http:' && hostname === 'localhost') {
    return 'http://localhost is for development only: use an address that starts with https://.';
  }
  return allowLocalhost
    ? 'The address must start with https://. For development, http://localhost is possible too.'
    : 'The address must start with https://.';
}
