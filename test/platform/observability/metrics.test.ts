import { request } from 'node:http';
import net from 'node:net';
import { deliveryLagSeconds } from '../../../src/features/webhooks/delivery/webhook-worker.js';
import { supportedGrantTypes } from '../../../src/oauth/token-endpoint.js';
import { ConfigError } from '../../../src/platform/config/environment.js';
import { startInstruments } from '../../../src/platform/observability/instruments.js';
import { openTestDatabase } from '../../support/database/database.js';
import { query } from '../../support/database/query.js';
import { createScene, grantTokens, refresh } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import { createTestClock } from '../../support/server/clock.js';
import { freePort } from '../../support/server/free-port.js';
import { listen, readText, requestsArrive } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';
import { answers, startReceiver } from '../../support/webhooks/receiver.js';
import { createWorker, webhookScene } from '../../support/webhooks/scene.js';

const database = await openTestDatabase(t);
const settings = { metricsPort: undefined, metricsHost: '127.0.0.1', tracing: false };

/** An application with metrics, and a function that reads one with exactly these labels, in this order; 0 if there is none. */
async function measure(t: Test) {
  const metricsPort = await freePort();
  const instruments = await startInstruments({ ...settings, metricsPort }, database, supportedGrantTypes);
  t.teardown(() => instruments.close());
  const api = await buildTestApp(t, {
    database: instruments.database,
    observers: instruments.observers,
    environment: { RATE_LIMIT_FAILURES: '1' },
    clock: createTestClock(new Date()),
  });
  const address = `http://127.0.0.1:${metricsPort}/metrics`;
  const read = async (metric: string) => {
    const lines = (await readText(address)).split('\n');
    const line = lines.find((text) => text.startsWith(`${metric} `));
    return Number(line?.slice(metric.length + 1) ?? 0);
  };
  return { ...instruments, api, address, read };
}

t.test('counts and times requests by operation, method and status', async (t) => {
  const { api, read } = await measure(t);
  await api.get('/v1/employees?page[size]=3');
  await api.get('/v1/nowhere/1');
  await api.get('/v1/nowhere/2');
  await api.app.inject('/%zz');
  await api.app.inject('/healthz');
  const labels = 'operation="listEmployees",method="GET"';
  t.equal(await read(`people_http_requests_total{${labels},status="401"}`), 1);
  t.equal(await read('people_http_requests_total{operation="unknown",method="GET",status="404"}'), 2);
  t.equal(await read('people_http_requests_total{operation="unknown",method="GET",status="400"}'), 1);
  t.equal(await read('people_http_requests_total{operation="GET /healthz",method="GET",status="200"}'), 1);
  t.equal(await read(`people_http_request_duration_seconds_count{${labels}}`), 1);
  t.equal(await read('people_http_requests_in_flight'), 0);
  t.equal(
    await read('people_http_problems_total{operation="listEmployees",status="401",code="unauthorized"}'),
    1,
  );
});

