import type { UsageRange } from './usage-reader.js';

/** Retention of the counts of API calls, in days. */
export const usageRetentionDays = 400;

/** Retention of rejected requests, in days. */
export const rejectionRetentionDays = 7;

const dayMilliseconds = 86_400_000;

/** The last days in UTC, including the day of `now`. */
export function lastDays(now: Date, days: number): UsageRange {
  const tomorrow = (Math.floor(now.getTime() / dayMilliseconds) + 1) * dayMilliseconds;
  return { from: new Date(tomorrow - days * dayMilliseconds), to: new Date(tomorrow) };
}

/** The day in UTC that starts at `from`. */
export function oneDay(from: Date): UsageRange {
  return { from, to: new Date(from.getTime() + dayMilliseconds) };
}

/** Start times of the hours or days of a range. */
export function periodsOf({ from, to }: UsageRange, per: 'hour' | 'day'): Date[] {
  const milliseconds = per === 'hour' ? 3_600_000 : dayMilliseconds;
  const count = Math.round((to.getTime() - from.getTime()) / milliseconds);
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * milliseconds));
}
