import { maximumEndpoints } from '../../src/features/webhooks/webhook-endpoints.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../support/database/database.js';
import { openTransaction } from '../support/database/transaction.js';
import { refused } from '../support/records/reports.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { holdTimers } from '../support/server/timers.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';
import { webhookScene } from '../support/webhooks/scene.js';

/** The embedded database has one connection: the first request ends before its duplicates are authenticated. */
const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

const options = await createTestDatabase(t);
const database = await openDatabase(options);
t.teardown(() => database.close());
const api = await buildTestApp(t, { database, clock: createTestClock(new Date()) });
const { prisma } = database;

const url = 'https://hooks.partner.example/events';

async function keyedScene() {
  const scene = await webhookScene(api);
  const { accountId } = scene;
  /** Sends a request with a key. */
  const send = async (key: string, path = '', body?: object) =>
    api.app.inject({
      method: 'POST',
      url: `/v1/webhook_endpoints${path}`,
      headers: { authorization: `Bearer ${await api.token(scene.application)}`, 'idempotency-key': key },
      ...(body !== undefined && { payload: body }),
    });
  return {
    ...scene,
    create: (key: string, body: object = { url }) => send(key, '', body),
    rotate: (key: string, id: string) => send(key, `/${id}/secrets`),
    remove: async (id: string) => {
      const token = await api.token(scene.application);
      const headers = { authorization: `Bearer ${token}` };
      return await api.app.inject({ method: 'DELETE', url: `/v1/webhook_endpoints/${id}`, headers });
    },
    endpoints: () => prisma.webhookEndpoint.count({ where: { accountId } }),
    /** The stored bodies by key. */
    stored: async () =>
      Object.fromEntries(
        (await prisma.idempotencyKey.findMany({ where: { accountId } })).map(({ key, body }) => [key, body]),
      ),
  };
}

t.test('a repeated creation adds one endpoint and returns the same secret, for 24 hours', async (t) => {
  const { accountId, create, endpoints, stored } = await keyedScene();
  const first = await create('k');
  t.equal(first.statusCode, 201);
  const { data, meta } = first.json();
  api.clock.advanceSeconds(24 * 3600 - 1);
  const again = await create('k');
  t.equal(again.statusCode, 201);
  t.equal(again.body, first.body);
  for (const name of ['location', 'cache-control', 'content-type']) {
    t.equal(again.headers[name], first.headers[name], name);
  }
  t.equal(await endpoints(), 1);
  const type = 'webhook_endpoint.created';
  t.equal(await prisma.auditEvent.count({ where: { accountId, type } }), 1);
  const { k: body } = await stored();
  t.equal(typeof body, 'string');
  t.notMatch(body, /whsec_|hooks\.partner/, 'it is encrypted');
  t.notMatch(body, meta.secret.slice(6, 20));
  refused(t, await create('k', { url, description: 'other' }), 'idempotency_key_reused');
  t.not((await create('other')).json().data.id, data.id);
  api.clock.advanceSeconds(1);
  t.not((await create('k')).json().data.id, data.id, 'the key has expired');
});

t.test('a repeated replacement creates one secret, and the previous one still signs', async (t) => {
  const { create, rotate, state, stored } = await keyedScene();
  const created = (await create('create')).json();
  const { id } = created.data;
  const first = await rotate('rotate', id);
  t.equal(first.statusCode, 201);
  t.not(first.json().meta.secret, created.meta.secret);
  const { previous_secret_expires_at: expiresAt } = await state(id);
  api.clock.advanceSeconds(60);
  const again = await rotate('rotate', id);
  t.equal(again.body, first.body);
  t.equal(again.headers['cache-control'], 'no-store');
  t.equal((await state(id)).previous_secret_expires_at, expiresAt);
  t.notMatch((await stored()).rotate, 'whsec_');
  refused(t, await rotate('create', id), 'idempotency_key_reused');
  const other = (await create('another')).json().data.id;
  refused(t, await rotate('rotate', other), 'idempotency_key_reused');
});

t.test(
  'a stored response is deleted with its endpoint, and when its secret is no longer valid',
  async (t) => {
    const { accountId, create, rotate, remove, endpoints, stored } = await keyedScene();
    const first = (await create('create')).json();
    const { id } = first.data;
    api.clock.advanceSeconds(1);
    await rotate('one', id);
    t.same((await create('create')).json(), first, 'the first secret still signs');
    api.clock.advanceSeconds(1);
    const two = await rotate('two', id);
    t.match(await stored(), { create: null, one: String, two: String });
    t.equal((await rotate('two', id)).body, two.body);
    t.equal((await remove(id)).statusCode, 204);
    t.same(await stored(), { create: null, one: null, two: null });
    const again = await create('create');
    t.equal(again.statusCode, 201);
    t.not(again.json().data.id, id, 'the key can be used again');
    t.equal(await endpoints(), 1);
    const counted = await prisma.idempotencyCount.findFirst({ where: { accountId } });
    t.equal(counted?.keys, 3, 'and is counted once');
  },
);

t.test('a rejected request does not consume its Idempotency-Key', async (t) => {
  const { accountId, application, create, rotate, endpoints, stored } = await keyedScene();
  t.equal((await create('k', { url: 'http://partner.example/' })).statusCode, 400);
  refused(t, await rotate('k', 'unknown'), 'not_found');
  await prisma.webhookEndpoint.createMany({
    data: Array.from({ length: maximumEndpoints }, (_, index) => ({
      ...{ accountId, applicationId: application.id, id: `full ${index}`, url, sealedSecret: 'x' },
      ...{ position: 0, createdAt: api.clock(), updatedAt: api.clock() },
    })),
  });
  refused(t, await create('k'), 'quota_exceeded');
  t.same(await stored(), {});
  await prisma.webhookEndpoint.deleteMany({ where: { accountId } });
  t.equal((await create('k')).statusCode, 201);
  t.equal(await endpoints(), 1);
});

t.test('concurrent duplicates add one endpoint and get identical responses', async (t) => {
  const { create, endpoints } = await keyedScene();
  holdTimers(t);
  const responses = await Promise.all(Array.from({ length: 6 }, () => create('race')));
  t.same(new Set(responses.map(({ statusCode }) => statusCode)), new Set([201]));
  t.equal(new Set(responses.map(({ body }) => body)).size, 1);
  t.equal(await endpoints(), 1);
});

t.test('rejects a duplicate at once while 100 others wait for the first request', onPostgresql, async (t) => {
  const { create, rotate } = await keyedScene();
  const { id } = (await create('create')).json().data;
  const transaction = await openTransaction(t, options);
  await transaction.query('LOCK TABLE idempotency_keys');
  holdTimers(t);
  let ended = 0;
  const sent = Array.from({ length: 110 }, async () => {
    const response = await rotate('crowd', id);
    ended += 1;
    return response;
  });
  await until(() => ended === 9);
  await transaction.end('ROLLBACK');
  const responses = await Promise.all(sent);
  const created = responses.filter(({ statusCode }) => statusCode === 201);
  t.equal(created.length, 101);
  t.equal(new Set(created.map(({ body }) => body)).size, 1);
  for (const response of responses) {
    if (response.statusCode !== 201) refused(t, response, 'idempotency_key_in_use');
  }
});
