import { setTimeout as wait } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import type { Database, DatabaseOptions } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { startDatabaseProxy } from '../../support/faults/database-proxy.js';
import { type ServerProcess, startServerProcess } from '../../support/processes/server-process.js';
import { createReportClient } from '../../support/records/reports.js';
import { createTenant, type Tenant, type TestApplication } from '../../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

// The tests of this file mostly wait.
t.jobs = 4;

const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

const key = { 'idempotency-key': 'the key' };

async function open(t: Test, options: DatabaseOptions): Promise<Database> {
  const database = await openDatabase(options);
  t.teardown(() => database.close());
  return database;
}

/** Starts a request to a server within this process. */
function createOn({ app }: TestApp, token: string, headers: Record<string, string> = key) {
  return app.inject({
    method: 'POST',
    url: '/v1/reports',
    headers: { authorization: `Bearer ${token}`, ...headers },
    payload: { title: 'x' },
  });
}

/**
 * Locks the row of the account's totals, which the creation of a report needs. Returns a function that releases the lock.
 */
async function lockCreation({ prisma }: Database, accountId: string): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let holding: Promise<void> = Promise.resolve();
  await new Promise<void>((locked, failed) => {
    holding = prisma.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT FROM account_totals WHERE account_id = ${accountId} FOR UPDATE`;
        locked();
        await released;
      },
      { timeout: 600_000 },
    );
    holding.catch(failed);
  });
  return () => {
    release();
    return holding;
  };
}

/** Ids of the sessions that wait for a lock in a statement on this table. */
async function blockedOn(control: Database, table: string): Promise<number[]> {
  const text = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO "public"."${table}"%'`;
  const blocked = await asOwner<{ pid: number }>(control, text);
  return blocked.map(({ pid }) => pid);
}

/** Waits until this number of sessions wait for a lock in a statement on this table. Returns their ids. */
async function untilBlocked(control: Database, table: string, sessions: number): Promise<number[]> {
  for (;;) {
    const blocked = await blockedOn(control, table);
    if (blocked.length === sessions) return blocked;
    await wait(20);
  }
}

/** Two servers within this process, a third connection to their database, and a tenant with one report. */
async function setUp(t: Test) {
  const options = await createTestDatabase(t);
  const control = await open(t, options);
  const first = await buildTestApp(t, { database: await open(t, options) });
  const second = await buildTestApp(t, { database: await open(t, options), clock: first.clock });
  const { tenant, token, saved } = await createReportClient(first);
  await saved({ title: 'the row of the totals exists' });
  const { accountId } = tenant;
  return { control, first, second, tenant, token, lock: () => lockCreation(control, accountId) };
}

function inUse(t: Test, response: LightMyRequestResponse) {
  t.equal(response.statusCode, 409, response.body);
  t.equal(response.json().code, 'idempotency_key_in_use');
  t.equal(response.headers['retry-after'], '1');
}

const reportsOf = ({ prisma }: Database, { accountId }: Tenant) =>
  prisma.report.count({ where: { accountId, title: 'x' } });

t.test(
  'a duplicate continues when the session of the first request is terminated',
  onPostgresql,
  async (t) => {
    const { control, first, second, tenant, token, lock } = await setUp(t);
    const release = await lock();
    const holder = createOn(first, token);
    const [pid] = await untilBlocked(control, 'reports', 1);
    const duplicate = createOn(second, token);
    await untilBlocked(control, 'idempotency_keys', 1);
    await asOwner(control, `SELECT pg_terminate_backend(${pid})::text`);
    t.equal((await holder).statusCode, 503);
    await untilBlocked(control, 'reports', 1);
    await release();
    const created = await duplicate;
    t.equal(created.statusCode, 201);
    t.equal(await reportsOf(control, tenant), 1);
    t.equal((await createOn(first, token)).body, created.body, 'the retry gets the same response');
  },
);

t.test(
  'a duplicate gets 409 with Retry-After when the first request takes longer than five seconds',
  onPostgresql,
  async (t) => {
    const { control, first, second, tenant, token, lock } = await setUp(t);
    const release = await lock();
    const holder = createOn(first, token);
    await untilBlocked(control, 'reports', 1);
    const duplicates = [second, ...Array.from({ length: 120 }, () => first)];
    for (const response of await Promise.all(duplicates.map((server) => createOn(server, token))))
      inUse(t, response);
    await release();
    const created = await holder;
    t.equal(created.statusCode, 201);
    t.equal((await createOn(second, token)).body, created.body);
    t.equal(await reportsOf(control, tenant), 1);
  },
);

t.test('duplicates that wait leave connections for other requests', onPostgresql, async (t) => {
  const options = await createTestDatabase(t);
  const control = await open(t, options);
  const api = await buildTestApp(t, { database: await open(t, { ...options, poolSize: 5 }) });
  const { tenant, token, create } = await createReportClient(api);
  const applicationId = tenant.application.id;
  const keys = Array.from({ length: 30 }, (_, index) => `key ${index}`);
  const headers = keys.map((key) => ({ 'idempotency-key': key }));
  await control.prisma
    .$transaction(
      async (tx) => {
        // Requests of another process that do not end.
        const expiresAt = new Date(api.clock().getTime() + 86_400_000);
        const row = {
          accountId: tenant.accountId,
          applicationId,
          operation: 'createReport',
          fingerprint: Buffer.from('x'),
          expiresAt,
        };
        await tx.idempotencyKey.createMany({ data: keys.map((key) => ({ ...row, key })) });
        let waiting = true;
        const duplicates = Promise.all(
          [...headers, ...headers].map((each) => createOn(api, token, each)),
        ).finally(() => {
          waiting = false;
        });
        await untilBlocked(control, 'idempotency_keys', 3);
        while (waiting) {
          t.equal((await api.get('/v1/reports', token)).statusCode, 200);
          t.equal((await create({ title: 'without a key' })).statusCode, 201);
          const blocked = (await blockedOn(control, 'idempotency_keys')).length;
          t.ok(blocked <= 3, `${blocked} of 5 connections wait`);
          await wait(50);
        }
        for (const response of await duplicates) {
          t.ok([409, 503].includes(response.statusCode), response.body);
          t.match(response.headers['retry-after'], /^[1-9]$/);
        }
        throw new Error('the other process ends');
      },
      { timeout: 600_000 },
    )
    .catch(({ message }) => t.equal(message, 'the other process ends'));
  const retry = async (each: Record<string, string>) => {
    let response = await createOn(api, token, each);
    // 503 when a request is queued for longer than its limit, which happens on a busy machine.
    while (response.statusCode === 503) response = await createOn(api, token, each);
    return response.statusCode;
  };
  t.same(new Set(await Promise.all(headers.map(retry))), new Set([201]));
  t.equal(await reportsOf(control, tenant), 30);
});

t.test(
  'the key of a server that disappears is released when PostgreSQL ends its transaction',
  onPostgresql,
  async (t) => {
    const options = await createTestDatabase(t);
    const control = await open(t, options);
    const proxy = await startDatabaseProxy(t, options.databaseUrl ?? '');
    const vanishing = await buildTestApp(t, {
      database: await open(t, { ...options, databaseUrl: proxy.url, statementTimeoutMs: 20_000 }),
    });
    const { tenant, token, saved } = await createReportClient(vanishing);
    await saved({ title: 'the row of the totals exists' });
    const other = await buildTestApp(t, { database: await open(t, options), clock: vanishing.clock });
    const release = await lockCreation(control, tenant.accountId);
    const lost = createOn(vanishing, token);
    await untilBlocked(control, 'reports', 1);
    proxy.pause();
    await release();
    let response = await createOn(other, token);
    // 503 when the transaction ends shortly before the request times out.
    while ([409, 503].includes(response.statusCode)) response = await createOn(other, token);
    t.equal(response.statusCode, 201);
    proxy.restore();
    t.equal((await lost).statusCode, 503);
    t.equal(await reportsOf(control, tenant), 1);
  },
);

interface Fleet {
  readonly tenant: Tenant;
  readonly token: string;
  start(): Promise<ServerProcess>;
  inDatabase<Result>(use: (database: Database) => Promise<Result>): Promise<Result>;
}

/** A database with one tenant, and server processes on it: with the embedded database, one at a time. */
async function setUpProcesses(t: Test): Promise<Fleet & { first: ServerProcess }> {
  const options = await createTestDatabase(t);
  const { databaseUrl = '', dataDir } = options;
  const inDatabase: Fleet['inDatabase'] = async (use) => {
    const database = await openDatabase(options);
    try {
      return await use(database);
    } finally {
      await database.close();
    }
  };
  const tenant = await inDatabase((database) => createTenant(database));
  const environment = { DATA_DIR: dataDir, DEMO_DATA: 'false', MAX_REPORTS_PER_ACCOUNT: '0' };
  const start = () => startServerProcess(t, { databaseUrl, environment });
  const first = await start();
  return { tenant, token: await tokenFrom(first, tenant.application), start, inDatabase, first };
}

async function tokenFrom(
  { url }: ServerProcess,
  { clientId, clientSecret }: TestApplication,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await fetch(`${url}/v1/oauth/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function createAt({ url }: ServerProcess, token: string, key: string) {
  const response = await fetch(`${url}/v1/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ title: 'x' }),
  });
  return { status: response.status, body: await response.text() };
}

