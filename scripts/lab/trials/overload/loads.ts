import { setTimeout as wait } from 'node:timers/promises';
import { HttpClient } from '../../kit/http/client.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { median } from '../../kit/statistics.js';
import { closedLoop, type LoopResult, openLoop } from '../loops.js';
import type { Verdict } from '../verdict.js';
import type { Scenarios } from './scenarios.js';

export interface Load {
  readonly title: string;
  readonly scenario: keyof Scenarios;
  readonly connections: number;
  /** Number of requests that are due after a number of milliseconds; undefined for a closed loop. */
  readonly dueBy?: (elapsedMs: number) => number;
  readonly isBurst?: boolean;
}

/** A build of the server under load. */
export interface Variant {
  readonly name: string;
  readonly server: ServerProcess;
  readonly scenarios: Scenarios;
}

interface Seen extends LoopResult {
  /** Milliseconds of the slowest probe of `/healthz`. */
  readonly health: number;
}

export interface Row {
  readonly load: Load;
  readonly variant: string;
  readonly seen: Seen;
}

const mostConnections = 2_000;

/** Number of connections for the peak throughput of a server. */
export const peakConnections = 64;

/** Milliseconds between two probes of `/healthz`. */
const probeIntervalMs = 100;

/** @param peak requests per second at {@link peakConnections} */
export function loadsOf(short: boolean, peak: { list: number; mixed: number }): Load[] {
  const closed = short ? [mostConnections] : [32, 256, mostConnections];
  // The mix has requests of all kinds.
  const scenarios = short ? (['list', 'mixed'] as const) : (['list', 'get', 'token', 'mixed'] as const);
  // Far below the capacity of the server, in a burst.
  const burst = Math.min(mostConnections, Math.floor(peak.list / 2));
  return [
    ...scenarios.flatMap((scenario) =>
      closed.map((connections) => ({ title: `${scenario}, closed loop`, scenario, connections })),
    ),
    {
      title: 'mixed, open loop at three times the peak',
      scenario: 'mixed',
      connections: mostConnections,
      dueBy: (elapsedMs) => (elapsedMs / 1000) * peak.mixed * 3,
    },
    {
      title: `list, ${burst} requests at once each second`,
      scenario: 'list',
      connections: mostConnections,
      dueBy: (elapsedMs) => (1 + Math.floor(elapsedMs / 1000)) * burst,
      isBurst: true,
    },
  ];
}

/** Measures the variants in turn, so that other activity of the machine affects all of them. */
export async function measureRounds(
  load: Load,
  variants: readonly Variant[],
  { rounds, ...settings }: { rounds: number; milliseconds: number; verdict: Verdict },
): Promise<Row[]> {
  const seen = variants.map((): Seen[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < variants.length; place += 1) {
      const index = (place + round) % variants.length;
      seen[index].push(await measure(load, variants[index], settings));
    }
  }
  return variants.map(({ name }, index) => ({ load, variant: name, seen: summarise(seen[index]) }));
}

export async function measure(
  { scenario, connections, dueBy }: Load,
  { server, scenarios }: Variant,
  settings: { milliseconds: number; verdict: Verdict },
): Promise<Seen> {
  const client = new HttpClient(server.port);
  const loop = { client, next: scenarios[scenario], connections, ...settings };
  try {
    // All connections are open before the measurement.
    await Promise.all(Array.from({ length: connections }, () => client.send({ path: '/healthz' })));
    const probe = probeHealth(client, settings.milliseconds);
    const result = await (dueBy === undefined ? closedLoop(loop) : openLoop(loop, dueBy));
    return { ...result, health: await probe };
  } finally {
    client.close();
  }
}

/** Medians of the served requests, sums of the others, and the slowest probe. */
function summarise(rounds: readonly Seen[]): Seen {
  const valuesOf = (metric: keyof Seen) => rounds.map((seen) => seen[metric]);
  const sum = (metric: keyof Seen) => valuesOf(metric).reduce((total, value) => total + value, 0);
  return {
    served: sum('served'),
    perSecond: median(valuesOf('perSecond')),
    p50: median(valuesOf('p50')),
    p99: median(valuesOf('p99')),
    rejected: sum('rejected'),
    failed: sum('failed'),
    health: Math.max(...valuesOf('health')),
  };
}

/** @returns milliseconds of the slowest response */
async function probeHealth(client: HttpClient, milliseconds: number): Promise<number> {
  let slowest = 0;
  const endsAt = performance.now() + milliseconds;
  while (performance.now() < endsAt) {
    const sentAt = performance.now();
    await client.send({ path: '/healthz' });
    slowest = Math.max(slowest, performance.now() - sentAt);
    await wait(probeIntervalMs);
  }
  return slowest;
}
