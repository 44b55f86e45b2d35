import { dayMilliseconds, hourMilliseconds, utcDate } from '../clock.js';

const halfDayAndMore = 15 * hourMilliseconds;

/**
 * The first instant of a day in a time zone. Time zones differ from UTC by less than 15 hours.
 *
 * @param date `YYYY-MM-DD`, from 1970 to 9999
 */
export function startOfDay(date: string, timeZone: string): Date {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const wanted = Number(date.replaceAll('-', ''));
  // A search, because a day may start after midnight or be omitted where clocks are set forward.
  let [before, start] = [Date.parse(date) - halfDayAndMore, Date.parse(date) + halfDayAndMore];
  while (start - before > 1000) {
    const middle = Math.floor((before + start) / 2000) * 1000;
    if (dayOf(format, middle) >= wanted) start = middle;
    else before = middle;
  }
  return new Date(start);
}

/** The first instant of the day after a day. */
export function endOfDay(date: string, timeZone: string): Date {
  const next = utcDate(new Date(Date.parse(date) + dayMilliseconds));
  return startOfDay(next, timeZone);
}

function dayOf(format: Intl.DateTimeFormat, at: number): number {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return Number(`${parts.get('year')}${parts.get('month')}${parts.get('day')}`);
}
