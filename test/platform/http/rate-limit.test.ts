import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { createApplication, createTenant } from '../../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../../support/server/app.js';
import { stopSystemClock } from '../../support/server/clock.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const advance = stopSystemClock(t);

const withLimit = (limit: number) =>
  buildTestApp(t, { database, environment: { RATE_LIMIT_API: String(limit) } });
const [one, two] = [await withLimit(1), await withLimit(2)];

/** A new application, with a token. */
async function createCaller(api: TestApp, scopes?: readonly string[]) {
  const { accountId } = await createTenant(database);
  const application = await createApplication(database, accountId, scopes === undefined ? {} : { scopes });
  return { application, token: await api.token(application) };
}

const countRows = () => database.prisma.requestCount.count();

t.test('without a limit nothing is counted and no header is sent', async (t) => {
  const api = await withLimit(0);
  const { token } = await createCaller(api);
  const { headers, statusCode } = await api.get('/v1/employees', token);
  t.equal(statusCode, 200);
  t.notOk('ratelimit' in headers || 'ratelimit-policy' in headers);
  t.equal(await countRows(), 0);
});

t.test('exactly as many of 30 concurrent requests succeed as the limit allows', async (t) => {
  const api = await withLimit(10);
  const { token } = await createCaller(api);
  const responses = await Promise.all(Array.from({ length: 30 }, () => api.get('/v1/employees', token)));
  const succeeded = responses.filter(({ statusCode }) => statusCode === 200);
  t.equal(succeeded.length, 10);
  t.equal(responses.filter(({ statusCode }) => statusCode === 429).length, 20);
  const left = succeeded.map(({ headers }) => Number(/;r=(\d+);/.exec(String(headers.ratelimit))?.[1]));
  t.same(
    left.sort((a, b) => a - b),
    Array.from({ length: 10 }, (_, index) => index),
    'each count is distinct',
  );
});

t.test('every response to a valid token has the limit and the remaining calls', async (t) => {
  const api = await withLimit(6);
  const { token } = await createCaller(api, ['reports:read']);
  const expected = [
    ['/v1/employees', 200],
    ['/v1/employees?colour=red', 400],
    ['/v1/employees/unknown', 404],
    ['/v1/users/me', 403],
    ['/v1/reports', 200],
    ['/v1/reports/unknown/results', 404],
    ['/v1/employees', 429],
    ['/v1/users/me', 429],
    ['/v1/employees?colour=red', 429],
  ] as const;
  for (const [index, [url, status]] of expected.entries()) {
    const { statusCode, headers } = await api.get(url, token);
    t.equal(statusCode, status, url);
    t.equal(headers['ratelimit-policy'], '"default";q=6;w=60');
    const [, left, reset] = /^"default";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit)) ?? [];
    t.equal(Number(left), Math.max(0, 5 - index));
    t.ok(Number(reset) >= 1 && Number(reset) <= 60);
    t.match(headers['access-control-expose-headers'], 'ratelimit, ratelimit-policy');
  }
});

t.test(
  'all operations and tokens of an application share one limit, and other applications have theirs',
  async (t) => {
    const api = two;
    const { application, token } = await createCaller(api);
    const other = await createCaller(api);
    t.equal((await api.get('/v1/employees', token)).statusCode, 200);
    const second = await api.token(application);
    t.equal((await api.get('/v1/reports', second)).statusCode, 200);
    t.equal((await api.get('/v1/reports', token)).statusCode, 429);
    t.equal((await api.get('/v1/employees', other.token)).statusCode, 200);
  },
);

t.test('missing and forged tokens are 401, count for no application and get no limit headers', async (t) => {
  const api = one;
  const { token } = await createCaller(api);
  const [header, payload, signature] = token.split('.');
  const forged = [
    undefined,
    'nonsense',
    `${header}.${payload}.${signature?.slice(0, -4)}AAAA`,
    `${header}.${payload}.`,
    `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`,
  ];
  const before = await countRows();
  for (const bearer of forged) {
    const { statusCode, headers } = await api.get('/v1/employees', bearer);
    t.equal(statusCode, 401);
    t.notOk('ratelimit' in headers);
  }
  t.equal(await countRows(), before);
  t.equal((await api.get('/v1/employees', token)).statusCode, 200);
});

t.test('expired tokens count for no application', async (t) => {
  const api = one;
  const { application, token } = await createCaller(api);
  api.clock.advanceSeconds(3600);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    t.equal((await api.get('/v1/employees', token)).json().code, 'token_expired');
  }
  t.equal((await api.get('/v1/employees', await api.token(application))).statusCode, 200);
});

