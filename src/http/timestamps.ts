const latest = Date.UTC(10_000, 0, 1) - 1;

/**
 * Reads a `date-time` parameter that the contract's format and pattern accept. An offset can move the last hours of the
 * year 9999 into the next one, which `toISOString` writes in a form that PostgreSQL does not read.
 */
export function parseTimestamp(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(Math.min(Date.parse(text), latest));
}
