import { openTestDatabase, testServer } from '../../support/database/database.js';
import { openBehindProxy } from '../../support/faults/database-proxy.js';
import { withQueryRaw } from '../../support/faults/with-query-raw.js';
import { buildTestApp } from '../../support/server/app.js';
import { holdTimers } from '../../support/server/timers.js';
import t from '../../support/tap.js';
import { until } from '../../support/until.js';

t.test('the server is ready only while its database responds', async (t) => {
  const database = await openTestDatabase(t);
  let work = () => Promise.resolve<unknown>([]);
  const { app } = await buildTestApp(t, { database: withQueryRaw(database, () => work()) });
  t.match((await app.inject('/readyz')).json(), { status: 'ready' });
  work = () => Promise.reject(new Error('gone'));
  t.match(await app.inject('/readyz'), { statusCode: 503, headers: { 'retry-after': '2' } });
  t.equal((await app.inject('/healthz')).statusCode, 200, 'the process keeps running');
  work = () => Promise.resolve([]);
  t.equal((await app.inject('/readyz')).statusCode, 200, 'ready as soon as the database is');
});

/** Milliseconds after which a database that does not respond is unavailable: less than the timeouts of load balancers. */
const timeoutMs = 2_000;

t.test('a hanging database makes the server unready in time, with one query for all checks', async (t) => {
  const database = await openTestDatabase(t);
  let queries = 0;
  const hanging = withQueryRaw(database, () => {
    queries += 1;
    return new Promise(() => {});
  });
  const { app } = await buildTestApp(t, { database: hanging });
  await app.ready();
  const timers = holdTimers(t);
  const checks = [1, 2, 3].map(() => app.inject('/readyz'));
  await until(() => timers.started(timeoutMs) === 3);
  timers.advance(timeoutMs);
  for (const response of await Promise.all(checks))
    t.match(response.json(), { status: 503, code: 'service_unavailable' });
  t.equal(queries, 1);
});

const onPostgresql = { skip: testServer === undefined };

t.test(
  'a database that accepts connections and sends nothing makes the server unready in time',
  onPostgresql,
  async (t) => {
    const { proxy, database } = await openBehindProxy(t, {});
    const { app } = await buildTestApp(t, { database });
    t.equal((await app.inject('/readyz')).statusCode, 200);
    proxy.pause();
    const timers = holdTimers(t);
    for (const time of ['first', 'second']) {
      const before = timers.started(timeoutMs);
      const check = app.inject('/readyz');
      await until(() => timers.started(timeoutMs) > before);
      timers.advance(timeoutMs);
      t.match((await check).json(), { status: 503, code: 'service_unavailable' }, `the ${time} time`);
    }
  },
);
