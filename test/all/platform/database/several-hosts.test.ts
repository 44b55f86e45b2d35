import { setTimeout as wait } from 'node:timers/promises';
import { migrate } from '../../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../../src/platform/database/open-database.js';
import { allAccounts } from '../../../../src/platform/database/scope.js';
import { type Cluster, startCluster } from '../../../support/cluster/cluster.js';
import { hasPostgresqlPrograms } from '../../../support/cluster/programs.js';
import { patienceMs } from '../../../support/patience.js';
import { createTenant } from '../../../support/records/tenant.js';
import { buildTestApp } from '../../../support/server/app.js';
import t, { type Test } from '../../../support/tap.js';

const onCluster = { skip: !hasPostgresqlPrograms && 'the programs of PostgreSQL are not installed' };

const limits = { dataDir: '', connectionTimeoutMs: patienceMs };

/** An application on a primary and a standby. */
async function setUp(t: Test, chooseUrl = (cluster: Cluster) => cluster.urlOf('postgres')) {
  const cluster = await startCluster({ standbys: 1 });
  t.teardown(() => cluster.close());
  const direct = { ...limits, databaseUrl: cluster.primary.url, defaultScope: allAccounts };
  const primary = await openDatabase(direct);
  await migrate(primary);
  await primary.close();
  const database = await openDatabase({ ...direct, databaseUrl: chooseUrl(cluster) });
  t.teardown(() => database.close());
  const api = await buildTestApp(t, { database });
  return { cluster, database, api };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;

async function createReports({ database, api }: SetUp) {
  const tenant = await createTenant(database);
  const token = await api.token(tenant.application);
  return (title: string) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/reports',
      headers: { authorization: `Bearer ${token}` },
      payload: { title, columns: ['email'] },
    });
}

/** Repeats a request until it succeeds; only 503 is allowed before. */
async function untilSuccess(t: Test, send: () => Promise<{ statusCode: number; headers: object }>) {
  for (;;) {
    const response = await send();
    if (response.statusCode < 300) return;
    if (response.statusCode !== 503) throw new Error(`Unexpected status ${response.statusCode}`);
    t.match(response.headers, { 'retry-after': /\d/ });
    await wait(20);
  }
}

t.test('requests, reports and downloads follow the promoted standby', onCluster, async (t) => {
  const running = await setUp(t);
  const { cluster, database } = running;
  const [standby] = cluster.standbys;
  if (standby === undefined) throw new Error('no standby');
  const create = await createReports(running);
  const hostOf = async () => {
    const signal = new AbortController().signal;
    const text = 'SELECT inet_server_port()::text AS port';
    const [row] = await database.prisma.$queryRawUnsafe<{ port: string }[]>(text);
    const [inTransaction] = await database.prisma.$transaction((tx) =>
      tx.$queryRawUnsafe<{ port: string }[]>(text),
    );
    const [report] = await database.queryReport<{ port: string }>(text, [], { scope: allAccounts, signal });
    let csv = '';
    for await (const chunk of database.streamCsv({ query: { strings: [text], text, values: [] }, signal }))
      csv += chunk;
    return [row?.port, inTransaction?.port, report?.port, csv.split('\n')[1]].map(Number);
  };
  t.same(new Set(await hostOf()), new Set([cluster.primary.port]));
  t.equal((await create('before')).statusCode, 201);
  while ((await standby.query("SELECT FROM reports WHERE title = 'before'")).length === 0) await wait(20);

  await cluster.kill();
  t.match(await create('without a primary'), { statusCode: 503 });
  t.match(await running.api.app.inject('/readyz'), { statusCode: 503 });
  await cluster.promote(standby);
  await untilSuccess(t, () => create('after'));
  t.same(new Set(await hostOf()), new Set([standby.port]));
  t.match(await running.api.app.inject('/readyz'), { statusCode: 200 });
  const titles = await standby.query<{ title: string }>('SELECT title FROM reports ORDER BY created_at');
  t.same(titles, [{ title: 'before' }, { title: 'after' }]);
});

