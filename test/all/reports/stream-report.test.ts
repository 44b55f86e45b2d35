import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { toReport } from '../../../src/features/reports/report.js';
import { ReportResults } from '../../../src/features/reports/results/report-results.js';
import { AuditedExports } from '../../../src/platform/audit/audited-exports.js';
import { systemClock } from '../../../src/platform/clock.js';
import { type Database, Prisma } from '../../../src/platform/database/client.js';
import { defaultReportLimits, ReportConcurrency } from '../../../src/platform/limits/report-concurrency.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { query } from '../../support/database/query.js';
import { createReportClient, parseCsv, requestCsv } from '../../support/records/reports.js';
import { makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { listen } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';

const headcount = 30_000;

const database = await openTestDatabase(t);
const reportLimits = { ...defaultReportLimits, queueMs: 200 };
// Streams are observed on the primary, so they run there.
const api = await buildTestApp(t, { database, reads: database, reportLimits });
const port = await listen(api.app);
// Long texts, so that a result is larger than the buffers of the connections to the client and to the database.
const long = 'd'.repeat(250);
const client = await createReportClient(api, {
  employees: makeEmployees(headcount, { firstName: long, lastName: long, department: long }),
});
const everybody = await client.saved({ title: 'Everybody' });

const ask = (to = port, method: 'GET' | 'HEAD' = 'GET') =>
  requestCsv(client, { port: to, report: everybody, method });

/** Resources of streams in the database: connections in a transaction, or cursors of the only connection. */
async function held(): Promise<number> {
  const sql =
    database.kind === 'postgresql'
      ? `SELECT count(*)::text AS count FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND state <> 'idle' AND query ~ '^(COPY|DECLARE|FETCH)'`
      : `SELECT count(*)::text AS count FROM pg_cursors WHERE is_holdable`;
  const [row] = await asOwner<{ count: string }>(database, sql);
  return Number(row?.count);
}

async function freed(t: Test): Promise<void> {
  await until(async () => (await held()) === 0);
  t.pass('nothing is held');
}

/** Fails before its first row. */
const failure = Prisma.sql`SELECT (1 / 0)::text`;

/** The same application on a database whose streams the test controls. */
async function withStreams(t: Test, streamCsv: Database['streamCsv']): Promise<number> {
  const { app } = await buildTestApp(t, { database: { ...database, streamCsv } });
  return listen(app);
}

t.test('a long result arrives complete', async (t) => {
  const response = await ask();
  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'text/csv; charset=utf-8');
  const lines = parseCsv(await text(response));
  t.ok(response.complete);
  t.equal(lines.length, headcount + 1);
  t.same(
    lines.slice(1).map(([id]) => id),
    client.tenant.employeeIds,
  );
  await freed(t);
});

t.test('each of many clients that disconnect releases the resources of its stream', async (t) => {
  for (let round = 0; round < 12; round += 1) {
    const response = await ask();
    await once(response, 'readable');
    if (round === 0) t.equal(await held(), 1);
    response.destroy();
    // More concurrent downloads of the account would be queued.
    if (round % 2 === 1) await freed(t);
  }
  t.equal(parseCsv(await text(await ask())).length, headcount + 1);
});

/** Sends four pipelined requests for a table, and reads none of the responses. */
function requestAhead(): net.Socket {
  const socket = net.connect(port, '127.0.0.1').on('error', () => {});
  const request = [
    `GET /v1/reports/${everybody}/results.csv HTTP/1.1`,
    'Host: api.test',
    `Authorization: Bearer ${client.token}`,
    '',
    '',
  ].join('\r\n');
  socket.write(request.repeat(4));
  return socket;
}

t.test('tables that are queued behind another response are released with their connection', async (t) => {
  const socket = requestAhead();
  // The client does not read the first response, so the second one waits and holds its resources. The others are queued.
  while ((await held()) < 2) await wait(20);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  await freed(t);
  const others = await Promise.all([ask(), ask()]);
  for (const response of others) t.equal(parseCsv(await text(response)).length, headcount + 1);
});

t.test('tables whose connection ends before they start hold no resources', async (t) => {
  for (let turns = 0; turns < 24; turns += 2) {
    const arrived = once(api.app.server, 'request');
    const socket = requestAhead();
    await arrived;
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await once(socket, 'close');
  }
  await freed(t);
  const others = await Promise.all([ask(), ask()]);
  for (const response of others) t.equal(parseCsv(await text(response)).length, headcount + 1);
});

t.test('other requests are served while a client reads slowly', async (t) => {
  const response = await ask();
  await once(response, 'readable');
  const responses = await Promise.all(Array.from({ length: 5 }, () => client.send('GET', '/v1/employees')));
  t.ok(responses.every(({ statusCode }) => statusCode === 200));
  t.equal((await client.create({ title: 'meanwhile' })).statusCode, 201);
  t.equal(await held(), 1);
  response.destroy();
  await freed(t);
});

