import { Housekeeping } from '../../src/process/housekeeping.js';
import { createReportClient, type ReportClient, refused } from '../support/records/reports.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import { holdTimers } from '../support/server/timers.js';
import t, { type Test } from '../support/tap.js';

const limited = await buildTestApp(t, {
  environment: { MAX_REPORTS_PER_ACCOUNT: '5', MAX_IDEMPOTENCY_KEYS: '0' },
});
const keysLimited = await buildTestApp(t, {
  environment: { MAX_REPORTS_PER_ACCOUNT: '0', MAX_IDEMPOTENCY_KEYS: '5' },
});

const day = 24 * 3600;

/** Creates reports with one key each, and expects success. */
async function createWithKeys({ create }: ReportClient, keys: readonly string[]) {
  for (const key of keys) {
    const response = await create({ title: key }, { 'idempotency-key': key });
    if (response.statusCode !== 201) throw new Error(response.body);
  }
}

async function keyCount({ database }: TestApp, { tenant }: ReportClient) {
  const where = { applicationId: tenant.application.id };
  const [row, rows] = await Promise.all([
    database.prisma.idempotencyCount.findFirst({ where }),
    database.prisma.idempotencyKey.count({ where }),
  ]);
  return { counted: row?.keys, rows };
}

for (const withKeys of [false, true]) {
  const title = withKeys ? 'with an Idempotency-Key each' : 'without an Idempotency-Key';
  t.test(`concurrent creates below the quota by one, ${title}, create one report`, async (t) => {
    const client = await createReportClient(limited);
    const { create, send, tenant, saved } = client;
    for (const title of ['1', '2', '3', '4']) await saved({ title });
    holdTimers(t);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        create({ title: 'x' }, withKeys ? { 'idempotency-key': `key ${index}` } : {}),
      ),
    );
    const rejected = responses.filter(({ statusCode }) => statusCode !== 201);
    t.equal(rejected.length, 11);
    for (const response of rejected) {
      t.equal(response.statusCode, 409);
      refused(t, response, 'quota_exceeded');
    }
    const { accountId } = tenant;
    t.equal(await limited.database.prisma.report.count({ where: { accountId } }), 5);
    t.equal((await send('GET', '/v1/reports')).json().meta.record_count, 5);
    const where = { accountId, type: 'report.created' };
    t.equal(
      await limited.database.prisma.auditEvent.count({ where }),
      5,
      'a rejected request stores no event',
    );
    if (withKeys) t.same(await keyCount(limited, client), { counted: 1, rows: 1 }, 'stores no key');
  });
}

t.test('the quota of reports belongs to the account, and a deleted report frees a place', async (t) => {
  const { create, send, saved } = await createReportClient(limited);
  const ids: string[] = [];
  for (const title of ['1', '2', '3', '4', '5']) ids.push(await saved({ title }));
  const rejected = await create({ title: '6' });
  refused(t, rejected, 'quota_exceeded');
  t.match(rejected.json().detail, /\b5 saved reports\b/);
  t.equal(
    (await send('PATCH', `/v1/reports/${ids[0]}`, { title: 'y' })).statusCode,
    200,
    'reports can change',
  );
  const other = await createReportClient(limited);
  t.equal((await other.create({ title: 'x' })).statusCode, 201, 'another account is not affected');
  t.equal((await send('DELETE', `/v1/reports/${ids[0]}`)).statusCode, 204);
  t.equal((await create({ title: '6' })).statusCode, 201);
  refused(t, await create({ title: '7' }), 'quota_exceeded');
});

t.test('a repeated request gets its response when the quota of reports is reached', async (t) => {
  const { create, saved } = await createReportClient(limited);
  const headers = { 'idempotency-key': 'k' };
  const first = await create({ title: 'x' }, headers);
  for (const title of ['2', '3', '4', '5']) await saved({ title });
  const rejected = await create({ title: 'y' }, { 'idempotency-key': 'other' });
  refused(t, rejected, 'quota_exceeded');
  const again = await create({ title: 'x' }, headers);
  t.equal(again.statusCode, 201);
  t.equal(again.body, first.body);
});

