import { deliveryLagSeconds } from '../../../../src/features/webhooks/delivery/webhook-worker.js';
import type { Database } from '../../../../src/platform/database/client.js';
import { distribute, distributedTables } from '../../../../src/platform/database/distribute.js';
import { migrate } from '../../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../../src/platform/database/open-database.js';
import { accountScope, allAccounts, withScope } from '../../../../src/platform/database/scope.js';
import { addWorkers, type CitusCluster, hasCitus, startCitus } from '../../../support/cluster/citus.js';
import { openTestDatabase } from '../../../support/database/database.js';
import { query } from '../../../support/database/query.js';
import { patienceMs } from '../../../support/patience.js';
import { sendJson } from '../../../support/records/send-json.js';
import { createTenant, makeEmployees, type Tenant } from '../../../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../../../support/server/app.js';
import t, { type Test } from '../../../support/tap.js';
import { startReceiver } from '../../../support/webhooks/receiver.js';
import { createWorker } from '../../../support/webhooks/scene.js';

/** A database of an unprivileged user on the coordinator, without the extension, as on any server. */
async function openUndistributed(t: Test, { coordinator }: CitusCluster): Promise<Database> {
  await coordinator.query('CREATE ROLE people LOGIN');
  await coordinator.query('CREATE DATABASE people OWNER people');
  const databaseUrl = coordinator.urlOf('people').replace('postgres@', 'people@');
  const database = await openDatabase({
    databaseUrl,
    dataDir: '',
    defaultScope: allAccounts,
    connectionTimeoutMs: patienceMs,
  });
  t.teardown(() => database.close());
  await migrate(database);
  return database;
}

/** Everything that an application reads in its account. */
async function readAll({ get, token }: TestApp, { application }: Tenant): Promise<unknown[]> {
  const accessToken = await token(application);
  const { data: reports } = (await get('/v1/reports', accessToken)).json();
  const paths = [
    '/v1/employees?page[size]=10',
    '/v1/employees?page[size]=10&page[number]=3',
    '/v1/employees?sort=-last_name&filter[status]=active',
    '/v1/events',
    ...reports.flatMap(({ id }: { id: string }) => [`/v1/reports/${id}/results`, `/v1/reports/${id}`]),
  ];
  const responses = await Promise.all(paths.map((path) => get(path, accessToken)));
  const csv = await get(`/v1/reports/${reports[0].id}/results.csv`, accessToken);
  return [...responses.map((response) => [response.statusCode, response.json()]), csv.body];
}

async function createReport({ app, token }: TestApp, { application }: Tenant, group: string): Promise<void> {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/v1/reports',
    headers: { authorization: `Bearer ${await token(application)}` },
    payload: { title: 'A report', columns: [], group_by: [group], filters: [] },
  });
  if (statusCode !== 201) throw new Error(body);
}

const count = async (database: Database, table: string) =>
  Number(
    (await query<{ count: string }>(database, `SELECT count(*)::text AS count FROM ${table}`))[0]?.count,
  );

t.test('the embedded database and a server without Citus are not distributed', async (t) => {
  const embedded = await openTestDatabase(t, { engine: 'embedded' });
  await t.rejects(distribute(embedded), { name: 'DistributionError', message: /^The embedded database/ });
  const server = await openTestDatabase(t);
  if (server.kind === 'embedded' || server.isDistributed()) return;
  await t.rejects(distribute(server), { name: 'DistributionError', message: /^The extension citus is not/ });
});

const skip = hasCitus ? false : 'the extension citus is not installed';

