import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Database } from '../../src/platform/database/client.js';
import { createLifecycle } from '../../src/platform/http/lifecycle.js';
import { defaultReportLimits, type ReportLimits } from '../../src/platform/limits/report-concurrency.js';
import { openTestDatabase } from '../support/database/database.js';
import { createReportClient, type ReportClient } from '../support/records/reports.js';
import { buildTestApp } from '../support/server/app.js';
import { listen, type RawDownload, requestRaw } from '../support/server/sockets.js';
import { holdTimers } from '../support/server/timers.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);

/** Larger than the buffers of a connection on this machine. */
const chunk = Buffer.alloc(64 * 1024, 'x');

type Rows = (signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>;

async function* endless(): AsyncGenerator<Buffer, void, undefined> {
  for (;;) yield chunk;
}

/** Milliseconds for which requests are queued. No other time limit has this value. */
const queueMs = 61_234;

/** An application whose downloads the test produces. */
async function serve(t: Test, rows: Rows, limits: Partial<ReportLimits> = {}) {
  let started = 0;
  let inProgress = 0;
  const streamCsv: Database['streamCsv'] = async function* ({ signal }) {
    started += 1;
    inProgress += 1;
    try {
      yield* rows(signal);
    } finally {
      inProgress -= 1;
    }
  };
  const lifecycle = createLifecycle();
  const api = await buildTestApp(t, {
    database: { ...database, streamCsv },
    reportLimits: { ...defaultReportLimits, queueMs, ...limits },
    lifecycle,
  });
  const port = await listen(api.app);
  const account = async () => {
    const client = await createReportClient(api);
    return { ...client, path: `/v1/reports/${await client.saved({ title: 'x' })}/results.csv` };
  };
  return {
    app: api.app,
    port,
    lifecycle,
    account,
    started: () => started,
    inProgress: () => inProgress,
    download: ({ token, path }: Account, version: HttpVersion = '1.1') =>
      requestRaw(t, port, [
        `GET ${path} HTTP/${version}`,
        'Host: api.test',
        `Authorization: Bearer ${token}`,
      ]),
  };
}

type Account = ReportClient & { readonly path: string };
type HttpVersion = '1.0' | '1.1';

/** Expects a response that was aborted, and does not look complete to any client. */
async function isCut(t: Test, download: RawDownload, version: HttpVersion): Promise<void> {
  const { text, reset } = await download.readAll();
  t.match(text.slice(0, 15), 'HTTP/1.1 200 OK', `HTTP/${version}`);
  t.equal(/^transfer-encoding: chunked/im.test(text), version === '1.1');
  t.ok(reset, 'the connection was reset');
  t.notOk(text.endsWith('\r\n0\r\n\r\n'), 'without the last chunk');
}

const versions = ['1.1', '1.0'] as const;

t.test('the download of a slow client is closed and does not look complete', async (t) => {
  const { account, download, started, inProgress } = await serve(t, endless, { throughputPeriodMs: 240 });
  const client = await account();
  const slow = versions.map((version) => download(client, version));
  await until(() => started() === 2 && inProgress() === 0);
  for (const [index, version] of versions.entries()) await isCut(t, slow[index] as RawDownload, version);
  const next = download(client);
  await until(() => started() === 3);
  next.socket.destroy();
  await until(() => inProgress() === 0);
});

t.test('a download that reaches its deadline is closed and does not look complete', async (t) => {
  const { account, download, inProgress } = await serve(t, endless, { downloadMs: 1_000 });
  const client = await account();
  const timers = holdTimers(t);
  const downloaded = versions.map((version) => download(client, version));
  await Promise.all(downloaded.map(({ socket }) => once(socket, 'readable')));
  timers.advance(999);
  t.equal(inProgress(), 2, 'not before');
  timers.advance(1);
  for (const [index, version] of versions.entries())
    await isCut(t, downloaded[index] as RawDownload, version);
  await until(() => inProgress() === 0);
});

t.test('a download that fails midway does not look complete', async (t) => {
  let fail = () => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const failing: Rows = async function* () {
    yield chunk;
    await failed;
    throw new Error('The database is unavailable');
  };
  const { account, download } = await serve(t, failing);
  const client = await account();
  const downloaded = versions.map((version) => download(client, version));
  await Promise.all(downloaded.map(({ socket }) => once(socket, 'readable')));
  fail();
  for (const [index, version] of versions.entries())
    await isCut(t, downloaded[index] as RawDownload, version);
});

t.test('a download that is closed when the process exits does not look complete', async (t) => {
  const { app, account, download, inProgress, lifecycle } = await serve(t, endless);
  const client = await account();
  const responses: ServerResponse[] = [];
  app.server.on('request', (_request, made) => responses.push(made));
  const downloaded = versions.map((version) => download(client, version));
  await until(() => responses.length === 2 && responses.every(({ headersSent }) => headersSent));
  lifecycle.cutOff.abort();
  await until(() => inProgress() === 0);
  for (const [index, version] of versions.entries())
    await isCut(t, downloaded[index] as RawDownload, version);
});

t.test('a download whose rows arrive slowly is not closed', async (t) => {
  const periodMs = 120;
  const slowly: Rows = async function* () {
    for (let row = 0; row < 5; row += 1) {
      yield Buffer.from(`${row}\n`);
      await until(() => connection?.writableLength === 0);
      timers.advance(2 * periodMs);
    }
  };
  const { app, account, download } = await serve(t, slowly, { throughputPeriodMs: periodMs });
  const client = await account();
  const timers = holdTimers(t);
  let connection: Socket | undefined;
  app.server.once('connection', (socket) => {
    connection = socket;
  });
  const { text, reset } = await download(client, '1.0').readAll();
  t.match(text, /\r\n0\n1\n2\n3\n4\n$/);
  t.notOk(reset);
});

t.test('a download without a row before the deadline is 503', async (t) => {
  const never: Rows = async function* (signal) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
    yield chunk;
  };
  const { account, inProgress } = await serve(t, never, { downloadMs: 200 });
  const { send, path } = await account();
  const response = await send('GET', path);
  t.equal(response.statusCode, 503);
  t.equal(response.json().code, 'service_unavailable');
  t.equal(inProgress(), 0);
});

