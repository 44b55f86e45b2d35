import { isDateText } from '../../../platform/contract/date-text.js';
import type { Fields } from '../../../platform/pages/fields.js';
import { invalidParameter } from '../../../platform/problems/invalid-request.js';
import { violation } from '../../../platform/problems/rule-texts.js';
import { oneDay } from '../usage-range.js';
import type { UsageRange } from '../usage-reader.js';

/** Days of the usage page, including today. */
export const usageDays = 30;

/**
 * The selected day; the last one by default.
 *
 * @throws {Problem} 400 `invalid_request` when it is not a day of the range
 */
export function selectedDay(query: Fields, { from, to }: UsageRange): UsageRange {
  const text = query.text('day');
  if (text === '') return oneDay(new Date(to.getTime() - 86_400_000));
  const day = isDateText(text) ? new Date(`${text}T00:00:00Z`) : null;
  if (day === null || day < from || day >= to) {
    const last = dateText(new Date(to.getTime() - 1));
    throw invalidParameter('day', violation('date', { from: dateText(from), to: last }));
  }
  return oneDay(day);
}

/** A day as `YYYY-MM-DD`. */
export function dateText(day: Date): string {
  return day.toISOString().slice(0, 10);
}

/** A day as "20 Nov". Usage is counted in hours of UTC, so days are in UTC for all readers. */
export function shortDay(day: Date): string {
  return shortFormat.format(day);
}

/** A day as "20 November 2026". */
export function longDay(day: Date): string {
  return longFormat.format(day);
}

/** An hour as "09:00". */
export function hourText(hour: Date): string {
  return hour.toISOString().slice(11, 16);
}

const shortFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' });
const longFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'long' });
