const collator = new Intl.Collator('en');

/**
 * Compares texts as people sort them: "Ärzte" is before "Zentrale", and case counts only between texts that are equal otherwise.
 * It is the order of the Unicode root collation, as `und-x-icu` of PostgreSQL, for all languages: all users of an account see the
 * same order.
 */
export function compareText(one: string, other: string): number {
  return collator.compare(one, other) || Number(one > other) - Number(one < other);
}
