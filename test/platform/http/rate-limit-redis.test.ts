import { randomId } from '../../../src/platform/database/ids.js';
import { openTestDatabase } from '../../support/database/database.js';
import { hasRedisServer, startRedis, testRedis, withoutIdleLimits } from '../../support/processes/redis.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { holdTimers } from '../../support/server/timers.js';
import t, { type Test } from '../../support/tap.js';

const database = await openTestDatabase(t);

/** Two processes of a service with its own base URL, which prefixes its keys. */
async function buildTwo(t: Test, redisUrl: string, limits: Record<string, string>) {
  withoutIdleLimits(t);
  // A process counts in memory when Redis does not respond in time.
  const timers = holdTimers(t);
  const environment = { REDIS_URL: redisUrl, BASE_URL: `http://${randomId().toLowerCase()}.test`, ...limits };
  const one = await buildTestApp(t, { database, environment });
  const other = await buildTestApp(t, { database, environment });
  const { application } = await createTenant(database);
  return { one, other, application, token: await one.token(application), timers };
}

const without = testRedis === undefined && 'TEST_REDIS_URL is not set';

t.test('all processes count in Redis together, and none in the database', { skip: without }, async (t) => {
  const { one, other, token } = await buildTwo(t, testRedis ?? '', { RATE_LIMIT_API: '30' });
  const responses = await Promise.all(
    [one, other].flatMap((api) => Array.from({ length: 100 }, () => api.get('/v1/employees', token))),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 30);
  t.equal(responses.filter(({ statusCode }) => statusCode === 429).length, 170);
  t.equal(await database.prisma.requestCount.count(), 0);
});

t.test('failed authentications are counted in Redis, too', { skip: without }, async (t) => {
  const { one, other, application } = await buildTwo(t, testRedis ?? '', { RATE_LIMIT_FAILURES: '4' });
  const form = {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: 'wrong',
  };
  const statuses = [];
  for (const api of [one, other, one, other, one, other]) {
    statuses.push((await api.postForm('/v1/oauth/token', form)).statusCode);
  }
  t.same(statuses, [401, 401, 401, 401, 429, 429]);
  t.equal(await database.prisma.failureCount.count(), 0);
});

const withoutServer = !hasRedisServer && 'redis-server is not installed';

t.test(
  'without Redis requests are served, and each process has its own limit',
  { skip: withoutServer },
  async (t) => {
    const redis = await startRedis(t);
    const { one, other, token, timers } = await buildTwo(t, redis.url, { RATE_LIMIT_API: '3' });
    t.equal((await one.get('/v1/employees', token)).headers.ratelimit, '"default";r=2;t=60');
    timers.release();
    await redis.stop();
    for (const api of [one, other]) {
      const statuses = [];
      for (let call = 0; call < 4; call += 1)
        statuses.push((await api.get('/v1/employees', token)).statusCode);
      t.same(statuses, [200, 200, 200, 429]);
    }
  },
);
