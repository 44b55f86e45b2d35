const timestampForm =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Parses an RFC 3339 date-time to milliseconds, the precision of the database; `null` for any other string. Leap seconds and
 * the year 0 are rejected, because PostgreSQL cannot store them.
 */
export function readRfc3339(text: string): Date | null {
  if (!timestampForm.test(text) || !isDayOfMonth(text)) return null;
  const date = new Date(text.toUpperCase());
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : null;
}

/** Whether the month has this day: `Date` converts 30 February to 2 March. */
function isDayOfMonth(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return day <= last.getUTCDate();
}
