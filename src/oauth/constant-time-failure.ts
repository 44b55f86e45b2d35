import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../platform/problems/problem.js';

/** Milliseconds from the start of the work to its failure: several times the usual duration of the work. */
const failureMilliseconds = 20;

/**
 * Runs work that may fail with a problem, and delays failures so that all take the same time. Otherwise the response time
 * would reveal whether a record of another client exists, or whether a client exists.
 *
 * @throws the error of the work
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
 * Timers round to whole milliseconds of this clock. With a fractional deadline the rounding would depend on the start
 * of the delay, and so reveal the duration of the work.
 */
function wholeMilliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