t.test('all rows are from one snapshot under concurrent changes', async (t) => {
  const report = toReport(await database.prisma.report.findFirstOrThrow({ where: { id: everybody } }));
  const results = new ReportResults({
    reads: database,
    reportSlots: new ReportConcurrency(reportLimits),
    auditedExports: new AuditedExports(database),
    clock: systemClock,
    config: { historyRetentionDays: 400 },
  });
  const chunks = results.streamCsv(client.tenant.accountId, report, { signal: new AbortController().signal });
  const read: Buffer[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { value } = await chunks.next();
    if (value) read.push(value);
  }
  const { accountId, employeeIds } = client.tenant;
  await database.prisma.employee.updateMany({
    where: { accountId, status: 'active' },
    data: { status: 'changed' },
  });
  await database.prisma.employee.deleteMany({ where: { accountId, id: { in: employeeIds.slice(-100) } } });
  for await (const chunk of chunks) read.push(chunk);
  const lines = parseCsv(Buffer.concat(read).toString());
  t.equal(lines.length, headcount + 1);
  t.notOk(lines.some((line) => line.includes('changed')));
  const now = parseCsv(await client.csv(everybody));
  t.equal(now.length, headcount + 1 - 100);
  t.ok(now.some((line) => line.includes('changed')));
});

t.test('reads rows only as fast as the client, and releases all resources when it disconnects', async (t) => {
  let made = 0;
  let ended = false;
  const endless = await withStreams(t, async function* () {
    try {
      for (;;) {
        made += 1;
        yield Buffer.alloc(64 * 1024, 'x');
      }
    } finally {
      ended = true;
    }
  });
  const response = await ask(endless);
  await once(response, 'readable');
  await wait(300);
  const before = made;
  await wait(300);
  t.equal(made, before, `${made} chunks were produced`);
  t.ok(made < 400);
  response.destroy();
  while (!ended) await wait(10);
  t.ok(ended);
});

t.test('a client that disconnects before the first row stops the query', async (t) => {
  let started = false;
  let left = false;
  const slow = await withStreams(t, async function* ({ signal }) {
    started = true;
    await once(signal, 'abort');
    left = true;
    yield* database.streamCsv({ query: failure, signal });
  });
  const request = http.get({
    host: '127.0.0.1',
    port: slow,
    path: `/v1/reports/${everybody}/results.csv`,
    headers: { authorization: `Bearer ${client.token}` },
  });
  request.on('error', () => {});
  while (!started) await wait(10);
  request.destroy();
  while (!left) await wait(10);
  t.ok(left);
});

t.test('HEAD has the headers and does not run the report', async (t) => {
  let runs = 0;
  const counting = await withStreams(t, (query) => {
    runs += 1;
    return database.streamCsv(query);
  });
  const [head, get] = [await ask(counting, 'HEAD'), await ask(counting)];
  t.equal(await text(head), '');
  get.destroy();
  t.equal(runs, 1);
  for (const name of ['content-type', 'content-disposition', 'vary', 'content-length']) {
    t.equal(head.headers[name], get.headers[name], name);
  }
});

const onServer =
  database.kind === 'postgresql' ? {} : { skip: 'the embedded database cannot be interrupted' };

t.test('an abort cancels a running query at once', onServer, async (t) => {
  const abort = new AbortController();
  const query = Prisma.sql`SELECT pg_sleep(60)::text`;
  const reading = database.streamCsv({ query, signal: abort.signal }).next();
  reading.catch(() => {});
  while ((await held()) === 0) await wait(20);
  abort.abort();
  await t.rejects(reading);
  await freed(t);
});

t.test('a database connection that is lost midway breaks the response', onServer, async (t) => {
  const response = await ask();
  await once(response, 'readable');
  const stop = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query ~ '^(COPY|FETCH)' AND wait_event IN ('ClientWrite', 'ClientRead')`;
  // The database is active between two checks until the backpressure of the client reaches it.
  while ((await asOwner(database, stop)).length === 0) await wait(20);
  await t.rejects(text(response));
  t.notOk(response.complete);
  t.equal(parseCsv(await client.csv(everybody)).length, headcount + 1 - 100);
});

t.test('rejects streams beyond the connections for streams, and no other query', onServer, async (t) => {
  const few = await openTestDatabase(t, { streamPoolSize: 1, connectionTimeoutMs: 300 });
  const signal = new AbortController().signal;
  const series = { query: Prisma.sql`SELECT g::text FROM generate_series(1, 500000) AS g`, signal };
  const first = few.streamCsv(series);
  await first.next();
  await t.rejects(few.streamCsv(series).next(), /timeout exceeded when trying to connect/);
  t.equal((await query(few, 'SELECT 1 AS one')).length, 1);
  await first.return();
  const chunks: Buffer[] = [];
  for await (const chunk of few.streamCsv(series)) chunks.push(chunk);
  t.equal(parseCsv(Buffer.concat(chunks).toString()).length, 500_001);
});
