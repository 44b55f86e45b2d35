/** Tells the time. Everything that depends on it takes a clock, so that lifetimes can be tested to the second. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** Seconds since the epoch, as JSON Web Tokens count. */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock().getTime() / 1000);
}