t.test('a pipelined request whose connection ends is no longer counted as running', async (t) => {
  const { api, read } = await measure(t);
  api.app.get('/never', () => new Promise(() => {}));
  const port = await listen(api.app);
  const bothArrived = requestsArrive(api.app, 2);
  const socket = net.connect(port, '127.0.0.1');
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: api.test\r\n\r\n`;
  socket.write(request('/never') + request('/v1/reports'));
  await bothArrived;
  socket.destroy();
  await until(async () => (await read('people_http_requests_in_flight')) === 0);
  t.equal(await read('people_http_requests_total{operation="listReports",method="GET",status="aborted"}'), 1);
});

t.test('no label contains text of a request', async (t) => {
  const { api, address } = await measure(t);
  const worded = 'zanzibar';
  await api.app.inject(`/v1/${worded}?x=${worded}`);
  await api.app.inject(`/v1/employees/${worded}`);
  await api.app.inject(`/assets/${worded}`);
  await api.app.inject(`/errors/${worded}`);
  await api.app.inject(`/people/${worded}`);
  await api.app.inject({ method: 'OPTIONS', url: `/v1/employees/${worded}` });
  await api.postForm('/v1/oauth/token', { grant_type: worded, client_id: worded });
  await api.injectUnchecked({ method: 'PROPFIND' as 'GET', url: '/v1/employees' });
  const text = await readText(address);
  t.match(text, /operation="GET \/errors\/:slug"|operation="getEmployee"/, 'the requests are counted');
  t.notMatch(text, worded);
  t.notMatch(text, 'PROPFIND');
});

t.test('counts tokens by grant type and outcome', async (t) => {
  const { api, read } = await measure(t);
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene);
  await refresh(api, scene.application, refreshToken);
  await refresh(api, scene.application, 'unknown');
  await api.postForm('/v1/oauth/token', { grant_type: 'password', client_id: 'x' });
  const count = (grant: string, outcome: string) =>
    read(`people_oauth_token_requests_total{grant_type="${grant}",outcome="${outcome}"}`);
  t.equal(await count('authorization_code', 'issued'), 1);
  t.equal(await count('refresh_token', 'refreshed'), 1);
  t.equal(await count('refresh_token', 'invalid_grant'), 1);
  t.equal(await count('unknown', 'unsupported_grant_type'), 1);
});

t.test('counts limited requests and database errors separately', async (t) => {
  const measured = await measure(t);
  const { api, read } = measured;
  const { application } = await createScene(database, { clientType: 'confidential' });
  const wrong = { grant_type: 'client_credentials', client_id: application.clientId, client_secret: 'wrong' };
  await api.postForm('/v1/oauth/token', wrong);
  await api.postForm('/v1/oauth/token', wrong);
  const problem =
    'people_http_problems_total{operation="createToken",status="429",code="rate_limit_exceeded"}';
  t.equal(await read(problem), 1);

  await t.rejects(query(measured.database, 'SELECT nothing FROM nowhere'));
  await t.rejects(
    measured.database.prisma.account.create({ data: { id: 'x', name: 'x', employeePrefix: '' } }),
  );
  t.equal(await read('people_database_errors_total{kind="other"}'), 1);
  t.equal(await read('people_database_errors_total{kind="constraint"}'), 1);
});

t.test('measures pools, the event loop and the process', async (t) => {
  const { read, address, database } = await measure(t);
  for (const { pool, total } of database.poolState()) {
    t.equal(await read(`people_database_connections{pool="${pool}",state="total"}`), total);
  }
  t.equal(database.poolState().length, database.kind === 'postgresql' ? 3 : 0);
  const text = await readText(address);
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'process_cpu_seconds_total',
    'nodejs_gc_duration',
  ]) {
    t.match(text, name);
  }
});

t.test('the port serves GET /metrics only, and closes with the process', async (t) => {
  const { address, api, close } = await measure(t);
  const response = await fetch(address);
  t.equal(response.status, 200);
  t.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  t.match(await response.text(), '# TYPE people_http_requests_total counter');
  const other = new URL(address);
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/healthz'],
    ['GET', '/metrics/'],
    ['POST', '/metrics'],
  ] as const) {
    const status = await new Promise((resolve, reject) => {
      request(new URL(path, other), { method, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    t.equal(status, 404, `${method} ${path}`);
  }
  t.equal((await api.app.inject('/metrics')).statusCode, 404, 'the port of the API serves no metrics');
  await close();
  await t.rejects(fetch(address));
});

t.test('a port in use is reported in one line', async (t) => {
  const { address } = await measure(t);
  const metricsPort = Number(new URL(address).port);
  const again = startInstruments({ ...settings, metricsPort }, database, supportedGrantTypes);
  await t.rejects(again, { name: ConfigError.name, message: /^METRICS_PORT: .*EADDRINUSE[^\n]*$/ });
});

t.test('metrics are off without a port', async (t) => {
  const instruments = await startInstruments(settings, database, supportedGrantTypes);
  t.equal(instruments.database, database, 'the database is not wrapped');
  t.same(instruments.observers, []);
  await instruments.close();
});

t.test(
  'counts webhook deliveries by outcome, and reports the lag of the furthest-behind endpoint',
  async (t) => {
    const { api, read, webhooks } = await measure(t);
    const [scene, other] = [await webhookScene(api), await webhookScene(api)];
    const [good, bad] = [await startReceiver(t), await startReceiver(t)];
    bad.answer = answers.status(500);
    await scene.create({ url: good.url });
    await other.create({ url: bad.url });
    const { worker, run } = createWorker(t, api, { ...(webhooks && { observer: webhooks }) });
    let isBroken = false;
    webhooks?.watch({
      running: () => worker.running,
      lagSeconds: async () => {
        if (isBroken) throw new Error('The database is not available');
        return deliveryLagSeconds(database, api.clock());
      },
    });
    t.equal(await read('people_webhook_lag_seconds'), 0);
    await scene.addEmployees(1);
    await other.addEmployees(1);
    await run();
    t.equal(await read('people_webhook_deliveries_total{outcome="delivered"}'), 1);
    t.equal(await read('people_webhook_deliveries_total{outcome="failed"}'), 1);
    t.equal(await read('people_webhook_deliveries_in_flight'), 0);
    api.clock.advanceSeconds(3600);
    const lag = await read('people_webhook_lag_seconds');
    t.ok(lag > 3500 && lag < 3700, `${lag} seconds, of the endpoint that fails`);
    isBroken = true;
    t.same(
      await read('people_webhook_lag_seconds'),
      Number.NaN,
      'the other metrics do not need the database',
    );
  },
);
