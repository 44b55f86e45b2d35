import { dayMilliseconds, utcDate } from '../../platform/clock.js';
import type { ReportFilter } from './report.js';
import { columnOf, type ReportColumns } from './report-columns.js';

/** Days before or after today, such as `-90d`. */
const distance = /^([+-])([1-9]\d{0,4})d$/;

/** The first day of a period, such as `start_of_last_month`. */
const start = /^start_of_(?:(last|next)_)?(week|month|quarter|year)$/;

const periods = ['week', 'month', 'quarter', 'year'] as const;

/** The relative dates besides numbers of days. */
export const namedDates: readonly string[] = [
  'today',
  ...periods.flatMap((period) => ['', 'last_', 'next_'].map((which) => `start_of_${which}${period}`)),
];

/** Whether a text is a date relative to today, such as `today`, `-90d` or `start_of_month`. */
export function isRelativeDate(text: string): boolean {
  return text === 'today' || distance.test(text) || start.test(text);
}

/** The date in UTC, `YYYY-MM-DD`, that a relative date is at a time; `null` when the text is not a relative date. */
export function relativeDate(text: string, now: Date): string | null {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (text === 'today') return utcDate(now);
  const [, sign, days] = distance.exec(text) ?? [];
  if (days !== undefined) return dateText(now.getTime() + Number(`${sign}${days}`) * dayMilliseconds);
  const [, which, period] = start.exec(text) ?? [];
  const step = which === undefined ? 0 : which === 'last' ? -1 : 1;
  switch (period) {
    case 'week':
      // A week starts on Monday.
      return dateText(Date.UTC(year, month, day - ((now.getUTCDay() + 6) % 7) + 7 * step));
    case 'month':
      return dateText(Date.UTC(year, month + step));
    case 'quarter':
      return dateText(Date.UTC(year, month - (month % 3) + 3 * step));
    case 'year':
      return dateText(Date.UTC(year + step, 0));
    default:
      return null;
  }
}

function dateText(milliseconds: number): string {
  return utcDate(new Date(milliseconds));
}

/**
 * The timestamp that an operator compares with for a day in UTC: the start of the day or, for operators that have all or nothing
 * of the day, its last millisecond. Stored timestamps have milliseconds.
 */
export function timestampOfDay(date: string, operator: string): string {
  return operator === 'after' || operator === 'on_or_before' ? `${date}T23:59:59.999Z` : `${date}T00:00:00Z`;
}

/** Replaces the relative dates in filters by those of a time. */
export function withDatesOf(
  filters: readonly ReportFilter[],
  { now, columns }: { now: Date; columns: ReportColumns },
): readonly ReportFilter[] {
  return filters.map((filter) => {
    const { type } = columnOf(filter.field, columns);
    if ((type !== 'date' && type !== 'date_time') || filter.value === undefined) return filter;
    const resolve = (text: string) => {
      const date = relativeDate(text, now);
      if (date === null) return text;
      return type === 'date' ? date : timestampOfDay(date, filter.operator);
    };
    const { value } = filter;
    return {
      ...filter,
      value: typeof value === 'string' ? resolve(value) : value.map(resolve),
    } as ReportFilter;
  });
}
