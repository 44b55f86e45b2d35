import { setTimeout as wait } from 'node:timers/promises';
import { processSeconds } from '../../bench/measure/processor-time.mjs';
import { quantile } from '../../bench/measure/statistics.mjs';
import { Client } from '../client/client.mjs';
import { closedLoop, createMix } from '../load-mix.mjs';
import { createRandom } from '../random.mjs';
import { keepApart } from '../world/processors.mjs';
import { startServer } from '../world/server.mjs';
import { withWorld } from '../world/world.mjs';
import { openConnections, openLoop } from './open-loop.mjs';

/** Connections with which the server does the most, and those that a quiet server has. */
const peakConnections = 64;
const quietConnections = 4;

const bars = { goodput: 0.8, p99Ms: 1_000, recoveryMs: 5_000 };

/** Three times of what the server can do. */
export function trial({ short, seed, verdict }) {
  const seconds = short
    ? { warm: 1, peak: 1, quiet: 0.5, over: 2 }
    : { warm: 10, peak: 10, quiet: 3, over: 30 };
  const random = createRandom(seed);
  return withWorld({ name: 'overload', accounts: 4, employees: 500 }, async ({ url, accounts }) => {
    const server = await startServer(url);
    const client = new Client(server.port);
    const send = (request) => client.send(request);
    const flood = new Client(server.port);
    let processors;
    try {
      const next = await createMix({ url, accounts, send, random });
      const warmUp = () =>
        closedLoop({ send, next, connections: peakConnections, milliseconds: seconds.warm * 500 });
      // All connections to the database are open after it.
      await warmUp();
      processors = await keepApart({ url, server });
      verdict.say(processors.text);
      await warmUp();
      const quietBefore = await measureQuiet({ send, next, milliseconds: seconds.quiet * 1000 });
      const usedBefore = processSeconds(server.pid);
      const peak = await closedLoop({
        send,
        next,
        connections: peakConnections,
        milliseconds: seconds.peak * 1000,
      });
      verdict.say(
        `peak ${peak.perSecond.toFixed(0)}/s on ${peakConnections} connections, p99 ${quantile(peak.times, 0.99).toFixed(0)} ms; quiet p99 ${quietBefore.toFixed(1)} ms`,
      );
      const used = (processSeconds(server.pid) - usedBefore) / seconds.peak;
      verdict.say(`the server used ${(used * 100).toFixed(0)} % of a processor for it`);
      const load = {
        client: flood,
        next,
        perSecond: peak.perSecond * 3,
        milliseconds: seconds.over * 1000,
        verdict,
      };
      await openConnections(flood);
      const usedUntilNow = processSeconds(server.pid);
      const { seen, settled } = await openLoop(load);
      const usedUnderLoad = (processSeconds(server.pid) - usedUntilNow) / seen.seconds;
      await checkRecovery({ send, next, verdict, quietBefore, milliseconds: seconds.quiet * 1000 });
      await settled();
      report(verdict, seen, peak.perSecond);
      verdict.say(`the server used ${(usedUnderLoad * 100).toFixed(0)} % of a processor for it`);
      verdict.bar('the server is alive', server.alive());
    } finally {
      processors?.restore();
      client.close();
      flood.close();
      await server.stop();
    }
  });
}

function report(verdict, { offered, accepted, shed, shedTimes, failed, gaveUp, seconds }, peak) {
  const within = accepted.filter((answer) => answer.within);
  const goodput = within.length / seconds;
  const p99 = quantile(
    accepted.map(({ time }) => time),
    0.99,
  );
  verdict.say(
    `offered ${(offered / seconds).toFixed(0)}/s for ${seconds.toFixed(1)} s: ${within.length} accepted, ${shed} shed, ${failed} without an answer, ${gaveUp} callers found no connection`,
  );
  if (shed > 0)
    verdict.say(
      `a refusal took ${quantile(shedTimes, 0.5).toFixed(0)} ms, p99 ${quantile(shedTimes, 0.99).toFixed(0)} ms`,
    );
  const part = goodput / peak;
  verdict.time(
    `goodput ${goodput.toFixed(0)}/s is ${(part * 100).toFixed(0)} % of the peak; at least ${bars.goodput * 100} %`,
    part >= bars.goodput,
  );
  verdict.time(`p99 of what was accepted ${p99.toFixed(0)} ms; at most ${bars.p99Ms} ms`, p99 <= bars.p99Ms);
  verdict.time(`${failed + gaveUp} callers got neither an answer nor a 503; none`, failed + gaveUp === 0);
}

async function measureQuiet({ send, next, milliseconds }) {
  const { times } = await closedLoop({ send, next, connections: quietConnections, milliseconds });
  return quantile(times, 0.99);
}

/** Asks now and then, like a caller who comes back, until answers take as long as they did before. */
async function checkRecovery({ send, next, verdict, quietBefore, milliseconds }) {
  const endedAt = performance.now();
  const bound = quietBefore * 2 + 10;
  for (;;) {
    const p99 = await measureQuiet({ send, next, milliseconds: Math.min(milliseconds, 500) }).catch(
      () => Number.POSITIVE_INFINITY,
    );
    const after = performance.now() - endedAt;
    if (p99 <= bound || after > bars.recoveryMs) {
      verdict.time(
        `${(after / 1000).toFixed(1)} s after the load p99 is ${p99.toFixed(1)} ms; at most ${bound.toFixed(1)} ms within ${bars.recoveryMs / 1000} s`,
        p99 <= bound,
      );
      return;
    }
    await wait(100);
  }
}
