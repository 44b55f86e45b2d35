import { normalizeEmail } from '../../platform/accounts/normalize.js';
import { emailFormRule } from '../../platform/accounts/user-rules.js';
import { isStorableText, parseUrl } from '../../platform/contract/outside-text.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';

/** Maximum characters of an issuer and of a client id. */
export const maximumIssuerLength = 255;

/**
 * The rule for the issuer of an identity provider.
 *
 * @param allowHttp whether it may start with `http://`
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

/** The claims of the identity provider about a user. */
export interface ProviderClaims {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** The address that an identity provider states for a user. */
export interface StatedAddress {
  /** Normalized. */
  readonly email: string;
  readonly claim: 'email' | 'preferred_username';
  /** `email_verified`; `undefined` when the identity provider states nothing. */
  readonly verified: boolean | undefined;
}

/** Whether claims have all that a first sign-in needs of the address. */
export function hasAddress(claims: ProviderClaims): boolean {
  return claims.email !== undefined && claims.email_verified !== undefined;
}

/**
 * Adds the claims of the UserInfo endpoint to those of the ID token, which take precedence. `email_verified` of one of them counts
 * only for its own address, and `false` in either prevails.
 */
export function addUserInfo(claims: ProviderClaims, information: ProviderClaims): ProviderClaims {
  const email = claims.email ?? information.email;
  const stated = [claims, information]
    .filter((each) => each.email === undefined || isSameAddress(each.email, email))
    .map(verification)
    .filter((each) => each !== undefined);
  return {
    ...information,
    ...claims,
    email,
    email_verified: stated.length === 0 ? undefined : stated.every(Boolean),
  };
}

/**
 * The address in claims; `null` without a valid one. Without any claim about an e-mail address, the user name is taken, which
 * some identity providers let users choose.
 */
export function statedAddress(claims: ProviderClaims): StatedAddress | null {
  const { email, preferred_username } = claims;
  const verified = verification(claims);
  if (isAddress(email)) return { email: normalizeEmail(email), claim: 'email', verified };
  return email === undefined && verified === undefined && isAddress(preferred_username)
    ? { email: normalizeEmail(preferred_username), claim: 'preferred_username', verified }
    : null;
}

/** Amazon Cognito has strings at its UserInfo endpoint. All other values count as `false`. */
function verification({ email_verified: value }: ProviderClaims): boolean | undefined {
  return value === undefined ? undefined : value === true || value === 'true';
}

function isAddress(value: unknown): value is string {
  return isStorableText(value) && emailFormRule(value) === undefined;
}

function isSameAddress(first: unknown, second: unknown): boolean {
  return isAddress(first) && isAddress(second) && normalizeEmail(first) === normalizeEmail(second);
}
