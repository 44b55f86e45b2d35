import { parseUrl } from '../../platform/contract/outside-text.js';

/** Maximum characters of an issuer and of a client id. */
export const maximumIssuerLength = 255;

/**
 * The rule for the issuer of an identity provider.
 *
 * @param options.allowHttp whether it may start with `http://`
 * @returns what the issuer must be; `undefined` when it is valid
 * @see OpenID Connect Discovery 1.0 section 3
 */
export function issuerRule(issuer: string, { allowHttp }: { allowHttp: boolean }): string | undefined {
  if (issuer.length > maximumIssuerLength) return `must have at most ${maximumIssuerLength} characters`;
  const schemes = allowHttp ? ['https:', 'http:'] : ['https:'];
  const url = parseUrl(issuer);
  if (url === undefined) return 'must be a URL';
  const { protocol, username, password, search, hash, pathname } = url;
  if (!schemes.includes(protocol)) return 'must start with https://';
  if (username !== '' || password !== '' || search !== '' || hash !== '' || /[?#]$/.test(issuer))
    return 'must not have a user name, a query or a fragment';
  // Metadata has such an issuer for many organizations, and ID tokens another one for each.
  if (/[{}]|%7[bd]/i.test(issuer))
    return 'must be that of one organization: enter its tenant ID in place of the braces';
  // The library would not compare such an issuer with that of the metadata.
  return pathname.includes('/.well-known/') ? 'must not be the address of the metadata' : undefined;
}

/** Whether two issuers have the same metadata: they are the same URL, except for a slash at the end. */
export function isSameIssuer(first: string, second: string): boolean {
  const url = withoutSlash(parseUrl(first)?.href);
  return url !== undefined && url === withoutSlash(parseUrl(second)?.href);
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/$/, '');
}
