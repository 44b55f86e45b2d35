import { mock } from 'node:test';
import type { Test } from 'tap';
import type { Clock } from '../../../src/platform/clock.js';

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

/**
 * Stops the clock of the system, which the windows of rate limits use, until the test ends. Without this a window could end
 * during a test on a busy machine.
 *
 * @returns advances it by milliseconds
 */
export function stopSystemClock(t: Test): (milliseconds: number) => void {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  t.teardown(() => mock.timers.reset());
  return (milliseconds) => mock.timers.tick(milliseconds);
}
