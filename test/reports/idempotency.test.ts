import { openDatabase } from '../../src/platform/database/open-database.js';
import { createTestDatabase, openElsewhere, testServer } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { openTransaction } from '../support/database/transaction.js';
import { createScene, createUser, grantTokens } from '../support/oauth/users.js';
import { createReportClient, refused } from '../support/records/reports.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { holdTimers } from '../support/server/timers.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

/** The embedded database has one connection: the first request ends before its duplicates are authenticated. */
const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const options = await createTestDatabase(t);
const database = await openDatabase(options);
t.teardown(() => database.close());
const api = await buildTestApp(t, { database });
const { prisma } = database;
/** A second application server on the same database; on PostgreSQL it has its own connections. */
const other = await buildTestApp(t, {
  database: await openElsewhere(t, options, database),
  clock: api.clock,
});

t.test('an Idempotency-Key belongs to the application and the user of the token', async (t) => {
  const scene = await createScene(api.database, { clientType: 'confidential' });
  const colleague = await createUser(api.database, scene.accountId);
  const scope = { scope: 'reports:write' };
  const tokens = [
    (await grantTokens(api, scene, scope)).accessToken,
    (await grantTokens(api, { ...scene, user: colleague }, scope)).accessToken,
    await api.token(scene.application, 'reports:write'),
    await api.token(await createApplication(api.database, scene.accountId), 'reports:write'),
  ];
  const { create } = await createReportClient(api);
  const send = (token: string, title: string) =>
    create({ title }, { 'idempotency-key': 'shared', ...bearer(token) });
  const created = await Promise.all(tokens.map((token, index) => send(token, `report ${index}`)));
  t.same(
    created.map(({ statusCode }) => statusCode),
    [201, 201, 201, 201],
  );
  const ids = created.map((response) => response.json().data.id);
  t.equal(new Set(ids).size, 4, 'each creates a separate report');
  for (const [index, token] of tokens.entries()) {
    t.equal((await send(token, `report ${index}`)).json().data.id, ids[index], 'each gets its own response');
    refused(t, await send(token, 'other'), 'idempotency_key_reused');
  }
});

t.test('concurrent duplicates create one report and get identical responses', async (t) => {
  const { create, token, tenant } = await createReportClient(api);
  const elsewhere = await createReportClient(other);
  const headers = { 'idempotency-key': 'race', ...bearer(token) };
  holdTimers(t);
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      (index % 2 === 0 ? create : elsewhere.create)({ title: 'x' }, headers),
    ),
  );
  t.same(new Set(responses.map((response) => response.statusCode)), new Set([201]));
  t.equal(new Set(responses.map((response) => response.body)).size, 1);
  t.equal(new Set(responses.map((response) => response.headers.etag)).size, 1);
  const { accountId } = tenant;
  t.equal(await prisma.report.count({ where: { accountId } }), 1);
  t.equal(await prisma.auditEvent.count({ where: { accountId, type: 'report.created' } }), 1);
  t.same(await prisma.idempotencyCount.findMany({ where: { accountId } }), [
    { accountId, applicationId: tenant.application.id, keys: 1 },
  ]);
});

t.test('rejects a duplicate at once while 100 others wait for the first request', onPostgresql, async (t) => {
  const { create, tenant } = await createReportClient(api);
  const transaction = await openTransaction(t, options);
  await transaction.query('LOCK TABLE idempotency_keys');
  holdTimers(t);
  const headers = { 'idempotency-key': 'crowd' };
  let ended = 0;
  const sent = Array.from({ length: 150 }, async () => {
    const response = await create({ title: 'x' }, headers);
    ended += 1;
    return response;
  });
  await until(() => ended === 49);
  await transaction.end('ROLLBACK');
  const responses = await Promise.all(sent);
  const created = responses.filter(({ statusCode }) => statusCode === 201);
  t.equal(created.length, 101);
  t.equal(new Set(created.map(({ body }) => body)).size, 1);
  for (const response of responses) {
    if (response.statusCode === 201) continue;
    refused(t, response, 'idempotency_key_in_use');
    t.equal(response.headers['retry-after'], '1');
  }
  t.equal(await prisma.report.count({ where: { accountId: tenant.accountId } }), 1);
});

t.test('concurrent requests with one key and two payloads create one report', async (t) => {
  const { create, tenant } = await createReportClient(api);
  holdTimers(t);
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, n) => create({ title: `${n % 2}` }, { 'idempotency-key': 'mixed' })),
  );
  const created = responses.filter(({ statusCode }) => statusCode === 201);
  t.equal(created.length, 4);
  t.equal(new Set(created.map(({ body }) => body)).size, 1);
  for (const response of responses) {
    if (response.statusCode !== 201) refused(t, response, 'idempotency_key_reused');
  }
  t.equal(await prisma.report.count({ where: { accountId: tenant.accountId } }), 1);
});

