import { setTimeout as wait } from 'node:timers/promises';
import type { ProblemCode } from '../contract/contract.js';
import { Problem } from '../problems/problem.js';

/** From the beginning of the work to its refusal. All that can be refused takes less, unless there is too much to do. */
const refusalMilliseconds = 20;

/** Refusals that say the same for what does not exist and for what is another's. */
const alike: ReadonlySet<ProblemCode> = new Set(['invalid_client', 'invalid_grant']);

/**
 * Does work that may be refused as `invalid_client` or `invalid_grant`, and lets these refusals take the same time
 * whatever was looked at for them: to find a record that is somebody else's is more work than to find none, and what
 * is written down about a client that exists is more than about one that does not.
 *
 * @throws whatever the work throws
 */
export async function refusingEvenly<Result>(work: () => Promise<Result>): Promise<Result> {
  const begun = wholeMilliseconds();
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && alike.has(error.code)) await until(begun + refusalMilliseconds);
    throw error;
  }
}

async function until(moment: number): Promise<void> {
  for (let left = moment - wholeMilliseconds(); left > 0; left = moment - wholeMilliseconds())
    await wait(left);
}

/**
 * Timers go by whole milliseconds of this clock. A moment with a fraction would be rounded by them in a way that
 * depends on when the wait began, and so tell how long the work took.
 */
function wholeMilliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
