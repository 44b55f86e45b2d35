import { setTimeout as wait } from 'node:timers/promises';

/** Waits until a condition is met, 15 seconds at most. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!condition() && Date.now() < deadline) await wait(20);
}
