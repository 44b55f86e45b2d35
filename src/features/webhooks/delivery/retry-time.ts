const firstMilliseconds = 5_000;

const longestMilliseconds = 8 * 3_600_000;

/** Milliseconds after the first failure at which an endpoint is paused. */
export const patienceMilliseconds = 3 * 86_400_000;

/**
 * Returns when a delivery is repeated: after 5 seconds, then after twice as long each time, up to 8 hours, each time up to a
 * quarter longer so that endpoints do not retry together. `Retry-After` may make it later, up to 8 hours.
 *
 * @param failures failed attempts of the delivery, from 1
 * @param retryAfter value of the header: seconds or an HTTP date (RFC 9110 section 10.2.3)
 */
export function retryTime(
  now: Date,
  { failures, retryAfter }: { failures: number; retryAfter: string | null },
): Date {
  const backoff = Math.min(firstMilliseconds * 2 ** Math.min(failures - 1, 20), longestMilliseconds);
  const asked = Math.min(readRetryAfter(now, retryAfter), longestMilliseconds);
  const delay = Math.max(backoff * (1 + Math.random() / 4), asked);
  return new Date(now.getTime() + Math.round(delay));
}

function readRetryAfter(now: Date, value: string | null): number {
  if (value === null) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? 0 : time - now.getTime();
}
