import { EventEmitter, once } from 'node:events';
import { mock } from 'node:test';
import { randomId } from '../../../src/platform/database/ids.js';
import { RedisCounters } from '../../../src/platform/limits/redis-counters.js';
import { hasRedisServer, startRedis, testRedis, withoutIdleLimits } from '../../support/processes/redis.js';
import { freePort } from '../../support/server/free-port.js';
import { holdTimers } from '../../support/server/timers.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';

/** Maximum time that a request waits for Redis, in milliseconds. */
const commandTimeoutMs = 500;

/** Counters with a unique key prefix, and their log. */
async function open(t: Test, url: string, prefix = `test:${randomId()}:`) {
  withoutIdleLimits(t);
  const logged: { level: 'info' | 'warn'; details: object; message: string }[] = [];
  const events = new EventEmitter();
  const log = (level: 'info' | 'warn') => (details: object, message: string) => {
    logged.push({ level, details, message });
    events.emit(level);
  };
  const counters = new RedisCounters({ url, prefix, logger: { info: log('info'), warn: log('warn') } });
  t.teardown(() => counters.close());
  await counters.open();
  return { counters, logged, events, prefix };
}

const without = testRedis === undefined && 'TEST_REDIS_URL is not set';

t.test('processes count together, up and down, in a window of a minute', { skip: without }, async (t) => {
  holdTimers(t);
  const one = await open(t, testRedis ?? '');
  const other = await open(t, testRedis ?? '', one.prefix);
  const first = await one.counters.requests.add('a', 3);
  t.equal(first.total, 3);
  t.ok(first.resetMs > 0 && first.resetMs <= 60_000);
  t.equal((await other.counters.requests.add('a', 2)).total, 5);
  t.equal((await other.counters.requests.add('a', -1)).total, 4);
  t.equal((await other.counters.requests.add('b', 1)).total, 1);
  t.equal((await other.counters.failures.add('a', 1)).total, 1, 'failures are not requests');
  t.same([...one.logged, ...other.logged], []);
});

t.test('without Redis a process starts, counts for itself and logs it once', async (t) => {
  const { counters, logged } = await open(t, `redis://:topsecret@127.0.0.1:${await freePort()}`);
  for (let count = 1; count <= 20; count += 1) t.equal((await counters.requests.add('a', 1)).total, count);
  t.equal((await counters.requests.add('a', -20)).total, 0);
  t.equal(logged.length, 1);
  t.match(logged[0], { level: 'warn', message: /each process counts in memory/ });
  t.notMatch(JSON.stringify(logged), /topsecret/);
});

const withoutServer = !hasRedisServer && 'redis-server is not installed';

t.test(
  'requests continue while Redis is unavailable, and are counted again after that',
  { skip: withoutServer },
  async (t) => {
    const redis = await startRedis(t);
    const available = holdTimers(t);
    const { counters, logged, events, prefix } = await open(t, redis.url);
    t.equal((await counters.requests.add('a', 5)).total, 5);
    available.release();

    await redis.stop();
    const counts = await Promise.all(Array.from({ length: 50 }, () => counters.requests.add('a', 1)));
    t.equal(Math.max(...counts.map(({ total }) => total)), 50, 'the process counts for itself');
    t.equal(logged.length, 1, 'logged once');

    const back = once(events, 'info');
    await redis.start();
    await back;
    holdTimers(t);
    t.equal((await counters.requests.add('a', 1)).total, 1);
    const other = await open(t, redis.url, prefix);
    t.equal((await other.counters.requests.add('a', 1)).total, 2, 'processes share counts again');
    t.same(
      logged.map(({ level }) => level),
      ['warn', 'info'],
    );
  },
);

t.test('a Redis that does not respond delays only the first requests', { skip: withoutServer }, async (t) => {
  const redis = await startRedis(t);
  const available = holdTimers(t);
  const { counters, logged, prefix } = await open(t, redis.url);
  t.equal((await counters.requests.add('a', 5)).total, 5);
  available.release();
  t.teardown(() => redis.signal('SIGCONT'));

  // The pause after a failure does not end.
  const now = performance.now();
  const clock = mock.method(performance, 'now', () => now);
  t.teardown(() => clock.mock.restore());
  const started = mock.method(globalThis, 'setTimeout');
  t.teardown(() => started.mock.restore());
  const waits = () => started.mock.calls.filter((call) => call.arguments[1] === commandTimeoutMs).length;
  redis.signal('SIGSTOP');
  t.equal((await counters.requests.add('a', 1)).total, 1);
  t.equal(waits(), 1);
  for (let count = 2; count <= 500; count += 1) await counters.requests.add('a', 1);
  t.equal(waits(), 1, 'the others do not wait');
  t.equal(logged.length, 1);
  started.mock.restore();
  clock.mock.restore();

  redis.signal('SIGCONT');
  await until(async () => {
    await counters.requests.add('b', 1);
    return logged.length > 1;
  });
  holdTimers(t);
  const { total } = await counters.requests.add('a', 1);
  const other = await open(t, redis.url, prefix);
  t.equal((await other.counters.requests.add('a', 1)).total, total + 1, 'processes share counts again');
});
