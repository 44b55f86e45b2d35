import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import type { Database } from '../../src/platform/database/client.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { accountScope } from '../../src/platform/database/scope.js';
import { defaultReportLimits } from '../../src/platform/limits/report-concurrency.js';
import { createTestDatabase, openTestDatabase, testServer } from '../support/database/database.js';
import { patienceMs } from '../support/patience.js';
import { createReportClient, type ReportClient } from '../support/records/reports.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { listen } from '../support/server/sockets.js';
import { holdTimers } from '../support/server/timers.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);

/** Milliseconds for which requests are queued. No other time limit has this value. */
const queueMs = 61_234;

interface Scene {
  readonly app: FastifyInstance;
  readonly port: number;
  readonly client: ReportClient;
  readonly run: () => ReturnType<ReportClient['send']>;
  readonly report: string;
  /** Number of runs of the account that have started. */
  readonly started: () => number;
  /** Lets the runs of the account continue from now on. */
  readonly letGo: () => void;
}

/** An application in which the runs of one account wait in the database. */
async function holdRuns(
  t: Test,
  { environment = {}, runsPerAccount = 2 } = {},
): Promise<Scene & { other: ReportClient; otherReport: string }> {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let started = 0;
  let heldScope: string | undefined;
  const queryReport: Database['queryReport'] = async (text, values, options) => {
    if (options.scope === heldScope) {
      started += 1;
      await opened;
    }
    return database.queryReport(text, values, options);
  };
  const api = await buildTestApp(t, {
    database: { ...database, queryReport },
    environment,
    reportLimits: { ...defaultReportLimits, runsPerAccount, queueMs },
  });
  const port = await listen(api.app);
  const [client, other] = await Promise.all([
    createReportClient(api, { employees: makeEmployees(1) }),
    createReportClient(api, { employees: makeEmployees(1) }),
  ]);
  heldScope = accountScope(client.tenant.accountId);
  const report = await client.saved({ title: 'Held' });
  return {
    app: api.app,
    port,
    client,
    report,
    run: () => client.send('GET', `/v1/reports/${report}/results`),
    other,
    otherReport: await other.saved({ title: 'Other' }),
    started: () => started,
    letGo: () => open(),
  };
}

/** A run whose client can disconnect. */
function runOverNetwork({ port, client, report }: Pick<Scene, 'port' | 'client' | 'report'>) {
  const request = http.get({
    host: '127.0.0.1',
    port,
    path: `/v1/reports/${report}/results`,
    headers: { authorization: `Bearer ${client.token}` },
    agent: false,
  });
  request.on('error', () => {});
  return request;
}

t.test(
  'rejects a third concurrent run of an account with 429 after the wait, and runs reports of other accounts',
  async (t) => {
    const { client, run, other, otherReport, started, letGo } = await holdRuns(t);
    const timers = holdTimers(t);
    const running = [run(), run()];
    await until(() => started() === 2);
    const queued = run();
    await until(() => timers.started(queueMs) === 1);
    timers.advance(queueMs);
    const third = await queued;
    t.equal(third.statusCode, 429);
    t.match(third.json(), { code: 'rate_limit_exceeded', detail: /limit of 2 concurrent report runs/ });
    t.match(third.headers['retry-after'], /^[1-9]\d*$/);
    t.equal((await other.send('GET', `/v1/reports/${otherReport}/results`)).statusCode, 200);
    t.equal((await client.send('GET', '/v1/reports/unknown/results')).statusCode, 404);
    t.equal(timers.started(queueMs), 1, 'without a wait');
    letGo();
    for (const response of await Promise.all(running)) t.equal(response.statusCode, 200);
  },
);

t.test('a queued run starts when another one of the account is complete', async (t) => {
  const { run, started, letGo } = await holdRuns(t);
  const timers = holdTimers(t);
  const running = [run(), run(), run()];
  await until(() => started() === 2 && timers.started(queueMs) === 1);
  letGo();
  for (const response of await Promise.all(running)) t.equal(response.statusCode, 200);
});

