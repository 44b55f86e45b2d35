import { median } from '../../bench/measure/statistics.mjs';
import { markdown } from '../../bench/report/tables.mjs';
import { Client } from '../client/client.mjs';
import { createRandom } from '../random.mjs';
import { keepApart } from '../world/processors.mjs';
import { startServer } from '../world/server.mjs';
import { withWorld } from '../world/world.mjs';
import { closedLoop, openLoop } from './flood.mjs';
import { createScenarios } from './scenarios.mjs';

const most = 2_000;

/** Connections on which a server does the most. */
const peakConnections = 64;

const bars = { p99Ms: 2_000, healthMs: 1_000, goodput: 0.9 };

/** More clients than the server can serve at once: goodput, times, and who is rejected. */
export function trial({ short, seed, verdict, against }) {
  const seconds = short ? { warm: 1, each: 1 } : { warm: 5, each: 2 };
  const rounds = short ? 1 : 3;
  const closed = short ? [most] : [32, 256, most];
  return withWorld({ name: 'overload', accounts: 4, employees: 500 }, async ({ url, accounts }) => {
    const variants = await startVariants(url, against);
    let processors;
    try {
      for (const variant of variants) {
        const client = new Client(variant.server.port);
        const send = (request) => client.send(request);
        variant.scenarios = await createScenarios({ url, accounts, send, random: createRandom(seed) });
        const next = variant.scenarios.mixed;
        const milliseconds = seconds.warm * 1000;
        await closedLoop({ client, next, connections: peakConnections, milliseconds, verdict });
        client.close();
      }
      processors = await keepApart({ url, servers: variants.map(({ server }) => server.pid) });
      verdict.say(processors.text);
      const peak = await measurePeak(variants[0], { milliseconds: seconds.each * 1000, verdict });
      verdict.say(
        `at ${peakConnections} connections: ${peak.list.toFixed(0)} lists/s, mixed ${peak.mixed.toFixed(0)}/s`,
      );
      const rows = [];
      for (const load of loadsOf(closed, peak)) {
        rows.push(
          ...(await measureRounds({ load, variants, rounds, milliseconds: seconds.each * 1000, verdict })),
        );
      }
      verdict.say(`\n${markdown(tableOf(rows))}\n`);
      judge(rows, verdict, { compared: against !== undefined });
      for (const { name, server } of variants) verdict.bar(`the server is alive: ${name}`, server.alive());
    } finally {
      processors?.restore();
      for (const { server } of variants) await server.stop();
    }
  });
}

/** This build; and another one, with the limit that it may have on the requests that it works on, and without. */
async function startVariants(url, root) {
  const variants = [{ name: 'this build', server: await startServer(url) }];
  if (root === undefined) return variants;
  variants.push({ name: 'other build', server: await startServer(url, {}, [], root) });
  const unlimited = { MAX_ACTIVE_REQUESTS: '0' };
  variants.push({ name: 'other build, no limit', server: await startServer(url, unlimited, [], root) });
  return variants;
}

/** What the server does on few connections; open loops are multiples of it. */
async function measurePeak({ server, scenarios }, { milliseconds, verdict }) {
  const peak = {};
  for (const scenario of ['list', 'mixed']) {
    const client = new Client(server.port);
    const next = scenarios[scenario];
    const seen = await closedLoop({ client, next, connections: peakConnections, milliseconds, verdict });
    client.close();
    peak[scenario] = seen.perSecond;
  }
  return peak;
}

function loadsOf(closed, peak) {
  const closedLoops = ['list', 'get', 'token', 'mixed'].flatMap((scenario) =>
    closed.map((connections) => ({ title: `${scenario}, closed loop`, scenario, connections })),
  );
  // Far below what the server can do, but all at once.
  const burst = Math.min(most, Math.floor(peak.list / 2));
  return [
    ...closedLoops,
    {
      title: 'mixed, open loop at three times the peak',
      scenario: 'mixed',
      connections: most,
      dueBy: (elapsedMs) => (elapsedMs / 1000) * peak.mixed * 3,
    },
    {
      title: `list, ${burst} requests at once each second`,
      scenario: 'list',
      connections: most,
      dueBy: (elapsedMs) => (1 + Math.floor(elapsedMs / 1000)) * burst,
      isBurst: true,
    },
  ];
}

/** Measures the variants in turn, so that whatever else the machine does meets all of them. */
async function measureRounds({ load, variants, rounds, ...settings }) {
  const seen = new Map(variants.map((variant) => [variant, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < variants.length; place += 1) {
      const variant = variants[(place + round) % variants.length];
      seen.get(variant).push(await measure({ load, variant, ...settings }));
    }
  }
  return variants.map((variant) => ({ load, variant: variant.name, seen: together(seen.get(variant)) }));
}

/** Medians of what was served, all that was not, and the slowest probe. */
function together(rounds) {
  const valuesOf = (metric) => rounds.map((seen) => seen[metric]);
  const sum = (metric) => valuesOf(metric).reduce((total, value) => total + value, 0);
  return {
    perSecond: median(valuesOf('perSecond')),
    p99: median(valuesOf('p99')),
    rejected: sum('rejected'),
    failed: sum('failed'),
    health: Math.max(...valuesOf('health')),
  };
}

async function measure({ load, variant, milliseconds, verdict }) {
  const { scenario, connections, dueBy } = load;
  const client = new Client(variant.server.port);
  const common = { client, next: variant.scenarios[scenario], connections, milliseconds, verdict };
  try {
    await open(client, connections);
    return await (dueBy === undefined ? closedLoop(common) : openLoop({ ...common, dueBy }));
  } finally {
    client.close();
  }
}

/** Opens all connections before anything is measured. */
async function open(client, connections) {
  await Promise.all(Array.from({ length: connections }, () => client.send({ path: '/healthz' })));
}

function tableOf(rows) {
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

function judge(rows, verdict, { compared }) {
  const ours = rows.filter(({ variant }) => variant === 'this build');
  const worst = (metric) => Math.max(...ours.map(({ seen }) => seen[metric]));
  verdict.time(
    `p99 of served requests at most ${worst('p99').toFixed(0)} ms; bar ${bars.p99Ms} ms`,
    worst('p99') <= bars.p99Ms,
  );
  verdict.time(
    `/healthz took at most ${worst('health').toFixed(0)} ms; bar ${bars.healthMs} ms`,
    worst('health') <= bars.healthMs,
  );
  const burst = ours.find(({ load }) => load.isBurst).seen;
  verdict.time(
    `of bursts below capacity ${burst.rejected + burst.failed} requests were rejected or lost; bar 0`,
    burst.rejected + burst.failed === 0,
  );
  verdict.time(`${worst('failed')} requests got no response; bar 0`, worst('failed') === 0);
  if (!compared) return;
  const parts = ours.map(({ load, seen }) => {
    const unlimited = rows.find((row) => row.load === load && row.variant === 'other build, no limit');
    return seen.perSecond / unlimited.seen.perSecond;
  });
  const least = Math.min(...parts);
  verdict.time(
    `goodput is at least ${least.toFixed(2)} times that without any limit; bar ${bars.goodput}`,
    least >= bars.goodput,
  );
}
