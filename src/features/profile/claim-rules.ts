import { parseUrl } from '../../platform/contract/outside-text.js';
import { type Check, type Violation, violation } from '../../platform/problems/rule-texts.js';

/** The claims that users can change. `null` removes a claim; the two names are required. */
export interface WritableClaims {
  readonly givenName: string;
  readonly familyName: string;
  readonly nickname: string | null;
  readonly picture: string | null;
  readonly locale: string | null;
  readonly zoneinfo: string | null;
  readonly phoneNumber: string | null;
}

export type ClaimName = keyof WritableClaims;

export interface ClaimError {
  readonly claim: ClaimName;
  readonly violation: Violation;
}

/** The rules that the schema of the contract cannot express. */
const rules: Readonly<Partial<Record<ClaimName, Check>>> = {
  picture: (value) => (isHttpsUrl(value) ? undefined : violation('https_url')),
  locale: (value) => (canonicalLocale(value) === undefined ? violation('language_tag') : undefined),
  zoneinfo: (value) => (canonicalZone(value) === undefined ? violation('time_zone') : undefined),
  phoneNumber: (value) => (/^\+[1-9]\d{1,14}$/.test(value) ? undefined : violation('phone_number')),
};

/** Validates claims and returns them in canonical form, such as `de-CH` for `de-ch`. */
export function checkClaims(
  given: Partial<WritableClaims>,
): { readonly claims: Partial<WritableClaims> } | { readonly errors: readonly ClaimError[] } {
  const entries = Object.entries(given) as [ClaimName, string | null][];
  const errors = entries.flatMap(([claim, value]): ClaimError[] => {
    const violation = value === null ? undefined : rules[claim]?.(value);
    return violation === undefined ? [] : [{ claim, violation }];
  });
  if (errors.length > 0) return { errors };
  const claims = entries.map(([claim, value]) => [claim, value === null ? null : canonical(claim, value)]);
  return { claims: Object.fromEntries(claims) };
}

function canonical(claim: ClaimName, value: string): string {
  if (claim === 'locale') return canonicalLocale(value) ?? value;
  return claim === 'zoneinfo' ? (canonicalZone(value) ?? value) : value;
}

function isHttpsUrl(value: string): boolean {
  // The URL parser reads the path as the host when the host is missing.
  const url = /^https:\/\/[^/?#\\]/.test(value) ? parseUrl(value) : undefined;
  return url?.username === '' && url.password === '';
}

const maximumLocaleLength = 35;

function canonicalLocale(value: string): string | undefined {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(value);
    return tag.length <= maximumLocaleLength ? tag : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the time zone with the upper and lower case of the IANA database; `undefined` for an unknown one. A name that the
 * runtime resolves to another one, such as Asia/Kolkata to Asia/Calcutta, is returned unchanged.
 */
function canonicalZone(value: string): string | undefined {
  // Newer versions of Node.js accept offsets, which are not IANA names.
  if (/^[+-]/.test(value)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
    return timeZone.toLowerCase() === value.toLowerCase() ? timeZone : value;
  } catch {
    return undefined;
  }
}
