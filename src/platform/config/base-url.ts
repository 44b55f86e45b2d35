/** Rule for the base of URLs: the error, or `undefined` for a valid value. */
export function webAddressRule(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== ''
    ? 'must be an http:// or https:// URL'
    : undefined;
}

/** Rule for `BASE_URL`, which is the issuer of tokens: a scheme and a host. @see RFC 8414 section 2 */
export function baseUrlRule(value: string): string | undefined {
  const error = webAddressRule(value);
  if (error !== undefined) return error;
  return /^\/+$/.test(new URL(value).pathname) && !value.includes('?')
    ? undefined
    : 'must be a scheme and a host without a path, such as https://api.example.com';
}

/** Removes trailing slashes, for comparing and extending URLs. */
export function withoutTrailingSlashes(address: string): string {
  return address.replace(/\/+$/, '');
}
