import { median } from '../../bench/measure/statistics.mjs';
import { rankDistance } from './rank-test.mjs';

/**
 * Standard deviations beyond which a difference is none of chance: fewer than one comparison in a hundred thousand gets
 * there, and it must do so twice, in the same direction.
 */
const threshold = 4.5;

/** Milliseconds for answers to foreign and to unknown ids, asked in turns in an order of chance. */
async function measure({ foreign, unknown, samples, send, random }) {
  const times = { foreign: [], unknown: [] };
  for (let index = 0; index < samples * 2; index += 1) {
    // Pairs, each in either order: whatever slows the machine meets both alike.
    const first = index % 2 === 0 ? random.chance(0.5) : !times.first;
    times.first = first;
    const request = first ? foreign() : unknown();
    const begun = process.hrtime.bigint();
    await send(request);
    times[first ? 'foreign' : 'unknown'].push(Number(process.hrtime.bigint() - begun) / 1e6);
  }
  return times;
}

/**
 * Whether the time of an answer tells a foreign id from an unknown one.
 *
 * @param {{ what: string, foreign: () => object, unknown: () => object, samples: number, send: Function,
 *   random: object, verdict: import('../verdict.mjs').Verdict }} comparison
 */
export async function compareTimes(comparison) {
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
  verdict.time(
    `time of ${what}: ${median(foreign).toFixed(2)} ms foreign, ${median(unknown).toFixed(2)} ms unknown, distance ${distance.toFixed(1)}${again}`,
    holds,
  );
}