t.test('leaves a host that becomes read-only while its connections stay open', onCluster, async (t) => {
  const running = await setUp(t);
  const { primary, standbys } = running.cluster;
  const [standby] = standbys;
  if (standby === undefined) throw new Error('no standby');
  const create = await createReports(running);
  t.equal((await create('before')).statusCode, 201);
  await primary.configure({ default_transaction_read_only: 'on' });
  // A connection that is open reads the new setting when its process gets the signal.
  let rejected = await create('read-only');
  while (rejected.statusCode === 201) rejected = await create('read-only');
  t.match(rejected, { statusCode: 503, headers: { 'retry-after': '2' } });
  await standby.query('SELECT pg_promote()');
  await untilSuccess(t, () => create('after'));
  const sessions = "SELECT FROM pg_stat_activity WHERE application_name = 'people-api'";
  while ((await primary.query(sessions)).length > 0) await wait(20);
  t.ok((await standby.query(sessions)).length > 0);
});

t.test('leaves a host that does not respond, as soon as another one is read-write', onCluster, async (t) => {
  const running = await setUp(t);
  const { cluster } = running;
  const [standby] = cluster.standbys;
  if (standby === undefined) throw new Error('no standby');
  const create = await createReports(running);
  t.equal((await create('before')).statusCode, 201);
  cluster.primary.freeze();
  t.match(await running.api.app.inject('/readyz'), { statusCode: 503 });
  await cluster.promote(standby);
  await untilSuccess(t, () => create('after'));
});

t.test('the server is ready only while its database accepts writes', onCluster, async (t) => {
  const { cluster, api } = await setUp(t, ({ primary }) => primary.url);
  const readOnly = { status: 503, code: 'service_unavailable', detail: 'The database is read-only.' };
  t.match(await api.app.inject('/readyz'), { statusCode: 200 });
  await cluster.primary.configure({ default_transaction_read_only: 'on' });
  while ((await api.app.inject('/readyz')).statusCode === 200) await wait(20);
  t.match((await api.app.inject('/readyz')).json(), readOnly);
  await cluster.primary.configure({ default_transaction_read_only: 'off' });
  while ((await api.app.inject('/readyz')).statusCode !== 200) await wait(20);

  const [standby] = cluster.standbys;
  while ((await standby?.query('SELECT FROM signing_keys').catch(() => []))?.length === 0) await wait(20);
  const database = await openDatabase({ ...limits, databaseUrl: String(standby?.url) });
  t.teardown(() => database.close());
  const { app } = await buildTestApp(t, { database });
  t.match((await app.inject('/readyz')).json(), readOnly);
});

t.test(
  'a database without a read-write host does not open, with a reason for each host',
  onCluster,
  async (t) => {
    const cluster = await startCluster({ standbys: 1 });
    t.teardown(() => cluster.close());
    await cluster.kill();
    await t.rejects(openDatabase({ ...limits, databaseUrl: cluster.urlOf('postgres') }), {
      name: 'DatabaseOpenError',
      message:
        /^DATABASE_URL: no host is read-write \(127\.0\.0\.1:\d+: .*ECONNREFUSED[^;]*; 127\.0\.0\.1:\d+: the session is read-only\)$/,
    });
  },
);

t.test('migrations use the read-write host of DIRECT_DATABASE_URL', onCluster, async (t) => {
  const cluster = await startCluster({ standbys: 1 });
  t.teardown(() => cluster.close());
  const [standby] = cluster.standbys;
  const url = `postgres://postgres@127.0.0.1:${standby?.port},127.0.0.1:${cluster.primary.port}/postgres?target_session_attrs=primary`;
  const database = await openDatabase({ ...limits, databaseUrl: url, directDatabaseUrl: url });
  t.teardown(() => database.close());
  t.ok((await migrate(database)).length > 0);
});
