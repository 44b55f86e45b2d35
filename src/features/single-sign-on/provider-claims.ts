import { normalizeEmail } from '../../platform/accounts/normalize.js';
import { emailFormRule } from '../../platform/accounts/user-rules.js';
import { isStorableText } from '../../platform/contract/storable-text.js';

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
