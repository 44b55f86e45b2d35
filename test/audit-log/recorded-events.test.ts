import { AuditLog } from '../../src/platform/audit/audit-log.js';
import { randomId } from '../../src/platform/database/ids.js';
import { withForeignKeys } from '../support/database/foreign-keys.js';
import { asOwner } from '../support/database/owner.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

t.test(
  'an event of a deleted account does not prevent others from being stored',
  withForeignKeys,
  async (t) => {
    const auditLog = new AuditLog(database, api.clock);
    const { accountId } = await createTenant(database);
    const { accountId: gone } = await createTenant(database);
    await database.prisma.account.delete({ where: { id: gone } });
    const accounts = [accountId, gone, accountId, null, gone, ...Array.from({ length: 30 }, () => accountId)];
    const address = randomId(8);
    const outcomes = await Promise.allSettled(
      accounts.map((account, index) =>
        auditLog.record({
          type: 'sign_in.failed',
          accountId: account,
          userId: 'a user who was deleted',
          applicationId: 'an application that was deleted',
          origin: { address, requestId: String(index) },
        }),
      ),
    );
    t.same(
      outcomes.map(({ status }) => status),
      accounts.map((account) => (account === gone ? 'rejected' : 'fulfilled')),
    );
    const stored = [
      ...(await database.prisma.auditEvent.findMany({ where: { address } })),
      ...(await database.prisma.systemEvent.findMany({ where: { address } })).map((event) => ({
        ...event,
        accountId: null,
      })),
    ];
    t.same(
      stored.map(({ requestId, accountId }) => `${requestId} ${accountId}`).sort(),
      accounts.flatMap((account, index) => (account === gone ? [] : `${index} ${account}`)).sort(),
      'each of them once',
    );
  },
);

t.test('a request whose event cannot be stored fails alone', async (t) => {
  const tenants = await Promise.all(Array.from({ length: 20 }, () => createTenant(database)));
  const [faulty] = tenants as [(typeof tenants)[0]];
  await asOwner(
    database,
    `
    CREATE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'foreign_key_violation'; END $$`,
  );
  await asOwner(
    database,
    `
    CREATE TRIGGER refuse_event BEFORE INSERT ON audit_events
    FOR EACH ROW WHEN (NEW.account_id = '${faulty.accountId}') EXECUTE FUNCTION refuse_event()`,
  );
  const responses = await Promise.all(
    tenants.map(({ application: { clientId, clientSecret } }) =>
      api.postForm('/v1/oauth/token', {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    ),
  );
  t.same(
    responses.map(({ statusCode }) => statusCode),
    tenants.map((tenant) => (tenant === faulty ? 500 : 200)),
  );
  for (const { accountId } of tenants) {
    const where = { accountId, type: 'token.issued' };
    t.equal(await database.prisma.auditEvent.count({ where }), accountId === faulty.accountId ? 0 : 1);
  }
});
