import { type Cluster, startCluster } from '../../../../test/support/cluster/cluster.js';
import { hasPostgresqlPrograms } from '../../../../test/support/cluster/programs.js';
import { PostgresqlServer } from '../../kit/database/postgresql.js';
import { HttpClient } from '../../kit/http/client.js';
import { createRandom } from '../../kit/random.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { createAccounts, requestToken, startServer } from '../accounts.js';
import type { Trial, Verdict } from '../verdict.js';
import { PairClient, type Pairs } from './pair-client.js';
import { ReadCounts } from './read-counts.js';
import { runSteps } from './steps.js';

const size = { name: 'standbys', accounts: 8, employees: 20 };

/** Clients of each account. A process runs as many reports of an account at the same time. */
const clientsPerAccount = 2;

interface Settings {
  /** Minimum number of pairs of a write and a read. */
  readonly wanted: number;
  readonly stepMs: number;
  readonly seed: number;
  readonly verdict: Verdict;
}

/** Writes through one process and reads through another, while the standbys lag, stop, hang and return. */
export const trial: Trial = async ({ short, requests, seed, verdict }) => {
  if (!hasPostgresqlPrograms) {
    verdict.note('skipped: the programs of PostgreSQL are not installed, or PG_CONFIG does not name them');
    return;
  }
  const cluster = await startCluster({ standbys: 2 });
  try {
    const wanted = short ? Math.min(requests, 500) : requests;
    await writeAndRead(cluster, { wanted, stepMs: short ? 1_800 : 5_000, seed, verdict });
  } finally {
    await cluster.close();
  }
};

async function writeAndRead(cluster: Cluster, settings: Settings): Promise<void> {
  // The databases are kept, because the cluster is temporary.
  const postgresql = await PostgresqlServer.open(cluster.primary.url, { keep: true });
  const { url, accounts } = await createAccounts(postgresql, size);
  await postgresql.close();
  const urls = cluster.standbys.map((standby) => standby.urlOf(new URL(url).pathname.slice(1)));
  const environment = { REPLICA_DATABASE_URLS: urls.join(',') };
  const servers: ServerProcess[] = [];
  const counts = new ReadCounts(urls);
  const pairs: Pairs = { done: 0, interrupted: 0, stopped: false };
  try {
    for (let left = 2; left > 0; left -= 1) {
      servers.push(await startServer({ databaseUrl: url, environment }));
    }
    const clients = servers.map(({ port }) => new HttpClient(port));
    const [{ send }] = clients;
    const tokens = await Promise.all(accounts.map(({ application }) => requestToken(send, application)));
    await counts.sample();
    await runPairs({ cluster, clients, tokens, counts, pairs }, settings);
    for (const client of clients) client.close();
  } finally {
    for (const server of servers) await server.stop();
  }
  // PostgreSQL has counted all scans when its sessions have ended.
  await counts.sample();
  report(pairs, counts, settings);
}

async function runPairs(
  {
    cluster: { standbys },
    clients,
    tokens,
    counts,
    pairs,
  }: {
    cluster: Cluster;
    clients: readonly HttpClient[];
    tokens: readonly string[];
    counts: ReadCounts;
    pairs: Pairs;
  },
  { wanted, stepMs, seed, verdict }: Settings,
): Promise<void> {
  const random = createRandom(seed);
  const sends = clients.map(({ send }) => send);
  const load = tokens.flatMap((token) =>
    Array.from({ length: clientsPerAccount }, () =>
      new PairClient({ sends, token, random, verdict, pairs }).run(),
    ),
  );
  try {
    await runSteps(standbys, { wanted, stepMs, pairs, counts, verdict });
  } finally {
    pairs.stopped = true;
    await Promise.all(load);
  }
  for (const send of sends) {
    const { status } = await send({ path: '/readyz' });
    verdict.check('a process is alive and ready', status === 200);
  }
}

function report(pairs: Pairs, { counts }: ReadCounts, { wanted, verdict }: Settings): void {
  const { done, interrupted } = pairs;
  verdict.check(`${done} writes, each read by the other process; at least ${wanted}`, done >= wanted);
  const onStandbys = counts.reduce((sum, count) => sum + count, 0);
  verdict.check(
    `${counts.join(' and ')} of these reads ran on the standbys, and about ${done - onStandbys} on the primary`,
    counts.every((count) => count > 0),
  );
  verdict.note(`${interrupted} CSV exports ended with their standby, and were repeated`);
}
