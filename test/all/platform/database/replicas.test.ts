import { setTimeout as wait } from 'node:timers/promises';
import type { Database, DatabaseOptions } from '../../../../src/platform/database/client.js';
import { migrate } from '../../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../../src/platform/database/open-database.js';
import { openReplicas, type Replicas } from '../../../../src/platform/database/replicas/open-replicas.js';
import { accountScope, allAccounts, noAccount, withScope } from '../../../../src/platform/database/scope.js';
import { type Cluster, startCluster } from '../../../support/cluster/cluster.js';
import { hasPostgresqlPrograms } from '../../../support/cluster/programs.js';
import { patienceMs } from '../../../support/patience.js';
import { createTenant, makeEmployees } from '../../../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../../../support/server/app.js';
import t, { type Test } from '../../../support/tap.js';

interface Setting {
  readonly cluster: Cluster;
  /** Two processes that use the same servers. */
  readonly apps: readonly TestApp[];
  readonly replicas: readonly Replicas[];
}

async function openProcess(t: Test, cluster: Cluster): Promise<{ database: Database; replicas: Replicas }> {
  const options: DatabaseOptions = {
    databaseUrl: cluster.primary.url,
    dataDir: '',
    defaultScope: allAccounts,
    recordWrites: true,
    poolSize: 4,
    connectionTimeoutMs: patienceMs,
    transactionLimits: { maxWait: patienceMs, timeout: patienceMs },
  };
  const database = await openDatabase(options);
  t.teardown(() => database.close());
  await migrate(database);
  await database.checkIsolation();
  const urls = cluster.standbys.map(({ url }) => url);
  const replicas = await openReplicas(database, urls, { ...options, defaultScope: noAccount });
  t.teardown(() => replicas.close());
  return { database, replicas };
}

/** Ports of the servers that reads of an account run on. */
async function portsOf({ reads }: Replicas, accountId: string, count = 20): Promise<Set<number>> {
  const ports = new Set<number>();
  for (let index = 0; index < count; index += 1) {
    const [row] = await withScope(
      accountScope(accountId),
      () => reads.prisma.$queryRaw<{ port: number }[]>`SELECT inet_server_port() AS port`,
    );
    ports.add(row?.port ?? 0);
  }
  return ports;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(50);
}

async function setUp(t: Test): Promise<Setting> {
  const cluster = await startCluster({ standbys: 2 });
  t.teardown(() => cluster.close());
  const processes = [await openProcess(t, cluster), await openProcess(t, cluster)];
  const apps: TestApp[] = [];
  for (const { database, replicas } of processes)
    apps.push(await buildTestApp(t, { database, reads: replicas.reads }));
  return { cluster, apps, replicas: processes.map(({ replicas }) => replicas) };
}

const skip = hasPostgresqlPrograms ? false : 'the programs of PostgreSQL are not installed';

t.test('reads from standbys', { skip }, async (t) => {
  const { cluster, apps, replicas } = await setUp(t);
  const [writer, reader] = apps as [TestApp, TestApp];
  const [, readers] = replicas as [Replicas, Replicas];
  const { accountId, application } = await createTenant(writer.database, { employees: makeEmployees(30) });
  const token = await writer.token(application);
  const authorization = { authorization: `Bearer ${token}` };
  const standbyPorts = new Set(cluster.standbys.map(({ port }) => port));
  const isSame = (ports: Set<number>) => [...ports].sort().join() === [...standbyPorts].sort().join();
  const create = (title: string) =>
    writer.app.inject({
      method: 'POST',
      url: '/v1/reports',
      headers: authorization,
      payload: { title, columns: ['id'] },
    });

  t.test('reads run on all standbys', async (t) => {
    await until(async () => isSame(await portsOf(readers, accountId)));
    t.equal((await reader.get('/v1/employees?page[size]=5', token)).json().data.length, 5);
    t.equal((await reader.get('/v1/employees?sort=last_name', token)).json().meta.record_count, 30);
  });

  t.test(
    'a write by one process is seen by the next read of another, however late the standbys are',
    async (t) => {
      for (const delay of [0, 50, 1_000]) {
        for (const standby of cluster.standbys) await standby.setDelay(delay);
        for (let round = 0; round < 10; round += 1) {
          const { id } = (await create(`Report ${round}`)).json().data;
          t.equal((await reader.get(`/v1/reports/${id}`, token)).statusCode, 200);
          const { data } = (await reader.get('/v1/reports?page[size]=100', token)).json();
          t.ok(data.some((report: { id: string }) => report.id === id));
          const run = await reader.get(`/v1/reports/${id}/results`, token);
          t.equal(run.statusCode, 200, run.body);
          const csv = await reader.get(`/v1/reports/${id}/results.csv`, token);
          t.equal(csv.body.trimEnd().split('\n').length, 31);
          const removed = await writer.app.inject({
            method: 'DELETE',
            url: `/v1/reports/${id}`,
            headers: authorization,
          });
          t.equal(removed.statusCode, 204);
          t.equal((await reader.get(`/v1/reports/${id}`, token)).statusCode, 404);
        }
      }
      for (const standby of cluster.standbys) await standby.setDelay(0);
    },
  );

  t.test('an account without recent writes reads from standbys that lag', async (t) => {
    const other = await createTenant(writer.database);
    await until(async () => isSame(await portsOf(readers, other.accountId)));
    // Longer than the test, however slow the machine is.
    for (const standby of cluster.standbys) await standby.setDelay(patienceMs);
    await create('Of the first account');
    t.ok(isSame(await portsOf(readers, other.accountId)));
    t.same([...(await portsOf(readers, accountId, 1))], [cluster.primary.port]);
    for (const standby of cluster.standbys) await standby.setDelay(0);
  });

  t.test('reads from standbys return no rows of other accounts', async (t) => {
    const other = await createTenant(writer.database);
    await until(async () => isSame(await portsOf(readers, other.accountId)));
    const rows = await withScope(
      accountScope(other.accountId),
      () => readers.reads.prisma.$queryRaw<unknown[]>`SELECT id FROM employees`,
    );
    t.same(rows, []);
  });

  t.test('a standby that stops, and one that hangs, cause no error, and are used again later', async (t) => {
    const [first, second] = cluster.standbys;
    if (first === undefined || second === undefined) throw new Error('two standbys are needed');
    let stopped = false;
    const statuses = new Map<number, number>();
    const load = Array.from({ length: 8 }, async (_, index) => {
      const urls = ['/v1/employees?page[size]=5', '/v1/employees?sort=last_name', '/v1/reports'];
      while (!stopped) {
        const { statusCode } = await reader.get(urls[index % urls.length] ?? '', token);
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      }
    });
    await first.kill();
    await until(async () => [...(await portsOf(readers, accountId))].join() === String(second.port));
    await first.start();
    await until(async () => isSame(await portsOf(readers, accountId)));
    second.freeze();
    await until(async () => [...(await portsOf(readers, accountId))].join() === String(first.port));
    second.unfreeze();
    await until(async () => isSame(await portsOf(readers, accountId)));
    await Promise.all([first.kill(), second.kill()]);
    await until(async () => [...(await portsOf(readers, accountId))].join() === String(cluster.primary.port));
    stopped = true;
    await Promise.all(load);
    t.same([...statuses.keys()], [200]);
  });
});
