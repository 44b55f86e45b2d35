import { mock } from 'node:test';
import type { Test } from 'tap';

/** Timers that a test controls. */
export interface HeldTimers {
  /** Number of timers with this delay that were started. */
  started(milliseconds: number): number;
  /** Lets time pass: `performance.now` increases and timers that are due run. */
  advance(milliseconds: number): void;
  /** Ends this before the test ends. Timers that are held do not run any more. */
  release(): void;
}

/**
 * From now on until the test ends, `setTimeout` and `setInterval` wait for {@link HeldTimers.advance}, so that no time limit
 * of the code under test expires on a busy machine. Promises of `node:timers/promises` and timers of sockets are not held.
 */
export function holdTimers(t: Test): HeldTimers {
  const earlier = { clearTimeout: globalThis.clearTimeout, clearInterval: globalThis.clearInterval };
  let now = performance.now();
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const clock = mock.method(performance, 'now', () => now);
  const held = { clearTimeout: globalThis.clearTimeout, clearInterval: globalThis.clearInterval };
  const delays: (number | undefined)[] = [];
  const start = globalThis.setTimeout;
  const replaced = {
    setTimeout: Object.assign((callback: () => void, delay?: number, ...values: unknown[]) => {
      delays.push(delay);
      return (start as (...given: unknown[]) => NodeJS.Timeout)(callback, delay, ...values);
    }, start),
    // Also a timer that was started before.
    clearTimeout: (timer: NodeJS.Timeout) => {
      earlier.clearTimeout(timer);
      held.clearTimeout(timer);
    },
    clearInterval: (timer: NodeJS.Timeout) => {
      earlier.clearInterval(timer);
      held.clearInterval(timer);
    },
  };
  Object.assign(globalThis, replaced);
  let isHeld = true;
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    mock.timers.reset();
    clock.mock.restore();
  };
  t.teardown(release);
  return {
    release,
    started: (milliseconds) => delays.filter((delay) => delay === milliseconds).length,
    advance(milliseconds) {
      now += milliseconds;
      mock.timers.tick(milliseconds);
    },
  };
}
