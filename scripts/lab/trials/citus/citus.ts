import { setTimeout as wait } from 'node:timers/promises';
import { type CitusCluster, hasCitus, startCitus } from '../../../../test/support/cluster/citus.js';
import { createDistributedDatabase } from '../../kit/database/citus.js';
import { query } from '../../kit/database/postgresql.js';
import { HttpClient } from '../../kit/http/client.js';
import { type Account, accountNumbered, fillAccounts, requestToken, startServer } from '../accounts.js';
import { ReportCreators } from '../failover/report-creators.js';
import type { Trial, Verdict } from '../verdict.js';

const accountCount = 8;

/** Clients that create reports in each account. */
const creators = 2;

/** Milliseconds of load before a kill, and without the worker. */
const loadMs = 1_000;

/** Milliseconds from the kill of a worker to the next acknowledged write of the accounts of the other worker. */
const bound = 5_000;

interface Writer {
  readonly reports: ReportCreators;
  /** Whether the account is on the killed worker. */
  readonly isOnKilled: boolean;
}

/** Repeatedly kills a Citus worker while reports are created in accounts of both workers. */
export const trial: Trial = async ({ short, verdict }) => {
  if (!hasCitus) {
    verdict.note('skipped: the extension citus is not installed');
    return;
  }
  const cluster = await startCitus();
  try {
    await killWorker(cluster, short ? 2 : 20, verdict);
  } finally {
    await cluster.close();
  }
};

async function killWorker(cluster: CitusCluster, kills: number, verdict: Verdict): Promise<void> {
  const size = { accounts: accountCount, employees: 10 };
  const { url } = await createDistributedDatabase(cluster, 'trial', fillAccounts(size));
  const accounts = Array.from({ length: accountCount }, (_, index) => accountNumbered(index + 1));
  const server = await startServer({ databaseUrl: url });
  const client = new HttpClient(server.port);
  try {
    const ports = await workerPorts(url, accounts);
    const [worker] = cluster.workers;
    const writers: Writer[] = [];
    for (const [index, { application }] of accounts.entries()) {
      const token = await requestToken(client.send, application);
      const reports = new ReportCreators(client.send, token, verdict);
      writers.push({ reports, isOnKilled: ports[index] === worker.port });
    }
    const load = Promise.all(writers.map(({ reports }) => reports.run(creators)));
    const others = writers.filter(({ isOnKilled }) => !isOnKilled);
    const onKilled = writers.filter(({ isOnKilled }) => isOnKilled);
    verdict.check('both workers have accounts', others.length > 0 && onKilled.length > 0);
    const pauses: number[] = [];
    const returns: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await wait(loadMs);
      const killedAt = performance.now();
      await worker.kill();
      pauses.push(await untilAcknowledged(others, killedAt));
      await wait(loadMs);
      const startedAt = performance.now();
      await worker.start();
      returns.push(await untilAcknowledged(onKilled, startedAt));
    }
    for (const { reports } of writers) reports.stop();
    await load;
    let lost = 0;
    for (const { reports } of writers) lost += await reports.countMissing();
    const acknowledged = writers.reduce((sum, { reports }) => sum + reports.acknowledged.size, 0);
    verdict.check(`${kills} kills, ${acknowledged} reports acknowledged, ${lost} of them lost`, lost === 0);
    const longest = Math.max(...pauses);
    verdict.checkTime(
      `every other account wrote again at most ${longest.toFixed(0)} ms after a kill; bound ${bound}`,
      longest < bound,
    );
    verdict.note(
      `accounts of the worker wrote ${Math.max(...returns).toFixed(0)} ms after its start at the latest`,
    );
  } finally {
    client.close();
    await server.stop();
  }
}

/** Milliseconds until every writer has an acknowledged write that started after a given time. */
async function untilAcknowledged(writers: readonly Writer[], since: number): Promise<number> {
  const lastOf = ({ reports }: Writer) => Math.max(0, ...[...reports.acknowledged.values()].slice(-creators));
  // Earlier writes are acknowledged first.
  for (let remaining = 60_000; remaining > 0; remaining -= 10) {
    if (writers.every((writer) => lastOf(writer) > since)) break;
    await wait(10);
  }
  return performance.now() - since;
}

/** Port of the worker of each account. */
async function workerPorts(url: string, accounts: readonly Account[]): Promise<number[]> {
  const rows = await query(
    url,
    `SELECT nodeport AS port FROM unnest($1::text[]) WITH ORDINALITY AS account (id, number)
     JOIN citus_shards ON shardid = get_shard_id_for_distribution_column('employees', account.id)
     ORDER BY number`,
    [accounts.map(({ accountId }) => accountId)],
  );
  return rows.map(({ port }) => port);
}
