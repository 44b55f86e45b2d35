import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../problems/problem.js';

/** From the beginning of the work to its refusal: several times what the work mostly takes. */
const failureMilliseconds = 20;

/**
 * Does work that may be refused with a problem, and lets refusals take the same time whatever was looked at for them: to
 * find a record that is somebody else's is more work than to find none, and what is written down about a client that
 * exists is more than about one that does not.
 *
 * @throws whatever the work throws
 */
export async function withConstantTimeFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  const begun = wholeMilliseconds();
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) await until(begun + failureMilliseconds);
    throw error;
  }
}

async function until(time: number): Promise<void> {
  for (let left = time - wholeMilliseconds(); left > 0; left = time - wholeMilliseconds()) await wait(left);
}

/**
 * Timers go by whole milliseconds of this clock. A moment with a fraction would be rounded by them in a way that
 * depends on when the wait began, and so tell how long the work took.
 */
function wholeMilliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