t.test('MAX_REPORTS_PER_ACCOUNT=0 allows any number of reports', async (t) => {
  const { saved, send } = await createReportClient(keysLimited);
  for (let index = 0; index < 6; index += 1) await saved({ title: 'x' });
  t.equal((await send('GET', '/v1/reports')).json().meta.record_count, 6);
});

t.test('MAX_IDEMPOTENCY_KEYS=0 allows any number of keys', async (t) => {
  const { create } = await createReportClient(limited);
  for (let index = 0; index < 5; index += 1) {
    t.equal((await create({ title: 'x' }, { 'idempotency-key': `k${index}` })).statusCode, 201);
  }
});

t.test(
  'as many concurrent requests with new keys succeed as the quota of the application allows',
  async (t) => {
    const client = await createReportClient(keysLimited);
    holdTimers(t);
    const responses = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        client.create({ title: 'x' }, { 'idempotency-key': `${index}` }),
      ),
    );
    const rejected = responses.filter(({ statusCode }) => statusCode !== 201);
    t.equal(rejected.length, 11);
    for (const response of rejected) tooManyKeys(t, response);
    t.same(await keyCount(keysLimited, client), { counted: 5, rows: 5 });
    t.equal((await client.send('GET', '/v1/reports')).json().meta.record_count, 5, 'nothing else is stored');
  },
);

t.test('the quota of keys rejects new keys of the application and no other request', async (t) => {
  const client = await createReportClient(keysLimited);
  const { create } = client;
  const first = await create({ title: '1' }, { 'idempotency-key': '1' });
  await createWithKeys(client, ['2', '3', '4', '5']);
  tooManyKeys(t, await create({ title: 'x' }, { 'idempotency-key': '6' }));
  t.equal((await create({ title: '1' }, { 'idempotency-key': '1' })).body, first.body, 'a repetition');
  refused(t, await create({ title: 'x' }, { 'idempotency-key': '1' }), 'idempotency_key_reused');
  t.equal((await create({ title: 'x' })).statusCode, 201, 'a request without a key');
  const other = await createReportClient(keysLimited);
  t.equal(
    (await other.create({ title: 'x' }, { 'idempotency-key': '6' })).statusCode,
    201,
    'another application',
  );
});

t.test('deleting expired keys frees places, in any number of concurrent processes', async (t) => {
  const clients = await Promise.all([1, 2, 3].map(() => createReportClient(keysLimited)));
  for (const client of clients) await createWithKeys(client, ['1', '2', '3', '4']);
  keysLimited.clock.advanceSeconds(day - 1);
  const tokens = await Promise.all(
    clients.map(async ({ tenant }) => `Bearer ${await keysLimited.token(tenant.application)}`),
  );
  const create = (index: number, key: string) =>
    clients[index]?.create({ title: key }, { 'idempotency-key': key, authorization: tokens[index] ?? '' });
  t.equal((await create(0, '5'))?.statusCode, 201, 'a key that is still valid');
  keysLimited.clock.advanceSeconds(2);
  t.equal((await create(1, '1'))?.statusCode, 201, 'an expired key that is used again');
  const pruned = await Promise.all(
    [1, 2, 3, 4].map(() =>
      new Housekeeping(keysLimited.database, { eventRetentionDays: 30, historyRetentionDays: 30 }).prune(
        keysLimited.clock(),
      ),
    ),
  );
  const deleted = pruned.reduce((sum, { idempotency_keys = 0 }) => sum + idempotency_keys, 0);
  t.ok(deleted >= 11);
  const counts = await Promise.all(clients.map((client) => keyCount(keysLimited, client)));
  t.same(counts, [
    { counted: 1, rows: 1 },
    { counted: 1, rows: 1 },
    { counted: 0, rows: 0 },
  ]);
  for (const key of ['6', '7', '8', '9']) t.equal((await create(0, key))?.statusCode, 201);
  const rejected = await create(0, '10');
  if (rejected !== undefined) tooManyKeys(t, rejected);
});

function tooManyKeys(t: Test, response: Awaited<ReturnType<ReportClient['create']>>) {
  t.equal(response.statusCode, 429, response.body);
  refused(t, response, 'rate_limit_exceeded');
  t.match(response.json().detail, /\b5 idempotency keys\b/);
  t.match(response.headers['retry-after'], /^[1-9]\d*$/);
}
