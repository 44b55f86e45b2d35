import { setTimeout as wait } from 'node:timers/promises';
import { type Cluster, type Standby, startCluster } from '../../../../test/support/cluster/cluster.js';
import { hasPostgresqlPrograms } from '../../../../test/support/cluster/programs.js';
import { PostgresqlServer } from '../../kit/database/postgresql.js';
import { HttpClient } from '../../kit/http/client.js';
import { createAccounts, requestToken, startServer } from '../accounts.js';
import type { Trial, Verdict } from '../verdict.js';
import { ReportCreators } from './report-creators.js';

/** Clients that create reports. */
const creators = 8;

/** Milliseconds without a primary. */
const outageMs = 1_500;

/** Milliseconds from the request to promote a standby, to the first acknowledged write. */
const bound = 2_000;

/** Kills the primary of a synchronous cluster under load, and promotes a standby. */
export const trial: Trial = async ({ short, verdict }) => {
  if (!hasPostgresqlPrograms) {
    verdict.note('skipped: the programs of PostgreSQL are not installed, or PG_CONFIG does not name them');
    return;
  }
  for (let left = short ? 1 : 5; left > 0; left -= 1) {
    const cluster = await startCluster({
      standbys: 2,
      synchronous: true,
      settings: { synchronous_commit: 'on' },
    });
    try {
      await failOver(cluster, short ? 2_000 : 4_000, verdict);
    } finally {
      await cluster.close();
    }
  }
};

/** @param loadMs milliseconds of load before the primary is killed, and after the promotion */
async function failOver(cluster: Cluster, loadMs: number, verdict: Verdict): Promise<void> {
  // The databases are kept, because closing must not wait for the killed primary. The cluster is temporary.
  const postgresql = await PostgresqlServer.open(cluster.primary.url, { keep: true });
  const { url, accounts } = await createAccounts(postgresql, {
    name: 'failover',
    accounts: 1,
    employees: 10,
  });
  await postgresql.close();
  const server = await startServer({ databaseUrl: cluster.urlOf(new URL(url).pathname.slice(1)) });
  const client = new HttpClient(server.port);
  try {
    const token = await requestToken(client.send, accounts[0].application);
    const reports = new ReportCreators(client.send, token, verdict);
    const load = reports.run(creators);
    await wait(loadMs);
    const before = reports.acknowledged.size;
    await cluster.kill();
    await wait(outageMs);
    verdict.check(
      '/readyz is 503 without a primary',
      (await client.send({ path: '/readyz' })).status === 503,
    );
    const promotedAt = performance.now();
    await cluster.promote(await mostReceived(cluster.standbys));
    await wait(loadMs);
    reports.stop();
    await load;
    const recoveryMs =
      Math.min(...[...reports.acknowledged.values()].filter((at) => at > promotedAt)) - promotedAt;
    const lost = await reports.countMissing();
    const { size } = reports.acknowledged;
    verdict.check(
      `${before} reports acknowledged before, ${size} in all, ${lost} of them lost`,
      before > 0 && lost === 0,
    );
    verdict.check(
      `first report acknowledged ${recoveryMs.toFixed(0)} ms after the request to promote; at most ${bound}`,
      recoveryMs <= bound,
    );
    verdict.note(`${reports.unavailable} responses were 503, ${outageMs} ms without a primary`);
    const { status } = await client.send({ path: '/readyz' });
    verdict.check('the same process is alive and ready', server.isAlive() && status === 200);
  } finally {
    client.close();
    await server.stop();
  }
}

/** The standby that has received every commit that either of them acknowledged. */
async function mostReceived(standbys: readonly Standby[]): Promise<Standby> {
  const received = await Promise.all(
    standbys.map(async (standby) => ({ standby, bytes: await standby.received() })),
  );
  return received.reduce((most, each) => (each.bytes > most.bytes ? each : most)).standby;
}
