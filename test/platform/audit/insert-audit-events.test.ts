import { type AuditEvent, AuditLog, recordIn } from '../../../src/platform/audit/audit-log.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { allAccounts, withScope } from '../../../src/platform/database/scope.js';
import { openTestDatabase } from '../../support/database/database.js';
import { createTenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const at = new Date('2026-03-29T01:30:00.123Z');
const auditLog = new AuditLog(database, () => at);

/** The events with an IP address, without their ids, in the order of their request ids. */
function stored(address: string): Promise<object[]> {
  return withScope(allAccounts, async () => {
    const query = { where: { address }, omit: { id: true }, orderBy: { requestId: 'asc' } } as const;
    return [
      ...(await database.prisma.auditEvent.findMany(query)),
      ...(await database.prisma.systemEvent.findMany(query)),
    ].map((event) => ({ ...event, address: undefined }));
  });
}

t.test('stores the events that the models store, of many accounts at once', async (t) => {
  const tenants = await Promise.all(Array.from({ length: 3 }, () => createTenant(database)));
  const events = [...tenants, null].flatMap((tenant, index): AuditEvent[] => [
    { type: 'token.issued', accountId: tenant?.accountId, details: { scopes: ['user:read', '"\\\n'] } },
    {
      type: 'sign_in.failed',
      accountId: tenant?.accountId ?? null,
      ...(tenant !== null && { userId: 'a user', applicationId: tenant.application.id }),
      details: { email: `Zoë ${index} 🏳️‍🌈` },
    },
  ]);
  const from = (address: string) =>
    events.map((event, index) => ({ ...event, origin: { address, requestId: `request ${index}` } }));
  const [batched, single] = [randomId(), randomId()];
  await Promise.all(from(batched).map((event) => auditLog.record(event)));
  await withScope(allAccounts, () =>
    database.prisma.$transaction(async (tx) => {
      for (const event of from(single)) await recordIn(tx, event, at);
    }),
  );
  const found = await stored(batched);
  t.equal(found.length, events.length);
  t.same(found, await stored(single));
});
