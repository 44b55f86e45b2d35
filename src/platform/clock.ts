/** Returns the current time. Code that depends on the time takes a clock, so that tests can control it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

export const dayMilliseconds = 86_400_000;

/** Seconds since the epoch, the unit of times in JSON Web Tokens. */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock().getTime() / 1000);
}
