import type { Rule } from './user-rules.js';

/** The claims that users write themselves. What is cleared is `null`; the two names cannot be. */
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

/** What is wrong with a claim. */
export interface ClaimError {
  readonly claim: ClaimName;
  readonly rule: string;
}

/** What the contract's schema cannot state; it states all there is to say of names. */
const rules: Readonly<Partial<Record<ClaimName, Rule>>> = {
  picture: (value) => (isHttpsUrl(value) ? undefined : 'must be an https URL with a host and no credentials'),
  locale: (value) =>
    canonicalLocale(value) === undefined ? 'must be a BCP 47 language tag such as en or de-CH' : undefined,
  zoneinfo: (value) =>
    canonicalZone(value) === undefined
      ? 'must be a time zone of the IANA database such as Europe/Zurich'
      : undefined,
  phoneNumber: (value) =>
    /^\+[1-9]\d{1,14}$/.test(value)
      ? undefined
      : 'must be a telephone number with its country code such as +41445550123',
};

/**
 * Checks claims that are to be written and gives those of a standard spelling that spelling, such as `de-CH` for
 * `de-ch`.
 */
export function checkClaims(
  given: Partial<WritableClaims>,
): { readonly claims: Partial<WritableClaims> } | { readonly errors: readonly ClaimError[] } {
  const entries = Object.entries(given) as [ClaimName, string | null][];
  const errors = entries.flatMap(([claim, value]): ClaimError[] => {
    const rule = value === null ? undefined : rules[claim]?.(value);
    return rule === undefined ? [] : [{ claim, rule }];
  });
  if (errors.length > 0) return { errors };
  const claims = entries.map(([claim, value]) => [claim, value === null ? null : spell(claim, value)]);
  return { claims: Object.fromEntries(claims) };
}

function spell(claim: ClaimName, value: string): string {
  if (claim === 'locale') return canonicalLocale(value) ?? value;
  return claim === 'zoneinfo' ? (canonicalZone(value) ?? value) : value;
}

function isHttpsUrl(value: string): boolean {
  // The parser makes a host of the path when there is none.
  if (!/^https:\/\/[^/?#\\]/.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
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
 * The zone in the database's own capitals where the runtime has them. A name that the runtime resolves to another
 * one, such as Asia/Kolkata to Asia/Calcutta, stays as it is: which of the two is in use is not the runtime's to say.
 */
function canonicalZone(value: string): string | undefined {
  // Offsets are no zones, though newer runtimes take them.
  if (/^[+-]/.test(value)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
    return timeZone.toLowerCase() === value.toLowerCase() ? timeZone : value;
  } catch {
    return undefined;
  }
}
