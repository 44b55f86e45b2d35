import type { Random } from '../../../../test/support/input/random.js';
import { median, rankDistance } from '../../kit/statistics.js';
import type { Verdict } from '../verdict.js';
import type { Action, Perform } from './sender.js';

/**
 * Standard deviations beyond which a difference is not random. Less than one comparison in a hundred thousand exceeds
 * them by chance, and a violation requires two in the same direction.
 */
const threshold = 4.5;

interface TimeComparison {
  readonly what: string;
  /** Actions with a foreign and with an unknown id. */
  readonly actions: Readonly<Record<'foreign' | 'unknown', () => Action>>;
  readonly samples: number;
  readonly perform: Perform;
  readonly random: Random;
  readonly verdict: Verdict;
}

/** Checks that the time of a response does not distinguish a foreign from an unknown id. */
export async function compareTimes(comparison: TimeComparison): Promise<void> {
  const { what, verdict } = comparison;
  const { foreign, unknown } = await measure(comparison);
  const distance = rankDistance(foreign, unknown);
  let holds = Math.abs(distance) < threshold;
  let again = '';
  if (!holds) {
    const second = await measure(comparison);
    const repeated = rankDistance(second.foreign, second.unknown);
    again = `, again ${repeated.toFixed(1)}`;
    holds = Math.abs(repeated) < threshold || Math.sign(repeated) !== Math.sign(distance);
  }
  verdict.checkTime(
    `time of ${what}: ${median(foreign).toFixed(2)} ms foreign, ${median(unknown).toFixed(2)} ms unknown, distance ${distance.toFixed(1)}${again}`,
    holds,
  );
}

/** Milliseconds of responses, measured in pairs in random order, so that activity of the machine affects both alike. */
async function measure({ actions, samples, perform, random }: TimeComparison) {
  const times: Record<'foreign' | 'unknown', number[]> = { foreign: [], unknown: [] };
  for (let pair = 0; pair < samples; pair += 1) {
    const kinds = random.chance(0.5) ? (['foreign', 'unknown'] as const) : (['unknown', 'foreign'] as const);
    for (const kind of kinds) {
      const action = actions[kind]();
      const startedAt = process.hrtime.bigint();
      await perform(action);
      times[kind].push(Number(process.hrtime.bigint() - startedAt) / 1e6);
    }
  }
  return times;
}