t.test('a distributed database', { skip }, async (t) => {
  // The default, to which a worker may be left.
  const cluster = await startCitus({ jit: 'on' });
  t.teardown(() => cluster.close());
  const database = await openUndistributed(t, cluster);
  const tenants = [
    await createTenant(database, { employees: makeEmployees(75) }),
    await createTenant(database, { employees: makeEmployees(35) }),
  ] as const;
  const before = await buildTestApp(t, { database });
  for (const tenant of tenants) await createReport(before, tenant, 'department');
  const expected = await Promise.all(tenants.map((tenant) => readAll(before, tenant)));
  const events = await count(database, 'audit_events');

  await t.test('is distributed by an unprivileged user with its existing rows', async (t) => {
    const { coordinator, workers } = cluster;
    for (const worker of workers) await worker.query('CREATE ROLE people LOGIN');
    const urls = workers.map(({ url }) => url);
    await addWorkers(coordinator.url, urls, 'people');
    for (const worker of workers) await worker.query('ALTER DATABASE people OWNER TO people');
    const results = await distribute(database);
    t.same(
      results,
      distributedTables.map((table) => ({ table, outcome: 'distributed' })),
    );
    t.equal(database.isDistributed(), true);
    t.equal(await count(database, 'employees'), 110);
    t.equal(await count(database, 'audit_events'), events);
    const placements = await query<{ nodes: string }>(
      database,
      `SELECT count(DISTINCT nodeport)::text AS nodes FROM citus_shards WHERE table_name = 'employees'::regclass`,
    );
    t.same(placements, [{ nodes: '2' }]);
  });

  await t.test('a repeated command changes nothing', async (t) => {
    const results = await distribute(database);
    t.ok(results.every(({ outcome }) => outcome === 'already_distributed'));
  });

  const app = await buildTestApp(t, { database });

  await t.test('returns the same responses as before', async (t) => {
    t.same(await Promise.all(tenants.map((tenant) => readAll(app, tenant))), expected);
  });

  await t.test('continues the feed and its deliveries', async (t) => {
    const [{ application }] = tenants;
    const token = await app.token(application);
    const receiver = await startReceiver(t);
    const created = await sendJson(app, {
      url: '/v1/webhook_endpoints',
      token,
      body: { url: receiver.url, event_types: [] },
    });
    t.equal(created.statusCode, 201);
    const last = (await app.get('/v1/events?page[size]=500', token)).json().meta.next_cursor;
    const { data: reports } = (await app.get('/v1/reports', token)).json();
    for (let number = 0; number < 20; number += 1) {
      const body = { title: `Report ${number}` };
      await sendJson(app, { method: 'PATCH', url: `/v1/reports/${reports[0].id}`, token, body });
    }
    await createWorker(t, app).run();
    const { data: events } = (await app.get(`/v1/events?page[after]=${last}`, token)).json();
    t.equal(events.length, 20);
    t.same(
      receiver.received.flatMap(({ body }) => body.data),
      events,
    );
    t.equal(await deliveryLagSeconds(database, new Date()), 0);
  });

  await t.test('has policies that apply on the workers too', async (t) => {
    const [own, foreign] = tenants;
    for (const table of distributedTables) {
      const owners = await withScope(accountScope(own.accountId), () =>
        query<{ id: string }>(database, `SELECT DISTINCT account_id AS id FROM ${table}`),
      );
      t.ok(
        owners.every(({ id }) => id === own.accountId),
        table,
      );
    }
    const deleted = await withScope(
      accountScope(own.accountId),
      () => database.prisma.$executeRaw`DELETE FROM employees WHERE account_id = ${foreign.accountId}`,
    );
    t.equal(deleted, 0);
  });

  await t.test('a killed worker stops its accounts only, and loses no acknowledged write', async (t) => {
    const [worker] = cluster.workers;
    const placed = await query<{ id: string; port: number }>(
      database,
      `SELECT account.id, nodeport AS port FROM unnest($1::text[]) AS account (id)
       JOIN citus_shards ON shardid = get_shard_id_for_distribution_column('employees', account.id)`,
      [tenants.map(({ accountId }) => accountId)],
    );
    const accounts: Tenant[] = [...tenants];
    // Both workers have an account.
    while (new Set(placed.map(({ port }) => port)).size < 2) {
      const tenant = await createTenant(database, { employees: makeEmployees(5) });
      accounts.push(tenant);
      placed.push(
        ...(await query<{ id: string; port: number }>(
          database,
          `SELECT $1::text AS id, nodeport AS port FROM citus_shards
           WHERE shardid = get_shard_id_for_distribution_column('employees', $1::text)`,
          [tenant.accountId],
        )),
      );
    }
    const tenantOn = (isOnWorker: boolean) => {
      const id = placed.find(({ port }) => (port === worker?.port) === isOnWorker)?.id;
      return accounts.find(({ accountId }) => accountId === id) as Tenant;
    };
    const [lost, kept] = [tenantOn(true), tenantOn(false)];
    const tokens = { lost: await app.token(lost.application), kept: await app.token(kept.application) };
    await createReport(app, lost, 'status');
    const { data: written } = (await app.get('/v1/reports', tokens.lost)).json();
    await worker?.kill();
    t.equal((await app.get('/v1/employees', tokens.lost)).statusCode, 503);
    t.equal((await app.get('/v1/employees', tokens.kept)).statusCode, 200);
    await createReport(app, kept, 'status');
    await worker?.start();
    t.same((await app.get('/v1/reports', tokens.lost)).json().data, written);
  });
});
