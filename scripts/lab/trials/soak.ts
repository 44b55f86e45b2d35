import { createRandom } from '../../../test/support/input/random.js';
import { residentBytes } from '../kit/measure/processes.js';
import { median } from '../kit/statistics.js';
import { withServer } from './accounts.js';
import { closedLoop } from './loops.js';
import { createMix } from './request-mix.js';
import type { Trial } from './verdict.js';

const connections = 16;

/** Mixed load for a long time: every request succeeds, and the memory of the server does not grow. */
export const trial: Trial = ({ short, minutes, seed, verdict }) =>
  withServer({ name: 'soak', accounts: 6, employees: 120 }, { verdict }, async (running) => {
    const { client, server } = running;
    const next = await createMix({ ...running, random: createRandom(seed) });
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(residentBytes([server.pid]) / 2 ** 20), 250);
    const load = { client, next, connections, milliseconds: minutes * 60_000, verdict };
    const { served, perSecond, rejected, failed } = await closedLoop(load).finally(() =>
      clearInterval(timer),
    );
    verdict.check(
      `${served} requests served (${perSecond.toFixed(0)}/s), ${rejected} rejected, ${failed} without a response`,
      served > 0 && rejected + failed === 0,
    );
    const memory = (from: number, to: number) =>
      median(samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)));
    // The first fifth of the time is the warm-up. A short run ends before the heap has reached its size.
    const [warm, end] = [memory(0.2, 0.35), memory(0.85, 1)];
    const bound = warm * 1.25 + (short ? 128 : 48);
    verdict.check(
      `memory ${warm.toFixed(0)} MiB when warm, ${end.toFixed(0)} MiB at the end; at most ${bound.toFixed(0)}`,
      end <= bound,
    );
  });
