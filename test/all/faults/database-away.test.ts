import type { LightMyRequestResponse } from 'fastify';
import { testServer } from '../../support/database/database.js';
import { openBehindProxy } from '../../support/faults/database-proxy.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database cannot become unavailable' };

/** An application that reaches its database through a proxy. */
async function setUp(t: Test) {
  const { proxy, database } = await openBehindProxy(t, {
    poolSize: 4,
    statementTimeoutMs: 500,
    connectionTimeoutMs: 500,
  });
  const api = await buildTestApp(t, { database });
  const tenant = await createTenant(database, { employees: makeEmployees(3) });
  const token = await api.token(tenant.application);
  const read = () => api.get('/v1/employees', token);
  return { proxy, api, tenant, token, read, database };
}

function isUnavailable(t: Test, response: LightMyRequestResponse, what: string) {
  t.equal(response.statusCode, 503, what);
  t.equal(response.json().code, 'service_unavailable');
  t.match(response.headers['retry-after'], /^[1-9]\d*$/);
}

/** Repeats a request until it succeeds. If the service does not recover, the test times out. */
async function untilRecovered(read: () => Promise<LightMyRequestResponse>): Promise<number> {
  for (let refusals = 0; ; refusals += 1) {
    const { statusCode } = await read();
    if (statusCode === 200) return refusals;
    if (statusCode !== 503) throw new Error(`Unexpected status ${statusCode}`);
  }
}

t.test('responds 503 while the database is unavailable, and recovers after that', onPostgresql, async (t) => {
  const { proxy, read, api, tenant } = await setUp(t);
  t.equal((await read()).statusCode, 200);
  proxy.refuse();
  const responses = await Promise.all(Array.from({ length: 20 }, read));
  for (const response of responses) isUnavailable(t, response, 'a read');
  const { clientId, clientSecret } = tenant.application;
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  isUnavailable(t, await api.postForm('/v1/oauth/token', form), 'a token');
  t.equal((await api.get('/readyz')).statusCode, 503, 'it reports that it is not ready');
  t.equal((await api.get('/healthz')).statusCode, 200, 'the process is alive');
  proxy.restore();
  await untilRecovered(read);
});

t.test('broken connections are replaced without a restart', onPostgresql, async (t) => {
  const { proxy, read } = await setUp(t);
  for (let round = 0; round < 3; round += 1) {
    const inFlight = Array.from({ length: 8 }, read);
    proxy.cut();
    for (const { statusCode } of await Promise.all(inFlight)) t.ok([200, 503].includes(statusCode));
    const refusals = await untilRecovered(read);
    t.ok(refusals <= 4, `${refusals} rejections, at most one for each broken connection`);
  }
});

t.test('responds 503 when the database does not respond', onPostgresql, async (t) => {
  const { proxy, read } = await setUp(t);
  await Promise.all(Array.from({ length: 8 }, read));
  proxy.pause();
  for (const response of await Promise.all(Array.from({ length: 8 }, read)))
    isUnavailable(t, response, 'a read');
  proxy.restore();
  await untilRecovered(read);
});

t.test('rejects a token whose revocation cannot be looked up', onPostgresql, async (t) => {
  const { proxy, api, tenant, token, read } = await setUp(t);
  t.equal((await read()).statusCode, 200, 'the browser is known');
  const { clientId, clientSecret } = tenant.application;
  const revocation = await api.postForm('/v1/oauth/revoke', {
    client_id: clientId,
    client_secret: clientSecret,
    token,
  });
  t.equal(revocation.statusCode, 200);
  proxy.refuse();
  isUnavailable(t, await read(), 'while the revocation is not read');
  proxy.restore();
  let response = await read();
  while (response.statusCode === 503) response = await read();
  t.equal(response.statusCode, 401, 'rejected when the revocation is read');
});

t.test('acknowledged writes survive broken connections', onPostgresql, async (t) => {
  const { proxy, api, token, database, tenant } = await setUp(t);
  const acknowledged: string[] = [];
  const headers = { authorization: `Bearer ${token}` };
  const write = async (title: string) => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/v1/reports',
      headers,
      payload: { title },
    });
    if (response.statusCode === 201) acknowledged.push(response.json().data.id);
    else isUnavailable(t, response, 'a write');
    return response.statusCode === 201;
  };
  for (let round = 0; round < 6; round += 1) {
    const titles = Array.from({ length: 4 }, (_, index) => `${round} ${index}`);
    if (round % 2 === 1) {
      const writes = titles.map(write);
      setImmediate(() => proxy.cut());
      await Promise.all(writes);
    } else {
      // A connection that was cut may be noticed only by the next statement.
      await Promise.all(titles.map((title) => until(() => write(title))));
    }
  }
  const stored = await database.prisma.report.findMany({ where: { accountId: tenant.accountId } });
  const ids = stored.map(({ id }) => id);
  t.same(
    acknowledged.filter((id) => !ids.includes(id)),
    [],
  );
  t.ok(acknowledged.length >= 12);
});
