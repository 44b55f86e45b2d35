import { once } from 'node:events';
import net from 'node:net';
import { Writable } from 'node:stream';
import { createLogger } from '../../../src/platform/logger.js';
import { Browser } from '../../support/browser/browser.js';
import { withQueryRaw } from '../../support/faults/with-query-raw.js';
import { createScene, grantTokens } from '../../support/oauth/users.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { captureLog } from '../../support/server/captured-log.js';
import { listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';
import { until } from '../../support/until.js';

// A request that takes long is always logged.
let now = 0;
t.intercept(performance, 'now', { value: () => now });

const log = captureLog();
const api = await buildTestApp(t, { logger: log.logger });
const { database } = api;
const idOf = ({ headers }: { headers: Record<string, unknown> }) => headers['x-request-id'];
const [debug, info, error] = [20, 30, 50];

t.test('a read that succeeds has one line at debug with caller and operation', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  const response = await api.get('/v1/employees?page[size]=3', accessToken);
  const [line, ...more] = log.done(idOf(response));
  t.same(more, []);
  t.match(line, {
    level: debug,
    method: 'GET',
    operation: 'listEmployees',
    status: 200,
    bytes: Buffer.byteLength(response.body),
    account_id: scene.accountId,
    application_id: scene.application.id,
    user_id: scene.user.id,
  });
  t.type(line?.duration_ms, 'number');
  t.same(
    ['url', 'req', 'res', 'query', 'headers', 'problem', 'aborted'].filter((name) => name in (line ?? {})),
    [],
  );
});

t.test('LOG_FORMAT=pretty writes a line of text for each line of the log', async (t) => {
  let text = '';
  const destination = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const logger = await createLogger({ logLevel: 'info', logFormat: 'pretty' }, destination);
  logger.debug('omitted');
  logger.info(
    { method: 'GET', operation: 'listEmployees', status: 429, duration_ms: 2.6, request_id: 'r1' },
    'request done',
  );
  logger.warn({ reason: 'a\u001b[31m\nb' }, 'a mail was not sent');
  await until(() => text.includes('mail'));
  t.match(text, /^\[\d\d:\d\d:\d\d] INFO: listEmployees 429, 3 ms {"request_id":"r1"}\n/);
  t.match(text, /\n\[\d\d:\d\d:\d\d] WARN: a mail was not sent {"reason":"a\\u001b\[31m\\nb"}\n$/);
});

t.test('changes are logged at info, except tokens, with the application or the user', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { accountId, application, user } = scene;
  const form = { client_id: application.clientId, client_secret: application.clientSecret };
  const issued = await api.postForm('/v1/oauth/token', { grant_type: 'client_credentials', ...form });
  t.match(log.done(idOf(issued)), [
    {
      level: debug,
      operation: 'createToken',
      status: 200,
      account_id: accountId,
      application_id: application.id,
    },
  ]);
  const revoked = await api.postForm('/v1/oauth/revoke', { token: 'unknown', ...form });
  t.match(log.done(idOf(revoked)), [
    { level: info, operation: 'revokeToken', status: 200, application_id: application.id },
  ]);
  const signedIn = await new Browser(api.app).signIn(user.email, user.password);
  t.match(log.done(idOf(signedIn)), [
    { level: info, operation: 'POST /sign_in', status: 303, account_id: accountId, user_id: user.id },
  ]);
});

t.test(
  'failed authentications are logged at info with their code, other client errors at debug',
  async (t) => {
    const { application } = await createTenant(database);
    const token = await api.token(application, 'user:read');
    const cases = [
      [await api.get('/v1/employees'), info, 401, 'unauthorized', 'listEmployees'],
      [await api.get('/v1/employees', 'x'), info, 401, 'invalid_token', 'listEmployees'],
      [await api.get('/v1/employees', token), info, 403, 'insufficient_scope', 'listEmployees'],
      [await api.postForm('/v1/oauth/token', ''), debug, 400, 'invalid_request', 'createToken'],
      [await api.get('/v1/nowhere?code=x'), debug, 404, 'public-api-not-found', 'unknown'],
      [await api.postForm('/v1/nowhere', 'x=y'), debug, 404, 'public-api-not-found', 'unknown'],
      [await api.app.inject('/%zz'), debug, 400, 'invalid_request', 'unknown'],
    ] as const;
    for (const [response, level, status, problem, operation] of cases) {
      t.equal(response.statusCode, status, response.body);
      t.match(log.done(idOf(response)), [{ level, status, problem, operation }], problem);
      t.equal(log.done(idOf(response)).length, 1, problem);
    }
  },
);

t.test('requests beyond a limit are logged at info', async (t) => {
  const limited = await buildTestApp(t, {
    database,
    environment: { RATE_LIMIT_FAILURES: '1' },
    logger: log.logger,
  });
  const { application } = await createTenant(database);
  const wrong = { grant_type: 'client_credentials', client_id: application.clientId, client_secret: 'wrong' };
  await limited.postForm('/v1/oauth/token', wrong);
  const response = await limited.postForm('/v1/oauth/token', wrong);
  t.match(log.done(idOf(response)), [{ level: info, status: 429, problem: 'rate_limit_exceeded' }]);
});

t.test('server errors are logged at error, with a line for their cause', async (t) => {
  const broken = await buildTestApp(t, {
    database: withQueryRaw(database, () => Promise.reject(new Error('the disk is on fire'))),
    logger: log.logger,
  });
  const response = await broken.app.inject('/readyz');
  t.match(log.done(idOf(response)), [{ level: error, status: 503, problem: 'service_unavailable' }]);
  const cause = log.lines.find((line) => line.includes('the disk is on fire'));
  t.equal(JSON.parse(cause ?? '{}').request_id, idOf(response), 'the cause is found by the request id');
});

t.test('a slow request is logged at info, whatever its outcome', async (t) => {
  const slow = await buildTestApp(t, {
    database: withQueryRaw(database, async () => {
      now += queryMs;
      return [];
    }),
    environment: { SLOW_REQUEST_MS: '20' },
    logger: log.logger,
  });
  let queryMs = 19;
  t.match(log.done(idOf(await slow.app.inject('/readyz'))), [{ level: debug }], 'not slow');
  queryMs = 20;
  const response = await slow.app.inject('/readyz');
  t.match(log.done(idOf(response)), [
    { level: info, operation: 'GET /readyz', status: 200, duration_ms: 20 },
  ]);
});

t.test('a client that disconnects before the response is logged', async (t) => {
  const line = captureLog();
  const [queried, left, finished] = [deferred(), deferred(), deferred()];
  const { app } = await buildTestApp(t, {
    database: withQueryRaw(database, () => {
      queried.resolve();
      return left.promise;
    }),
    logger: line.logger,
    observers: [{ finished: () => finished.resolve() }],
  });
  const socket = net.connect(await listen(app), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
  await queried.promise;
  socket.destroy();
  await finished.promise;
  left.resolve();
  t.match(line.done(), [{ level: info, operation: 'GET /readyz', aborted: true }]);
  t.notOk('status' in (line.done()[0] ?? {}), 'no status was sent');
});

t.test('at level info reads that succeed are not logged', async (t) => {
  const quiet = captureLog('info');
  const { app } = await buildTestApp(t, { database, logger: quiet.logger });
  await app.inject('/healthz');
  await app.inject('/v1/oauth/jwks');
  t.same(quiet.lines, []);
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
