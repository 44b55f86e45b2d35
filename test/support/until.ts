import { setTimeout as wait } from 'node:timers/promises';
import { patienceMs } from './patience.js';

// Not the method, which tests may replace.
const now = performance.now.bind(performance);

/**
 * Waits until a condition is met.
 *
 * @throws {Error} that shows the condition, after minutes
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = now() + patienceMs;
  while (!(await condition())) {
    if (now() > deadline) throw new Error(`The condition is not met: ${condition}`);
    await wait(5);
  }
}