t.test('a run that fails releases its slot', async (t) => {
  let failures = 2;
  const queryReport: Database['queryReport'] = (text, values, options) => {
    failures -= 1;
    return failures >= 0
      ? database.queryReport('SELECT 1 / 0', [], options)
      : database.queryReport(text, values, options);
  };
  const api = await buildTestApp(t, {
    database: { ...database, queryReport },
    reportLimits: { ...defaultReportLimits, runsPerAccount: 1, queueMs: 0 },
  });
  const client = await createReportClient(api);
  const report = await client.saved({ title: 'x' });
  for (const expected of [500, 500, 200]) {
    t.equal((await client.send('GET', `/v1/reports/${report}/results`)).statusCode, expected);
  }
});

t.test('a client that disconnects while it is queued leaves the queue', async (t) => {
  const scene = await holdRuns(t, { runsPerAccount: 1 });
  const timers = holdTimers(t);
  const { app, run, started, letGo } = scene;
  const first = run();
  await until(() => started() === 1);
  const requests = [runOverNetwork(scene), runOverNetwork(scene)];
  const responses: ServerResponse[] = [];
  app.server.on('request', (_request, response) => responses.push(response));
  await until(() => timers.started(queueMs) === 2);
  const closed = responses.map((response) => once(response, 'close'));
  for (const request of requests) request.destroy();
  await Promise.all(closed);
  letGo();
  t.equal((await first).statusCode, 200);
  t.equal((await run()).statusCode, 200);
  t.equal(started(), 2, 'their runs have not started');
});

const onServer =
  testServer === undefined
    ? { skip: 'the embedded database cannot be interrupted, and has one connection' }
    : {};

/** An application on PostgreSQL with few connections, whose employees another session can lock. */
async function lockable(t: Test, { reportStatementTimeoutMs = patienceMs } = {}) {
  const options = await createTestDatabase(t);
  const own = await openDatabase({ ...options, poolSize: 2, reportStatementTimeoutMs });
  t.teardown(() => own.close());
  const api = await buildTestApp(t, { database: own });
  const session = new pg.Client({ connectionString: options.databaseUrl });
  await session.connect();
  t.teardown(() => session.end());
  const client = await createReportClient(api, { employees: makeEmployees(1) });
  return {
    own,
    client,
    port: await listen(api.app),
    report: await client.saved({ title: 'x' }),
    lock: () => session.query('BEGIN; LOCK TABLE employees'),
    unlock: () => session.query('ROLLBACK'),
    /** Statements that wait for the lock. */
    async blocked(): Promise<number> {
      // A transaction sees a snapshot of the sessions.
      await session.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await session.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0].count;
    },
  };
}

t.test('PostgreSQL cancels the statement of a run whose client disconnects', onServer, async (t) => {
  const scene = await lockable(t);
  await scene.lock();
  const request = runOverNetwork(scene);
  await until(async () => (await scene.blocked()) === 1);
  request.destroy();
  await until(async () => (await scene.blocked()) === 0);
  await scene.unlock();
  const { statusCode } = await scene.client.send('GET', `/v1/reports/${scene.report}/results`);
  t.equal(statusCode, 200);
});

t.test('runs do not use the connections that every request needs', onServer, async (t) => {
  const { own, client, report, lock, unlock, blocked } = await lockable(t);
  const connections = () => own.poolState().find(({ pool }) => pool === 'reports')?.total;
  t.equal(connections(), 0, 'those for runs are opened on demand');
  await lock();
  const running = [1, 2].map(() => client.send('GET', `/v1/reports/${report}/results`));
  await until(async () => (await blocked()) === 2);
  t.equal(connections(), 2, 'one for each run');
  t.equal((await client.send('GET', '/v1/reports')).statusCode, 200);
  await unlock();
  for (const response of await Promise.all(running)) t.equal(response.statusCode, 200);
});

t.test('a run that takes too long is a 503 whose detail names the timeout', onServer, async (t) => {
  const { client, report, lock } = await lockable(t, { reportStatementTimeoutMs: 100 });
  await lock();
  const response = await client.send('GET', `/v1/reports/${report}/results`);
  t.equal(response.statusCode, 503);
  t.match(response.json(), {
    code: 'service_unavailable',
    detail: /The report exceeded the maximum duration/,
  });
  t.match(response.headers['retry-after'], /^[1-9]\d*$/);
});