t.test('a retry succeeds when the server was killed in the transaction', onPostgresql, async (t) => {
  const { tenant, token, start, inDatabase, first } = await setUpProcesses(t);
  const second = await start();
  await inDatabase(async (control) => {
    t.equal((await createAt(second, token, 'another')).status, 201, 'the row of the totals exists');
    const release = await lockCreation(control, tenant.accountId);
    const lost = createAt(first, token, 'the key').catch(() => 'lost');
    await untilBlocked(control, 'reports', 1);
    await first.kill();
    t.equal(await lost, 'lost');
    const retry = createAt(second, token, 'the key');
    await release();
    t.equal((await retry).status, 201);
    t.equal(await reportsOf(control, tenant), 2);
  });
});

/** Sends a request with each of these keys, eight at a time. A client stops when the server exits. */
async function createAll(
  server: ServerProcess,
  { token, keys }: { token: string; keys: readonly string[] },
  received: (key: string, response: { status: number; body: string }) => void,
): Promise<void> {
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (const key of keys.filter((_, index) => index % 8 === client)) {
      const response = await createAt(server, token, key).catch(() => undefined);
      if (response === undefined) return;
      received(key, response);
    }
  });
  await Promise.all(clients);
}

t.test('each retry succeeds after servers were killed under load, and each key has one report', async (t) => {
  const { tenant, token, start, inDatabase, first } = await setUpProcesses(t);
  const keys: string[] = [];
  const acknowledged = new Map<string, string>();
  // The times at which a server is killed vary: it may be at any step of a request.
  for (const delayMs of [5, 20]) {
    const server = keys.length === 0 ? first : await start();
    const next = Array.from({ length: 80 }, (_, index) => `after ${delayMs} ms: ${index}`);
    let responses = 0;
    await createAll(server, { token, keys: next }, (key, { status, body }) => {
      if (status !== 201) t.fail(`${key}: ${status} ${body}`);
      acknowledged.set(key, body);
      responses += 1;
      if (responses === 20) setTimeout(() => void server.kill(), delayMs);
    });
    await server.ended;
    keys.push(...next);
  }
  t.ok(acknowledged.size >= 40, `${acknowledged.size} are acknowledged before the servers were killed`);
  const last = await start();
  const repeated = new Map<string, string>();
  await createAll(last, { token, keys }, (key, { status, body }) => {
    if (status !== 201) t.fail(`${key}: ${status} ${body}`);
    repeated.set(key, body);
  });
  t.equal(repeated.size, keys.length);
  for (const [key, body] of acknowledged)
    t.equal(repeated.get(key), body, 'the acknowledged response is repeated');
  await last.stop();
  t.equal(
    await inDatabase((database) => reportsOf(database, tenant)),
    keys.length,
    'one report for each key',
  );
});
