import { type ApiCall, RecentRejections } from '../../src/features/usage/unstored-usage.js';
import { UsageReader } from '../../src/features/usage/usage-reader.js';
import { UsageRecorder } from '../../src/features/usage/usage-recorder.js';
import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { createTenant, type Tenant } from '../support/records/tenant.js';
import { ever } from '../support/records/usage.js';
import { createTestClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);
const clock = createTestClock();
const reader = new UsageReader(database);

function callOf({ accountId, application }: Tenant, changes: Partial<ApiCall> = {}): ApiCall {
  return {
    accountId,
    applicationId: application.id,
    userId: null,
    operation: 'listEmployees',
    status: 200,
    records: 2,
    requestId: 'r',
    code: null,
    ...changes,
  };
}

const rejected = { status: 404, records: 0, code: 'not_found' };

const totalOf = async ({ accountId, application }: Tenant) => {
  const rows = await reader.usageByOperationOf(accountId, application.id, ever);
  return rows.reduce((sum, { calls }) => sum + calls, 0);
};

const rowsOf = ({ accountId }: Tenant) => database.prisma.apiUsage.count({ where: { accountId } });

/** Makes the database reject rows of a table. Returns a function that ends this. */
async function rejectRows(t: Test, table: string): Promise<() => Promise<void>> {
  await asOwner(
    database,
    `CREATE OR REPLACE FUNCTION reject_row() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'rejected'; END $$`,
  );
  await asOwner(
    database,
    `CREATE TRIGGER reject_row BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION reject_row()`,
  );
  const allow = async () => void (await asOwner(database, `DROP TRIGGER IF EXISTS reject_row ON ${table}`));
  t.teardown(allow);
  return allow;
}

t.test('loses nothing when storing fails, and stores it the next time, once', async (t) => {
  for (const table of ['api_usage', 'rejected_requests']) {
    const usage = new UsageRecorder({ database, clock });
    const tenant = await createTenant(database);
    const allow = await rejectRows(t, table);
    for (let count = 0; count < 3; count += 1) {
      usage.record(callOf(tenant));
      usage.record(callOf(tenant, { ...rejected, requestId: `${count}` }));
      clock.advanceSeconds(1);
      await t.rejects(usage.flush(), table);
    }
    await allow();
    await usage.flush();
    await usage.flush();
    t.match(await reader.usageByOperationOf(tenant.accountId, tenant.application.id, ever), [
      { calls: 6, errors: 3, rateLimited: 0, records: 6 },
    ]);
    const rejections = await reader.rejectedRequestsOf(tenant.accountId, tenant.application.id);
    t.same(
      rejections.map(({ requestId }) => requestId),
      ['2', '1', '0'],
      table,
    );
  }
});

t.test('stores a call that is recorded while it stores others the next time', async (t) => {
  const usage = new UsageRecorder({ database, clock });
  const tenant = await createTenant(database);
  usage.record(callOf(tenant));
  const first = usage.flush();
  await Promise.resolve();
  usage.record(callOf(tenant));
  await Promise.all([first, usage.flush()]);
  t.equal(await totalOf(tenant), 2);
});

/** Small ones: storing early takes two statements. */
const limits = { batchSize: 10, earlyFlushCounts: 20, maximumCounts: 200 };

t.test('stores many counts before their time, and in several statements', async (t) => {
  const usage = new UsageRecorder({ database, clock, limits });
  const tenant = await createTenant(database);
  for (let user = 0; user < 20; user += 1) usage.record(callOf(tenant, { userId: `user${user}` }));
  await until(async () => (await rowsOf(tenant)) === 20);
  for (let user = 0; user < 25; user += 1) usage.record(callOf(tenant, { userId: `user${user}` }));
  await usage.flush();
  t.equal(await rowsOf(tenant), 25);
  t.equal(await totalOf(tenant), 45);
});

t.test('keeps a limited number of counts while storing fails, and logs what it has dropped', async (t) => {
  const warnings: object[] = [];
  const logger = { warn: (details: object) => void warnings.push(details) };
  const usage = new UsageRecorder({ database, clock, logger, limits });
  const tenant = await createTenant(database);
  const allow = await rejectRows(t, 'api_usage');
  for (let user = 0; user < 205; user += 1) usage.record(callOf(tenant, { userId: `user${user}` }));
  await t.rejects(usage.flush());
  await allow();
  await usage.flush();
  t.same(warnings, [{ calls: 5 }]);
  t.equal(await totalOf(tenant), 200);
});

t.test('processes that store the same counts at once do not deadlock', async (t) => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => createTenant(database)));
  const recorders = Array.from({ length: 4 }, () => new UsageRecorder({ database, clock }));
  const users = Array.from({ length: 25 }, (_, index) => `user${index}`);
  for (let round = 0; round < 3; round += 1) {
    for (const [index, usage] of recorders.entries()) {
      for (const tenant of index % 2 === 0 ? tenants : tenants.toReversed()) {
        for (const userId of index % 2 === 0 ? users : users.toReversed()) {
          usage.record(callOf(tenant, { userId }));
          usage.record(callOf(tenant, { ...rejected, userId }));
        }
      }
    }
    await Promise.all(recorders.map((usage) => usage.flush()));
  }
  for (const tenant of tenants) t.equal(await totalOf(tenant), 2 * 3 * 4 * 25);
  const [first] = recorders;
  for (const tenant of tenants) first?.record(callOf(tenant, rejected));
  await first?.flush();
  for (const { accountId } of tenants) {
    t.equal(await database.prisma.rejectedRequest.count({ where: { accountId } }), 20);
  }
});

t.test('adds a call of which only the client is known to those of its application', async (t) => {
  const usage = new UsageRecorder({ database, clock });
  const tenant = await createTenant(database);
  const unknown = { accountId: undefined, applicationId: undefined };
  const { clientId } = tenant.application;
  usage.record(callOf(tenant));
  usage.record(callOf(tenant, { ...unknown, clientId, status: 429, records: 0 }));
  usage.record(callOf(tenant, { ...unknown, clientId: 'gone', status: 429, records: 0 }));
  await usage.flush();
  t.match(await reader.usageByOperationOf(tenant.accountId, tenant.application.id, ever), [
    { calls: 2, errors: 0, rateLimited: 1, records: 2 },
  ]);
  const total = await database.prisma.apiUsage.count({ where: { accountId: tenant.accountId } });
  t.equal(total, 1);
});

t.test('keeps the rejections of a limited number of applications in memory', async (t) => {
  const rejections = new RecentRejections(2);
  const tenants = await Promise.all([1, 2, 3].map(() => createTenant(database)));
  for (const tenant of tenants) rejections.add(callOf(tenant, rejected), 0);
  t.same(
    rejections.takeAll().map(({ accountId }) => accountId),
    tenants.slice(1).map(({ accountId }) => accountId),
  );
});