t.test('a revoked token counts for its application', async (t) => {
  const api = two;
  const { application, token } = await createCaller(api);
  const { clientId: client_id, clientSecret: client_secret } = application;
  await api.postForm('/v1/oauth/revoke', { token, client_id, client_secret });
  const responses = [];
  for (let attempt = 0; attempt < 3; attempt += 1) responses.push(await api.get('/v1/employees', token));
  t.same(
    responses.map(({ statusCode }) => statusCode),
    [401, 401, 429],
  );
  t.equal(responses[1]?.headers.ratelimit?.toString().startsWith('"default";r=0;'), true);
});

t.test('a request beyond the limit is 429 also when its token cannot be checked', async (t) => {
  const { token } = await createCaller(one);
  // This process knows from memory that the limit is reached, and `one` has to count.
  const other = await withLimit(1);
  t.equal((await other.get('/v1/employees', token)).statusCode, 200);
  const unhandled: unknown[] = [];
  const collect = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', collect);
  t.teardown(() => process.off('unhandledRejection', collect));
  await asOwner(database, 'ALTER TABLE revoked_access_tokens RENAME TO revoked_access_tokens_away');
  const { statusCode } = await one.get('/v1/employees', token);
  await asOwner(database, 'ALTER TABLE revoked_access_tokens_away RENAME TO revoked_access_tokens');
  t.equal(statusCode, 429);
  t.same(unhandled, [], 'an unhandled rejection would stop the process');
});

t.test('a request without a route is not counted', async (t) => {
  const api = one;
  const { token } = await createCaller(api);
  for (const url of ['/v1/employees/', '/v2/employees', '/v1/unknown']) {
    const { statusCode, headers } = await api.get(url, token);
    t.equal(statusCode, 404);
    t.notOk('ratelimit' in headers);
  }
  t.equal((await api.get('/v1/employees', token)).statusCode, 200);
});

t.test('the limit starts again when the minute is over, also for rejected applications', async (t) => {
  const api = one;
  const { token } = await createCaller(api);
  t.equal((await api.get('/v1/employees', token)).statusCode, 200);
  advance(15_000);
  t.equal((await api.get('/v1/employees', token)).headers['retry-after'], '45');
  advance(44_999);
  t.equal((await api.get('/v1/employees', token)).headers['retry-after'], '1');
  advance(1);
  t.equal((await api.get('/v1/employees', token)).headers.ratelimit, '"default";r=0;t=60');
});

t.test('all processes on one database count together', async (t) => {
  const apis = [await withLimit(8), await withLimit(8)] as const;
  const { token } = await createCaller(apis[0]);
  const responses = await Promise.all(
    apis.flatMap((api) => Array.from({ length: 12 }, () => api.get('/v1/employees', token))),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 8);
  for (const api of apis) t.equal((await api.get('/v1/employees', token)).statusCode, 429);
});

t.test('all processes on one database count wrong secrets together', async (t) => {
  const environment = { RATE_LIMIT_FAILURES: '4' };
  const [first, second] = [
    await buildTestApp(t, { database, environment }),
    await buildTestApp(t, { database, environment }),
  ];
  const { clientId: client_id } = (await createTenant(database)).application;
  const form = { grant_type: 'client_credentials', client_id, client_secret: 'wrong' };
  const statuses = [];
  for (const api of [first, second, first, second, first, second])
    statuses.push((await api.postForm('/v1/oauth/token', form)).statusCode);
  t.same(statuses, [401, 401, 401, 401, 429, 429]);
});

t.test('public operations are limited by address', async (t) => {
  const api = two;
  for (const url of [
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ]) {
    const { headers } = await api.app.inject({ url, remoteAddress: '192.0.2.1' });
    t.match(headers['ratelimit-policy'], '"default";q=2;w=60');
  }
  const ask = (remoteAddress: string) => api.app.inject({ url: '/.well-known/jwks.json', remoteAddress });
  t.equal((await ask('192.0.2.1')).statusCode, 429);
  t.equal((await ask('192.0.2.2')).statusCode, 200);
});

t.test('responses from memory need no database within the limit', async (t) => {
  const api = await buildTestApp(t, { environment: { RATE_LIMIT_API: '1' } });
  await api.database.close();
  t.equal((await api.get('/.well-known/jwks.json')).statusCode, 200);
  t.equal((await api.get('/.well-known/jwks.json')).statusCode, 429);
});