t.test(
  'one of many concurrent requests with an expired key creates a report, the others repeat its response',
  async (t) => {
    const { create, tenant } = await createReportClient(api);
    const elsewhere = await createReportClient(other);
    const keys = Array.from({ length: 2 }, (_, index) => ({ 'idempotency-key': `old ${index}` }));
    holdTimers(t);
    const first = await Promise.all(keys.map((key) => create({ title: 'first' }, key)));
    api.clock.advanceSeconds(24 * 3600);
    const token = bearer(await api.token(tenant.application));
    const second = await Promise.all(
      keys.map((key) =>
        Promise.all(
          Array.from({ length: 6 }, (_, index) =>
            (index % 2 === 0 ? create : elsewhere.create)({ title: 'second' }, { ...key, ...token }),
          ),
        ),
      ),
    );
    for (const [index, responses] of second.entries()) {
      t.same(new Set(responses.map(({ statusCode }) => statusCode)), new Set([201]));
      t.equal(new Set(responses.map(({ body }) => body)).size, 1);
      t.not(responses[0]?.body, first[index]?.body);
    }
    const where = { applicationId: tenant.application.id };
    t.equal((await prisma.idempotencyCount.findFirst({ where }))?.keys, 2, 'each key counts once');
    t.equal(await prisma.report.count({ where: { accountId: tenant.accountId, title: 'second' } }), 2);
  },
);

t.test('a request that fails stores no key and no count, and its duplicates succeed', async (t) => {
  const { create, tenant } = await createReportClient(api);
  const applicationId = tenant.application.id;
  const headers = { 'idempotency-key': 'failing' };
  const check = `title_${tenant.accountId}`;
  await asOwner(
    api.database,
    `ALTER TABLE reports ADD CONSTRAINT "${check}" CHECK (title <> 'bang') NOT VALID`,
  );
  const failed = await Promise.all(Array.from({ length: 5 }, () => create({ title: 'bang' }, headers)));
  await asOwner(api.database, `ALTER TABLE reports DROP CONSTRAINT "${check}"`);
  t.same(new Set(failed.map(({ statusCode }) => statusCode)), new Set([500]));
  t.equal(await prisma.idempotencyKey.count({ where: { applicationId } }), 0);
  t.equal(await prisma.idempotencyCount.count({ where: { applicationId } }), 0);
  t.equal((await create({ title: 'x' }, headers)).statusCode, 201, 'another payload may use the key');
});

t.test('a repeated Idempotency-Key gets the first response byte for byte', async (t) => {
  const { create, send, tenant } = await createReportClient(api);
  const headers = { 'idempotency-key': 'key 1' };
  const first = await create({ title: 'é', filters: [], sort: ['id'] }, headers);
  t.equal(first.statusCode, 201);
  const url = `/v1/reports/${first.json().data.id}`;
  await send('PATCH', url, { title: 'other' });
  await send('DELETE', url);
  api.clock.advanceSeconds(24 * 3600 - 1);
  const token = await api.token(tenant.application);
  const again = await create(
    { sort: ['id'], title: 'é', filters: [] },
    { ...headers, authorization: `Bearer ${token}` },
  );
  t.equal(again.statusCode, 201);
  t.equal(again.body, first.body);
  for (const name of ['location', 'etag', 'content-type', 'content-length']) {
    t.equal(again.headers[name], first.headers[name], name);
  }
  t.equal(await prisma.report.count({ where: { accountId: tenant.accountId } }), 0);
  const other = await create({ title: 'f' }, { ...headers, authorization: `Bearer ${token}` });
  t.equal(other.statusCode, 422);
  refused(t, other, 'idempotency_key_reused');
  api.clock.advanceSeconds(1);
  const later = await create({ title: 'f' }, { ...headers, authorization: `Bearer ${token}` });
  t.equal(later.statusCode, 201);
  t.equal(later.json().data.attributes.title, 'f');
});

t.test('a rejected request does not consume its Idempotency-Key', async (t) => {
  const { create } = await createReportClient(api);
  const headers = { 'idempotency-key': 'k' };
  t.equal((await create({ title: 'x', sort: ['count'] }, headers)).statusCode, 400);
  t.equal((await create({ title: 'x' }, headers)).statusCode, 201);
  for (const key of ['', 'ä', 'x'.repeat(256)]) {
    const response = await create({ title: 'x' }, { 'idempotency-key': key });
    t.equal(response.statusCode, 400, key);
    t.equal(response.json().errors[0].header, 'idempotency-key');
  }
});
