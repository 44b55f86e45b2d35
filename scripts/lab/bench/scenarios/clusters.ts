import { createCitusDatabase, hasCitus, startCitus } from '../../../../test/support/cluster/citus.js';
import { startCluster } from '../../../../test/support/cluster/cluster.js';
import { type Database, PostgresqlServer, withClient } from '../../kit/database/postgresql.js';
import { fillTenants } from '../../kit/database/tenants.js';
import { runCommand } from '../../kit/server/command.js';
import { ratios } from '../../kit/statistics.js';
import { type Bound, bar, compare } from '../bars.js';
import type { Context, Finding, Scenario } from '../context.js';
import { sizes } from '../databases.js';
import { sampleTable } from '../report/tables.js';
import { measureRounds, type Target } from '../rounds.js';
import type { Sample } from '../sample.js';
import { getReads, listReads, readTarget } from './reads.js';
import { withSetting } from './setting.js';

type CreateReads = typeof listReads;

/** Our server on a database. */
interface Side {
  readonly name: string;
  readonly database: Database;
  /** First process of the PostgreSQL server that the service is connected to. */
  readonly postmaster?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

const size = sizes.tenants;
const connections = 32;
const settings = { shared_buffers: '128MB' };

/** Reads from several database servers, compared with one. "PostgreSQL" in the table is the primary or the coordinator. */
export const clusterScenarios: readonly Scenario[] = [
  ...scenariosOf('standbys', 'from standbys and from the primary', readFromStandbys),
  ...(hasCitus ? scenariosOf('citus', 'from Citus with two workers and from one server', readFromCitus) : []),
];

function scenariosOf(
  name: string,
  title: string,
  run: (context: Context, createReads: CreateReads) => Promise<Finding>,
): Scenario[] {
  return [
    {
      name: `list-${name}`,
      title: `List 50 employees ${title} (${connections} connections)`,
      run: (context) => run(context, listReads),
    },
    {
      name: `get-${name}`,
      title: `Get one employee ${title} (${connections} connections)`,
      run: (context) => run(context, getReads),
    },
  ];
}

async function readFromStandbys(context: Context, createReads: CreateReads): Promise<Finding> {
  const cluster = await startCluster({ standbys: 2, settings });
  try {
    const postmaster = cluster.primary.pid;
    // The database ends with the cluster.
    const server = await PostgresqlServer.open(cluster.primary.url, { keep: true });
    const database = await server.database('standbys', fillTenants(size));
    await server.close();
    const urls = cluster.standbys.map((standby) => standby.urlOf(database.name)).join(',');
    const environment = { REPLICA_DATABASE_URLS: urls };
    return await compareReads(context, createReads, [
      { name: 'reads from two standbys', database, postmaster, environment },
      { name: 'reads from the primary', database, postmaster },
    ]);
  } finally {
    await cluster.close();
  }
}

async function readFromCitus(context: Context, createReads: CreateReads): Promise<Finding> {
  const cluster = await startCitus(settings);
  const { coordinator, workers } = cluster;
  try {
    const workerUrls = workers.map((worker) => worker.url);
    await createCitusDatabase(coordinator.url, workerUrls, 'bench');
    const database = { name: 'bench', url: coordinator.urlOf('bench') };
    runCommand(['distribute'], database.url);
    await withClient(database.url, async (client) => {
      await fillTenants(size)(client);
      // Without names of tables, only the coordinator is analyzed.
      await client.query(
        'VACUUM (ANALYZE) account_totals, employees, employee_counts, employee_facets, employee_location_facets',
      );
    });
    const one = { name: 'one server', database: await context.database('tenants') };
    const citus = { name: 'Citus, two workers', database, postmaster: coordinator.pid };
    const atLeast = createReads === listReads ? 0.25 : 0.15;
    return await compareReads(context, createReads, [citus, one], { atLeast });
  } finally {
    await cluster.close();
  }
}

/** Both databases have the same rows. */
function compareReads(
  context: Context,
  createReads: CreateReads,
  sides: readonly [Side, Side],
  bound: Bound = {},
): Promise<Finding> {
  return withSetting(context, 'tenants', async ({ startOurs }) => {
    const reads = await createReads(sides[1].database, size);
    const targets: Target[] = [];
    for (const { name, database, postmaster, environment } of sides) {
      const server = await startOurs({ databaseUrl: database.url, environment });
      const target = await readTarget({ name }, server, reads);
      targets.push({ ...target, database: database.name, postmaster });
    }
    const samples = await measureRounds(context, { targets, connections });
    const [of, against] = sides.map(({ name }) => name);
    const perDatabaseSecond = (name: string) => (samples.get(name) ?? []).map(ofDatabase);
    return {
      table: sampleTable(samples),
      bars: [
        compare(samples, { of, against, bound, metric: 'perSecond' }),
        compare(samples, { of, against, bound: {} }),
        bar(
          `${of} ÷ ${against}: requests per processor second of the primary or the coordinator`,
          ratios(perDatabaseSecond(of), perDatabaseSecond(against)),
          {},
        ),
      ],
    };
  });
}

/** Requests per second of processor time of PostgreSQL. */
function ofDatabase({ perServerSecond, perTotalSecond }: Sample): number {
  return 1 / (1 / perTotalSecond - 1 / perServerSecond);
}
