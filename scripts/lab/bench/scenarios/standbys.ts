import { startCluster } from '../../../../test/support/cluster/cluster.js';
import { PostgresqlServer } from '../../kit/database/postgresql.js';
import { fillTenants, tenants } from '../../kit/database/tenants.js';
import { startOurs } from '../../kit/server/ours.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { ratios } from '../../kit/statistics.js';
import { bar, compare } from '../bars.js';
import type { Context, Finding, Scenario } from '../context.js';
import { sizes } from '../databases.js';
import { sampleTable } from '../report/tables.js';
import { measureRounds, type Target } from '../rounds.js';
import type { Sample } from '../sample.js';
import { getReads, listReads, type Read, verifyReads } from './reads.js';
import { requestTokens } from './tokens.js';

const size = sizes.tenants;
const connections = 32;
const withStandbys = 'reads from two standbys';
const withoutStandbys = 'reads from the primary';

/** The cost of reads from standbys, and the saved processor time of the primary, which is "PostgreSQL" in the table. */
export const standbyScenarios: readonly Scenario[] = [
  {
    name: 'list-standbys',
    title: 'List 50 employees from standbys and from the primary (32 connections)',
    run: (context) => run(context, listReads),
  },
  {
    name: 'get-standbys',
    title: 'Get one employee from standbys and from the primary (32 connections)',
    run: (context) => run(context, getReads),
  },
];

async function run(context: Context, createReads: typeof listReads): Promise<Finding> {
  const cluster = await startCluster({ standbys: 2, settings: { shared_buffers: '128MB' } });
  const servers: ServerProcess[] = [];
  try {
    const server = await PostgresqlServer.open(cluster.primary.url, { keep: true });
    const database = await server.database('standbys', fillTenants(size));
    const reads = await createReads(database, size);
    const urls = cluster.standbys.map((standby) => standby.urlOf(database.name));
    const targets: Target[] = [];
    for (const [name, replicas] of [
      [withStandbys, urls.join(',')],
      [withoutStandbys, ''],
    ]) {
      const environment = { REPLICA_DATABASE_URLS: replicas };
      const ours = await startOurs({ databaseUrl: database.url, environment });
      servers.push(ours);
      targets.push(await readTarget(name, ours, reads));
    }
    const samples = await measureRounds(
      { ...context, server },
      { targets, connections, database: database.name },
    );
    await server.close();
    const both = { of: withStandbys, against: withoutStandbys, bound: {} };
    const perPrimarySecond = (name: string) => (samples.get(name) ?? []).map(ofPrimary);
    return {
      table: sampleTable(samples),
      bars: [
        compare(samples, { ...both, metric: 'perSecond' }),
        compare(samples, both),
        bar(
          `${withStandbys} ÷ ${withoutStandbys}: requests per processor second of the primary`,
          ratios(perPrimarySecond(withStandbys), perPrimarySecond(withoutStandbys)),
          {},
        ),
      ],
    };
  } finally {
    for (const ours of servers) await ours.stop();
    await cluster.close();
  }
}

/** Requests per second of processor time of the primary. */
function ofPrimary({ perServerSecond, perTotalSecond }: Sample): number {
  return 1 / (1 / perTotalSecond - 1 / perServerSecond);
}

async function readTarget(name: string, server: ServerProcess, reads: readonly Read[]): Promise<Target> {
  const tokens = await requestTokens(server, tenants(size.tenants));
  const requests = await verifyReads({ name, server, tokens }, reads);
  return { name, service: server, job: async () => ({ load: 'fixedRequests', input: { requests } }) };
}
