import { createRandom } from '../../../../test/support/input/random.js';
import { HttpClient } from '../../kit/http/client.js';
import { separateProcessors } from '../../kit/measure/processors.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { markdown } from '../../kit/table.js';
import { type Account, startServer, withAccounts } from '../accounts.js';
import type { Trial, Verdict } from '../verdict.js';
import { loadsOf, measure, measureRounds, peakConnections, type Row, type Variant } from './loads.js';
import { createScenarios } from './scenarios.js';

const ours = 'this build';

const bars = { p99Ms: 2_000, healthMs: 1_000 };

/** Measures overload: goodput, response times, and rejections. */
export const trial: Trial = ({ short, seed, verdict, against }) => {
  const milliseconds = short ? 1_000 : 2_000;
  const warmupMs = short ? 1_000 : 5_000;
  return withAccounts({ name: 'overload', accounts: 4, employees: 500 }, async ({ url, accounts }) => {
    const servers = await startServers(url, against);
    let processors: { text: string; restore: () => void } | undefined;
    try {
      const variants: Variant[] = [];
      for (const [name, server] of servers) {
        const variant = { name, server, scenarios: await scenariosOf(server, { url, accounts, seed }) };
        variants.push(variant);
        await atPeak(variant, 'mixed', { milliseconds: warmupMs, verdict });
      }
      processors = await separateProcessors({ url, servers: [...servers.values()].map(({ pid }) => pid) });
      verdict.note(processors.text);
      const peak = {
        list: await atPeak(variants[0], 'list', { milliseconds, verdict }),
        mixed: await atPeak(variants[0], 'mixed', { milliseconds, verdict }),
      };
      verdict.note(
        `at ${peakConnections} connections: ${peak.list.toFixed(0)} lists/s, mixed ${peak.mixed.toFixed(0)}/s`,
      );
      const rows: Row[] = [];
      for (const load of loadsOf(short, peak)) {
        rows.push(...(await measureRounds(load, variants, { rounds: short ? 1 : 3, milliseconds, verdict })));
      }
      verdict.note(`\n${markdown(tableOf(rows))}\n`);
      check(rows, verdict);
      for (const [name, server] of servers) verdict.check(`the server is alive: ${name}`, server.isAlive());
    } finally {
      processors?.restore();
      for (const server of servers.values()) await server.stop();
    }
  });
};

/** This build, and another one. */
async function startServers(
  databaseUrl: string,
  root: string | undefined,
): Promise<Map<string, ServerProcess>> {
  const servers = new Map([[ours, await startServer({ databaseUrl })]]);
  if (root !== undefined) servers.set('other build', await startServer({ databaseUrl, root }));
  return servers;
}

async function scenariosOf(
  { port }: ServerProcess,
  { url, accounts, seed }: { url: string; accounts: readonly Account[]; seed: number },
) {
  const client = new HttpClient(port);
  try {
    return await createScenarios({ url, accounts, send: client.send, random: createRandom(seed) });
  } finally {
    client.close();
  }
}

/** @returns requests per second with few connections */
async function atPeak(
  variant: Variant,
  scenario: 'list' | 'mixed',
  settings: { milliseconds: number; verdict: Verdict },
): Promise<number> {
  const load = { title: 'peak', scenario, connections: peakConnections };
  return (await measure(load, variant, settings)).perSecond;
}

function tableOf(rows: readonly Row[]) {
  return {
    columns: ['load', 'served/s', 'p99 ms', 'rejected', 'no response', '/healthz max ms'],
    rows: rows.map(({ load: { title, connections }, variant, seen }) => [
      `${title}, ${connections} connections: ${variant}`,
      seen.perSecond.toFixed(0),
      seen.p99.toFixed(0),
      String(seen.rejected),
      String(seen.failed),
      seen.health.toFixed(0),
    ]),
  };
}

function check(rows: readonly Row[], verdict: Verdict): void {
  const own = rows.filter(({ variant }) => variant === ours);
  const worst = (metric: 'p99' | 'health' | 'failed') => Math.max(...own.map(({ seen }) => seen[metric]));
  verdict.checkTime(
    `p99 of served requests at most ${worst('p99').toFixed(0)} ms; bar ${bars.p99Ms} ms`,
    worst('p99') <= bars.p99Ms,
  );
  verdict.checkTime(
    `/healthz took at most ${worst('health').toFixed(0)} ms; bar ${bars.healthMs} ms`,
    worst('health') <= bars.healthMs,
  );
  const lost = own
    .filter(({ load }) => load.isBurst)
    .reduce((sum, { seen }) => sum + seen.rejected + seen.failed, 0);
  verdict.checkTime(
    `${lost} requests of bursts below capacity were rejected or got no response; bar 0`,
    lost === 0,
  );
  verdict.checkTime(`${worst('failed')} requests got no response; bar 0`, worst('failed') === 0);
}
