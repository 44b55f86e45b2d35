import { parseUrl } from '../../platform/contract/outside-text.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';

/** Maximum characters of an issuer and of a client id. */
export const maximumIssuerLength = 255;

/**
 * The rule for the issuer of an identity provider.
 *
 * @param options.allowHttp whether it may start with `http://`
 * @see OpenID Connect Discovery 1.0 section 3
 */
export function issuerRule(issuer: string, { allowHttp }: { allowHttp: boolean }): Violation | undefined {
  if (issuer.length > maximumIssuerLength)
    return violation('maximum_length', { maximum: maximumIssuerLength });
  const schemes = allowHttp ? ['https:', 'http:'] : ['https:'];
  const url = parseUrl(issuer);
  if (url === undefined) return violation('url');
  const { protocol, username, password, search, hash, pathname } = url;
  if (!schemes.includes(protocol)) return violation('https_scheme');
  if (username !== '' || password !== '' || search !== '' || hash !== '' || /[?#]$/.test(issuer))
    return violation('issuer_url');
  // Metadata has such an issuer for many organizations, and ID tokens another one for each.
  if (/[{}]|%7[bd]/i.test(issuer)) return violation('single_issuer');
  // The library would not compare such an issuer with that of the metadata.
  return pathname.includes('/.well-known/') ? violation('not_metadata_url') : undefined;
}

/** Whether two issuers have the same metadata: they are the same URL, except for a slash at the end. */
export function isSameIssuer(first: string, second: string): boolean {
  const url = withoutSlash(parseUrl(first)?.href);
  return url !== undefined && url === withoutSlash(parseUrl(second)?.href);
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/$/, '');
}
