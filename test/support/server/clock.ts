import type { Clock } from '../../../src/clock.js';

/** A clock that changes only when a test advances it. */
export interface TestClock {
  (): Date;
  advanceSeconds(seconds: number): void;
}

export function createTestClock(start = new Date('2026-03-01T09:00:00.000Z')): TestClock {
  let now = start.getTime();
  const clock: Clock = () => new Date(now);
  return Object.assign(clock, {
    advanceSeconds(seconds: number) {
      now += seconds * 1000;
    },
  });
}
