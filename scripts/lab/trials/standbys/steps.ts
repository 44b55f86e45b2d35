import { setTimeout as wait } from 'node:timers/promises';
import type { Standby } from '../../../../test/support/cluster/cluster.js';
import type { Verdict } from '../verdict.js';
import type { Pairs } from './pair-client.js';
import type { ReadCounts } from './read-counts.js';

type Fault = 'stop' | 'kill' | 'freeze';

interface Step {
  /** Milliseconds that each standby lags. */
  readonly lag: readonly [number, number];
  /** What happens to a standby during the step. */
  readonly faults?: readonly [Fault?, Fault?];
}

const steps: readonly Step[] = [
  { lag: [0, 0] },
  { lag: [20, 20] },
  { lag: [50, 0] },
  { lag: [1_000, 1_000] },
  { lag: [0, 0], faults: ['stop'] },
  { lag: [20, 50], faults: [undefined, 'freeze'] },
  { lag: [50, 20], faults: ['kill', 'stop'] },
  { lag: [0, 1_000], faults: ['freeze', 'kill'] },
];

/** Repeats all steps until the number of pairs is reached. Reports the number of pairs of each step. */
export async function runSteps(
  standbys: readonly Standby[],
  {
    wanted,
    stepMs,
    pairs,
    counts,
    verdict,
  }: { wanted: number; stepMs: number; pairs: Pairs; counts: ReadCounts; verdict: Verdict },
): Promise<void> {
  const pairsOf = steps.map(() => 0);
  for (let index = 0; !pairs.stopped && (index < steps.length || pairs.done < wanted); index += 1) {
    const place = index % steps.length;
    const before = pairs.done;
    await runStep(standbys, { step: steps[place], stepMs, counts });
    pairsOf[place] += pairs.done - before;
  }
  for (const [place, { lag, faults = [] }] of steps.entries()) {
    const each = lag.map((ms, number) => `${ms} ms${faults[number] ? ` and ${faults[number]}` : ''}`);
    verdict.note(`lag of ${each.join(', ')}: ${pairsOf[place]} pairs`);
  }
}

async function runStep(
  standbys: readonly Standby[],
  { step: { lag, faults = [] }, stepMs, counts }: { step: Step; stepMs: number; counts: ReadCounts },
): Promise<void> {
  await Promise.all(standbys.map((standby, number) => standby.setDelay(lag[number])));
  if (faults.length === 0) return wait(stepMs / 2);
  await wait(stepMs / 8);
  await counts.sample();
  await Promise.all(standbys.map((standby, number) => start(standby, faults[number])));
  // Even in a short run, a standby is frozen for more than a second, after which it is not used.
  await wait((stepMs * 5) / 8);
  await Promise.all(standbys.map((standby, number) => end(standby, faults[number])));
  await wait(stepMs / 4);
}

async function start(standby: Standby, fault: Fault | undefined): Promise<void> {
  if (fault === 'stop') await standby.stop();
  if (fault === 'kill') await standby.kill();
  if (fault === 'freeze') standby.freeze();
}

async function end(standby: Standby, fault: Fault | undefined): Promise<void> {
  if (fault === 'freeze') standby.unfreeze();
  else if (fault !== undefined) await standby.start();
}
