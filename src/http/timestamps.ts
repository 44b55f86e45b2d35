const earliest = Date.UTC(1900, 0, 1);
const latest = Date.UTC(10_000, 0, 1) - 1;

/** Whether a value is a timestamp exactly as the service writes it, in the years that the contract allows. */
export function isServerTimestamp(value: unknown): value is string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return time >= earliest && time <= latest && new Date(time).toISOString() === value;
}

/**
 * Reads a `date-time` parameter that the contract's format and pattern accept. An offset can move the last hours of the
 * year 9999 into the next one, which `toISOString` writes in a form that PostgreSQL does not read.
 */
export function parseTimestamp(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(Math.min(Date.parse(text), latest));
}
