import { type CitusCluster, hasCitus, startCitus } from '../../../../test/support/cluster/citus.js';
import type { ClusterServer } from '../../../../test/support/cluster/cluster-server.js';
import { createDistributedDatabase } from '../../kit/database/citus.js';
import type { Database } from '../../kit/database/postgresql.js';
import { fillTenants, tenants } from '../../kit/database/tenants.js';
import { processTimes } from '../../kit/measure/processes.js';
import { startOurs } from '../../kit/server/ours.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { median, ratios } from '../../kit/statistics.js';
import { bar } from '../bars.js';
import type { Context, Finding, Scenario } from '../context.js';
import { sizes } from '../databases.js';
import { runOnce, settle, type Target } from '../rounds.js';
import { getReads, listReads, type Read, verifyReads } from './reads.js';
import { requestTokens } from './tokens.js';

const size = sizes.tenants;
const connections = 32;
const warmupSeconds = 0.3;

/** Cost of one request, in microseconds of processor time. */
interface Cost {
  readonly perSecond: number;
  readonly service: number;
  readonly coordinator: number;
  readonly workers: number;
}

/** Reads from a Citus coordinator with two workers, compared with one server. */
export const citusScenarios: readonly Scenario[] = hasCitus
  ? [
      {
        name: 'list-citus',
        title: 'List 50 employees from Citus with two workers and from one server (32 connections)',
        run: (context) => run(context, listReads, 0.25),
      },
      {
        name: 'get-citus',
        title: 'Get one employee from Citus with two workers and from one server (32 connections)',
        run: (context) => run(context, getReads, 0.15),
      },
    ]
  : [];

async function run(context: Context, createReads: typeof listReads, atLeast: number): Promise<Finding> {
  const cluster = await startCitus({ shared_buffers: '128MB' });
  const servers: ServerProcess[] = [];
  const start = async ({ url }: Database) => {
    const server = await startOurs({ databaseUrl: url });
    servers.push(server);
    return server;
  };
  try {
    const plain = await context.database('tenants');
    const distributed = await createDistributedDatabase(cluster, 'bench', fillTenants(size));
    // Both databases have the same rows.
    const reads = await createReads(plain, size);
    const one = await readTarget('one server', await start(plain), reads);
    const citus = await readTarget('Citus, two workers', await start(distributed), reads);
    const costs = new Map<Target, Cost[]>([
      [citus, []],
      [one, []],
    ]);
    for (const target of costs.keys()) await settle(context, target);
    for (let round = 0; round < context.options.rounds; round += 1) {
      for (const [target, found] of costs)
        found.push(await costOf(context, target, target === citus ? cluster : undefined));
      context.progress(`round ${round + 1} of ${context.options.rounds}`);
    }
    const perSecond = (target: Target) => (costs.get(target) ?? []).map((cost) => cost.perSecond);
    return {
      table: {
        columns: ['', 'requests/s', 'service CPU µs', 'PostgreSQL or coordinator CPU µs', 'workers CPU µs'],
        rows: [...costs].map(([{ name }, found]) => [
          name,
          ...(['perSecond', 'service', 'coordinator', 'workers'] as const).map((part) =>
            Math.round(median(found.map((cost) => cost[part]))).toString(),
          ),
        ]),
      },
      bars: [
        bar(`${citus.name} ÷ ${one.name}: requests per second`, ratios(perSecond(citus), perSecond(one)), {
          atLeast,
        }),
      ],
    };
  } finally {
    for (const server of servers) await server.stop();
    await cluster.close();
  }
}

/** @param cluster the servers of the target; absent: the server of the other scenarios */
async function costOf(context: Context, target: Target, cluster: CitusCluster | undefined): Promise<Cost> {
  const { seconds } = context.options;
  const coordinator = () => processorSeconds(cluster?.coordinator.pid ?? context.server.postmaster);
  const workers = () =>
    (cluster?.workers ?? []).reduce((sum, { pid }: ClusterServer) => sum + processorSeconds(pid), 0);
  const before = { coordinator: coordinator(), workers: workers() };
  const { result } = await runOnce(context, target, { connections, warmupSeconds, seconds });
  const requests = result.latencies.length;
  // The requests before the measurement cost the same.
  const all = (requests * (seconds + warmupSeconds)) / seconds;
  return {
    perSecond: (1000 * requests) / (result.end.at - result.begin.at),
    service: (1e6 * (result.end.servers - result.begin.servers)) / requests,
    coordinator: (1e6 * (coordinator() - before.coordinator)) / all,
    workers: (1e6 * (workers() - before.workers)) / all,
  };
}

/** Processor time of a PostgreSQL server. */
function processorSeconds(postmaster: number | undefined): number {
  const { sessions, others, shared } = processTimes({ servers: [], postmaster, database: '' });
  return [...Object.values(sessions), ...Object.values(others)].reduce((sum, each) => sum + each, shared);
}

async function readTarget(name: string, server: ServerProcess, reads: readonly Read[]): Promise<Target> {
  const tokens = await requestTokens(server, tenants(size.tenants));
  const requests = await verifyReads({ name, server, tokens }, reads);
  return { name, service: server, job: async () => ({ load: 'fixedRequests', input: { requests } }) };
}
