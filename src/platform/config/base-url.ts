/** Rule for the base of URLs: the name of the rule that is violated, or `undefined` for a valid value. */
export function webAddressRule(value: string): 'web_url' | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== ''
    ? 'web_url'
    : undefined;
}

/** Rule for `BASE_URL`, which is the issuer of tokens: a scheme and a host. @see RFC 8414 section 2 */
export function baseUrlRule(value: string): 'web_url' | 'base_url' | undefined {
  const error = webAddressRule(value);
  if (error !== undefined) return error;
  return /^\/+$/.test(new URL(value).pathname) && !value.includes('?') ? undefined : 'base_url';
}

/** Removes trailing slashes, for comparing and extending URLs. */
export function withoutTrailingSlashes(address: string): string {
  return address.replace(/\/+$/, '');
}
