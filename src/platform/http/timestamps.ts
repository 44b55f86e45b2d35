const latest = Date.UTC(10_000, 0, 1) - 1;

/**
 * Reads a `date-time` parameter that matches the format and pattern of the contract. An offset can move the last hours
 * of the year 9999 into the year 10000, which PostgreSQL cannot parse in the format of `toISOString`.
 */
export function parseTimestamp(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(Math.min(Date.parse(text), latest));
}
