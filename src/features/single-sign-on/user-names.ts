import { personNameRule } from '../../platform/accounts/name-rules.js';
import { composeText } from '../../platform/contract/outside-text.js';
import type { ProviderClaims } from './provider-claims.js';

const maximumLength = 100;

/**
 * The names of a user whom single sign-on creates: the claims `given_name` and `family_name`, otherwise the words of
 * `name`, otherwise those of the local part of the address. The user can change them.
 *
 * @see OpenID Connect Core 1.0 section 5.1
 */
export function namesOf(claims: ProviderClaims, email: string): { givenName: string; familyName: string } {
  const local = email.slice(0, email.lastIndexOf('@'));
  const words = [wordsOf(claims.name), wordsOf(local, /[\s._+-]+/), [local]].find(({ length }) => length > 0);
  const [first = '', ...others] = words ?? [];
  return {
    givenName: valid(claims.given_name) ?? valid(first) ?? '-',
    familyName: valid(claims.family_name) ?? valid(others.join(' ')) ?? '-',
  };
}

function wordsOf(text: unknown, separator = /\s+/): string[] {
  return typeof text === 'string' ? text.split(separator).filter((word) => word !== '') : [];
}

/** A claim as a name; `undefined` when it is not a valid name. */
function valid(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  // A character has at most two code units.
  const shortened = composeText(claim.trim().slice(0, 2 * maximumLength));
  const name = [...shortened].slice(0, maximumLength).join('').trim();
  return personNameRule(name) === undefined ? name : undefined;
}
