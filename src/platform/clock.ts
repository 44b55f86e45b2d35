/** Returns the current time. Code that depends on the time takes a clock, so that tests can control it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

export const hourMilliseconds = 3_600_000;
export const dayMilliseconds = 24 * hourMilliseconds;

export function secondsAfter(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

export function secondsBefore(time: Date, seconds: number): Date {
  return secondsAfter(time, -seconds);
}

/** The date of a time in UTC, `YYYY-MM-DD`. */
export function utcDate(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Seconds since the epoch, the unit of times in JSON Web Tokens. */
export function epochSeconds(clock: Clock): number {
  return toEpochSeconds(clock());
}

/** Whole seconds since the epoch, rounded down. */
export function toEpochSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
/** @throws {Error} when the response takes longer */
export async function inTime<Value>(response: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`no response within ${timeoutMs} ms`));
    // After a busy event loop, responses that have arrived are read first.
    timer = setTimeout(() => setImmediate(fail), timeoutMs);
  });
  try {
    return await Promise.race([response, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
