import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { UsageReader } from '../../src/features/usage/usage-reader.js';
import { type Database, Prisma } from '../../src/platform/database/client.js';
import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createReportClient, parseCsv, requestCsv } from '../support/records/reports.js';
import { sendJson } from '../support/records/send-json.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { listen } from '../support/server/sockets.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

/** More than the rows of a chunk. */
const headcount = 2_100;

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const client = await createReportClient(api, {
  employees: makeEmployees(headcount).map((employee) => ({ ...employee, department: 'd'.repeat(250) })),
});
const { accountId, application } = client.tenant;

/** A new report, so that its events belong to one test. */
const newReport = () => client.saved({ title: 'Everybody, "quoted"' });

async function eventsOf(report: string) {
  const where = { type: 'report.exported', details: { path: ['report'], equals: report } };
  return database.prisma.auditEvent.findMany({ where, orderBy: { createdAt: 'asc' } });
}

/** Waits until the event of an export has the number of rows. */
async function endedEvent(report: string) {
  for (;;) {
    const [event, ...more] = await eventsOf(report);
    if (more.length > 0) throw new Error('An export has several events');
    const details = event?.details as Record<string, string> | undefined;
    if (details?.rows !== undefined) return { event, details };
    await wait(20);
  }
}

const ask = (port: number, report: string) => requestCsv(client, { port, report });

/** The same application with streams that the test controls. It is closed after its exports have ended. */
async function withStreams(t: Test, streamCsv: Database['streamCsv']) {
  const served = await buildTestApp(t, { database: { ...database, streamCsv } });
  return { ...served, port: await listen(served.app) };
}

const header = Buffer.from('id\n');

function rows(count: number): Buffer {
  return Buffer.from('x\n'.repeat(count));
}

/** A chunk of 1000 rows. */
const manyRows = Buffer.from(`${'x'.repeat(65)}\n`.repeat(1000));

t.test('an export stores one event with report, title, rows, application, user and origin', async (t) => {
  const scene = await createScene(database, { role: 'owner' });
  const { accessToken } = await grantTokens(api, scene, { scope: 'reports:read reports:write' });
  const { accountId } = scene;
  // Quoted line breaks do not count as rows.
  const department = 'two\r\nlines\n"and a half"';
  await insertEmployees(database.prisma, accountId, makeEmployees(5, { department }));
  const created = await sendJson(api, { url: '/v1/reports', token: accessToken, body: { title: 'Five' } });
  const report = created.json().data.id;
  const response = await api.get(`/v1/reports/${report}/results.csv`, accessToken, {
    'x-request-id': 'export-1',
  });
  t.equal(parseCsv(response.body).length, 6);
  const events = await eventsOf(report);
  t.match(events, [
    {
      type: 'report.exported',
      accountId,
      applicationId: scene.application.id,
      userId: scene.user.id,
      address: '127.0.0.1',
      requestId: 'export-1',
      createdAt: api.clock(),
      details: { report, title: 'Five', rows: '5', complete: 'yes' },
    },
  ]);
  t.equal(events.length, 1);
});

t.test('the event of an export of many chunks has its number of rows', async (t) => {
  const report = await newReport();
  t.equal(parseCsv(await client.csv(report)).length, headcount + 1);
  t.match(await eventsOf(report), [{ userId: null, details: { rows: String(headcount), complete: 'yes' } }]);
});

t.test('an export without rows stores an event', async (t) => {
  const filters = [{ field: 'email', operator: 'eq', value: 'nobody@nowhere.example' }];
  const report = await client.saved({ title: 'Nobody', filters });
  t.equal(parseCsv(await client.csv(report)).length, 1);
  t.match(await eventsOf(report), [{ details: { title: 'Nobody', rows: '0', complete: 'yes' } }]);
});

t.test('each export stores an event; JSON pages, HEAD and rejected requests store none', async (t) => {
  const report = await newReport();
  const path = `/v1/reports/${report}/results.csv`;
  t.equal((await client.send('GET', `/v1/reports/${report}/results`)).statusCode, 200);
  t.equal((await client.send('HEAD', path)).statusCode, 200);
  t.equal((await client.send('GET', `${path}?page[size]=1`)).statusCode, 400);
  t.equal((await client.send('GET', '/v1/reports/unknown/results.csv')).statusCode, 404);
  const limited = await api.token(application, 'user:read');
  t.equal((await api.get(path, limited)).statusCode, 403);
  t.same(await eventsOf(report), []);
  await client.csv(report);
  await client.csv(report);
  t.equal((await eventsOf(report)).length, 2);
});

t.test(
  'the event is stored before the first byte arrives, and gets its number of rows at the end',
  async (t) => {
    const report = await newReport();
    let goOn = () => {};
    const { port } = await withStreams(t, async function* () {
      yield header;
      yield rows(3);
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      yield rows(4);
    });
    const response = await ask(port, report);
    const [event] = await eventsOf(report);
    t.same(event?.details, { report, title: 'Everybody, "quoted"', complete: 'no' });
    goOn();
    await text(response);
    t.match((await eventsOf(report))[0], { id: event?.id, details: { rows: '7', complete: 'yes' } });
  },
);