t.test('a third download of an account is 429 after the wait, and HEAD takes no slot', async (t) => {
  const { account, download, inProgress } = await serve(t, endless, { throughputPeriodMs: 2 ** 30 });
  const [client, other] = [await account(), await account()];
  const timers = holdTimers(t);
  const running = [download(client), download(client)];
  await until(() => inProgress() === 2);
  const queued = client.send('GET', client.path);
  await until(() => timers.started(queueMs) === 1);
  timers.advance(queueMs);
  const third = await queued;
  t.equal(third.statusCode, 429);
  t.match(third.json(), {
    code: 'rate_limit_exceeded',
    detail: /limit of 2 concurrent CSV downloads/,
  });
  t.match(third.headers['retry-after'], /^[1-9]\d*$/);
  const head = await client.send('HEAD', client.path);
  t.equal(head.statusCode, 200);
  const json = await client.send('GET', client.path.replace(/\.csv$/, ''));
  t.equal(json.statusCode, 200, 'a run as JSON uses separate slots');
  running.push(download(other));
  await until(() => inProgress() === 3);
  for (const { socket } of running) socket.destroy();
  await until(() => inProgress() === 0);
});

t.test('downloads beyond the limit of the process are 503 until one of them ends', async (t) => {
  const { account, download, inProgress } = await serve(t, endless, {
    throughputPeriodMs: 2 ** 30,
    downloadsPerProcess: 4,
  });
  const accounts = await Promise.all(Array.from({ length: 3 }, account));
  const timers = holdTimers(t);
  const running = accounts.slice(0, 2).flatMap((each) => [download(each), download(each)]);
  await until(() => inProgress() === 4);
  const last = accounts[2] as Account;
  const queued = last.send('GET', last.path);
  await until(() => timers.started(queueMs) === 1);
  timers.advance(queueMs);
  const rejected = await queued;
  t.equal(rejected.statusCode, 503);
  t.equal(rejected.json().code, 'service_unavailable');
  t.match(rejected.headers['retry-after'], /^[1-9]\d*$/);
  running.pop()?.socket.destroy();
  await until(() => inProgress() === 3);
  running.push(download(last));
  await until(() => inProgress() === 4);
  for (const { socket } of running) socket.destroy();
  await until(() => inProgress() === 0);
});

t.test('a client that disconnects while its download is queued leaves the queue', async (t) => {
  const { app, account, download, started, inProgress, port } = await serve(t, endless);
  const client = await account();
  const timers = holdTimers(t);
  const running = [download(client), download(client)];
  await until(() => inProgress() === 2);
  const queued = http.get({
    port,
    path: client.path,
    headers: { authorization: `Bearer ${client.token}` },
    agent: false,
  });
  queued.on('error', () => {});
  const [, response] = (await once(app.server, 'request')) as [unknown, ServerResponse];
  await until(() => timers.started(queueMs) === 1);
  const closed = once(response, 'close');
  queued.destroy();
  await closed;
  for (const { socket } of running) socket.destroy();
  await until(() => inProgress() === 0);
  const next = download(client);
  await until(() => inProgress() === 1);
  t.equal(started(), 3, 'it has not started');
  next.socket.destroy();
  await until(() => inProgress() === 0);
});
