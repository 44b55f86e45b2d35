import { mock } from 'node:test';
import type { Test } from 'tap';

/** Timers that a test controls. */
export interface HeldTimers {
  /** Number of timers and intervals with this delay that were started. */
  started(milliseconds: number): number;
  /** Lets time pass: `performance.now` increases and timers that are due run. */
  advance(milliseconds: number): void;
  /** Ends this before the test ends. Timers that are held do not run any more. */
  release(): void;
}

type Callback = (...values: unknown[]) => void;

/** What `setTimeout` and `setInterval` return. The database driver clears some of its timers after the test. */
class HeldTimer {
  due = 0;
  readonly #restart: () => number;

  /** `restart` returns the time at which a timer that starts now is due. */
  constructor(restart: () => number) {
    this.#restart = restart;
    this.refresh();
  }

  refresh(): this {
    this.due = this.#restart();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

/**
 * From now on until the test ends, `setTimeout` and `setInterval` wait for {@link HeldTimers.advance}, so that no time limit
 * of the code under test expires on a busy machine. Promises of `node:timers/promises` and timers of sockets are not held.
 */
export function holdTimers(t: Test): HeldTimers {
  const { clearTimeout, clearInterval } = globalThis;
  let now = performance.now();
  const held = new Map<HeldTimer, { readonly run: () => void; readonly repeats: boolean }>();
  const delays: number[] = [];
  const start =
    (repeats: boolean) =>
    (callback: Callback, delay = 1, ...values: unknown[]): HeldTimer => {
      delays.push(delay);
      const timer = new HeldTimer(() => now + Math.max(1, delay));
      held.set(timer, { run: () => callback(...values), repeats });
      return timer;
    };
  const stop = (stopReal: (timer?: NodeJS.Timeout) => void) => (timer?: NodeJS.Timeout | HeldTimer) => {
    if (timer instanceof HeldTimer) held.delete(timer);
    else stopReal(timer);
  };
  const replaced = [
    mock.method(performance, 'now', () => now),
    mock.method(globalThis, 'setTimeout', start(false)),
    mock.method(globalThis, 'setInterval', start(true)),
    mock.method(globalThis, 'clearTimeout', stop(clearTimeout)),
    mock.method(globalThis, 'clearInterval', stop(clearInterval)),
  ];
  const release = () => {
    for (const { mock } of replaced.splice(0)) mock.restore();
  };
  t.teardown(release);
  return {
    release,
    started: (milliseconds) => delays.filter((delay) => delay === milliseconds).length,
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const due = [...held].filter(([timer]) => timer.due <= end);
        const [next] = due.sort(([one], [other]) => one.due - other.due);
        if (next === undefined) break;
        const [timer, { run, repeats }] = next;
        now = timer.due;
        if (repeats) timer.refresh();
        else held.delete(timer);
        run();
      }
      now = end;
    },
  };
}