t.test('the event of an export that the client aborts has the rows sent until then', async (t) => {
  const report = await newReport();
  let made = 0;
  const served = await withStreams(t, async function* () {
    yield header;
    for (;;) {
      made += 1000;
      yield manyRows;
    }
  });
  const response = await ask(served.port, report);
  await once(response, 'readable');
  response.destroy();
  const { details } = await endedEvent(report);
  t.equal(details.complete, 'no');
  t.equal(details.rows, String(made));
  await served.app.close();
  const range = { from: new Date(0), to: new Date('2100-01-01') };
  const usage = await new UsageReader(database).usageByOperationOf(accountId, application.id, range);
  const { records = 0 } = usage.find(({ operation }) => operation === 'exportReport') ?? {};
  t.ok(records >= made, 'they also count as usage');
});

t.test('the event of an export that is aborted over the network has the rows sent until then', async (t) => {
  const report = await newReport();
  const port = await listen((await buildTestApp(t, { database })).app);
  const response = await ask(port, report);
  await once(response, 'readable');
  response.destroy();
  const { details } = await endedEvent(report);
  t.ok(Number(details.rows) >= 0 && Number(details.rows) <= headcount, `${details.rows} rows`);
});

t.test('the event of an export that fails midway has the rows sent until then', async (t) => {
  const report = await newReport();
  let fail = () => {};
  const { port } = await withStreams(t, async function* () {
    yield header;
    yield rows(11);
    await new Promise<void>((resolve) => {
      fail = resolve;
    });
    throw new Error('The database is unavailable');
  });
  const response = await ask(port, report);
  fail();
  await t.rejects(text(response), { code: 'ECONNRESET' });
  t.match(await endedEvent(report), { details: { rows: '11', complete: 'no' } });
});

t.test('an export that fails before its first byte is a problem response and stores no event', async (t) => {
  const report = await newReport();
  const { port } = await withStreams(t, () =>
    database.streamCsv({ query: Prisma.sql`SELECT (1 / 0)::text`, signal: new AbortController().signal }),
  );
  t.equal((await ask(port, report)).statusCode, 500);
  t.same(await eventsOf(report), []);
});

t.test('an export whose event cannot be stored sends nothing and releases its resources', async (t) => {
  const report = await newReport();
  let ended = false;
  const { port } = await withStreams(t, async function* () {
    try {
      yield Buffer.concat([header, rows(3)]);
    } finally {
      ended = true;
    }
  });
  await rejectEvents(t, 'INSERT', report);
  const response = await ask(port, report);
  t.equal(response.statusCode, 500);
  t.equal(response.headers['content-type'], 'application/problem+json');
  t.notMatch(await text(response), 'x\n');
  t.ok(ended, 'the stream has ended');
  t.same(await eventsOf(report), []);
});

t.test('an export whose number of rows cannot be stored is not completed for the client', async (t) => {
  const report = await newReport();
  await rejectEvents(t, 'UPDATE', report);
  const port = await listen((await buildTestApp(t, { database })).app);
  const response = await ask(port, report);
  await t.rejects(text(response));
  t.notOk(response.complete);
  t.match(await eventsOf(report), [{ details: { complete: 'no' } }]);
});

t.test('exports that are queued behind another response are released with their connection', async (t) => {
  const report = await newReport();
  let started = 0;
  const served = await withStreams(t, async function* () {
    started += 1;
    for (;;) yield manyRows;
  });
  // The connection ends while their events are being stored, before anything reads them.
  await onEvents(t, 'INSERT', report, 'PERFORM pg_sleep(0.2); RETURN NEW;');
  const socket = net.connect(served.port, '127.0.0.1').on('error', () => {});
  const lines = [`GET /v1/reports/${report}/results.csv HTTP/1.1`, 'Host: api.test'];
  socket.write([...lines, `Authorization: Bearer ${client.token}`, '', ''].join('\r\n').repeat(2));
  await until(() => started === 2);
  socket.destroy();
  await once(socket, 'close');
  await served.app.close();
  const events = await eventsOf(report);
  t.equal(events.length, 2);
  for (const { details } of events) t.match(details, { rows: /^\d+$/, complete: 'no' });
});

t.test('the events of exports that are closed with the server have their number of rows', async (t) => {
  const report = await newReport();
  const served = await withStreams(t, async function* () {
    for (;;) {
      yield rows(2);
      await wait(10);
    }
  });
  const response = await ask(served.port, report);
  response.on('error', () => {});
  await once(response, 'readable');
  await onEvents(t, 'UPDATE', report, 'PERFORM pg_sleep(0.3); RETURN NEW;');
  const closed = served.app.close();
  served.app.server.closeAllConnections();
  await closed;
  const [event] = await eventsOf(report);
  t.match(event?.details, { rows: /^[1-9]\d*$/, complete: 'no' });
});

/** Makes the database reject events of one report until the test ends. */
const rejectEvents = (t: Test, operation: 'INSERT' | 'UPDATE', report: string) =>
  onEvents(t, operation, report, `RAISE EXCEPTION 'rejected';`);

/** Makes the database run a statement before each event of one report is written, until the test ends. */
async function onEvents(
  t: Test,
  operation: 'INSERT' | 'UPDATE',
  report: string,
  work: string,
): Promise<void> {
  const name = `on_event_${report}`;
  await asOwner(
    database,
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN ${work} END $$`,
  );
  await asOwner(
    database,
    `CREATE TRIGGER ${name} BEFORE ${operation} ON audit_events FOR EACH ROW
     WHEN (NEW.details ->> 'report' = '${report}') EXECUTE FUNCTION ${name}()`,
  );
  t.teardown(() => asOwner(database, `DROP TRIGGER ${name} ON audit_events`));
}
