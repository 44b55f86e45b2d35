import { domainToASCII, domainToUnicode } from 'node:url';

/** Whether PostgreSQL can store a text: it must not contain NUL or lone surrogates. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed();
}

/**
 * Returns whether a value is a date as text, `YYYY-MM-DD`, from the year 1 to the year 9999. PostgreSQL has no year 0.
 *
 * @see RFC 3339 section 5.6, full-date
 */
export function isDateText(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value) || value.startsWith('0000'))
    return false;
  const date = new Date(`${value}T00:00:00Z`);
  // `Date` takes 30 February for 2 March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Whether a JSON value is an object, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether arrays and objects of a JSON value are nested deeper than a number of levels. A scalar has none. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/*
 * Text from outside, before it reaches Unicode functions. Normalization, and the URL parser for a host name, need quadratic
 * time for combining marks that are not in canonical order: 12 seconds for 110,000 of them. Therefore this file limits the
 * length first, and no other file calls these functions. A test over the sources checks that.
 */

/** Maximum characters of text that is normalized. No valid e-mail address, password or form field is longer. */
const maximumNormalizedLength = 3_072;

/** Maximum characters of a URL. The contract has the same limit. */
const maximumUrlLength = 2_048;

/** Maximum characters of a domain name. @see RFC 1035 section 2.3.4 */
const maximumDomainLength = 253;

/** Text in Unicode normalization form C; text longer than 3,072 characters is returned unchanged. */
export function normalizeNfc(text: string): string {
  return text.length > maximumNormalizedLength ? text : text.normalize('NFC');
}

/** Whether a text has no full-width or other compatibility characters; `false` for text longer than 3,072 characters. */
export function isNormalized(text: string): boolean {
  return text.length <= maximumNormalizedLength && text.normalize('NFKC') === text;
}

/** A text in lower case whose letters have no accents: "Größe" becomes "grosse". Empty for text longer than 3,072 characters. */
export function withoutAccents(text: string): string {
  if (text.length > maximumNormalizedLength) return '';
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}

/** The letters and digits of a text in lower case and without accents, for comparing; empty for text longer than a limit. */
export function foldText(text: string, maximumLength: number): string {
  if (text.length > Math.min(maximumLength, maximumNormalizedLength)) return '';
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Characters of a text by which it is sorted as people sort it. The rest is compared by code point. */
const maximumSortedLength = 100;

const collator = new Intl.Collator('en');

/**
 * Compares texts as people sort them: "Ärzte" is before "Zentrale", and case counts only between texts that are equal otherwise.
 * It is the order of the Unicode root collation, as `und-x-icu` of PostgreSQL, for all languages: all users of an account see the
 * same order.
 */
export function compareText(one: string, other: string): number {
  const [start, otherStart] = [one, other].map((text) => text.slice(0, maximumSortedLength)) as [
    string,
    string,
  ];
  return collator.compare(start, otherStart) || Number(one > other) - Number(one < other);
}

/** Parses JSON; `undefined` for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses a URL of printable ASCII.
 *
 * @param base resolves a relative URL
 * @param maximumLength in characters (2,048)
 * @returns `undefined` when the text is too long, has other characters, or is not a URL
 */
export function parseUrl(
  text: string,
  { base, maximumLength = maximumUrlLength }: { base?: string; maximumLength?: number } = {},
): URL | undefined {
  if (text.length > maximumLength || !/^[!-~]+$/.test(text)) return undefined;
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** A domain name in lower case and ASCII form; empty when it is not a domain name. @see RFC 5891 section 4 */
export function asciiDomain(domain: string): string {
  return domain.length > maximumDomainLength ? '' : domainToASCII(domain);
}

/** Whether a domain name is ASCII, or an internationalized one in its canonical form. @see UTS #46 */
export function isCanonicalDomain(domain: string): boolean {
  return /^[!-~]+$/.test(domain) || domainToUnicode(asciiDomain(domain)) === domain.toLowerCase();
}
