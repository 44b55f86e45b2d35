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
