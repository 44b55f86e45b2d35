import { LastUseRecorder } from '../../src/oauth/clients/last-use-recorder.js';
import { toAccountId } from '../../src/platform/accounts/account-id.js';
import { openTestDatabase } from '../support/database/database.js';
import { createTenant } from '../support/records/tenant.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';

t.test('logs a use that cannot be stored, and retries at the next use', async (t) => {
  const database = await openTestDatabase(t);
  const lines: { details: object; message: string }[] = [];
  const warn = (details: object, message: string) => void lines.push({ details, message });
  const lastUseRecorder = new LastUseRecorder(database, createTestClock(), { warn });
  await database.close();
  for (const uses of [1, 2]) {
    lastUseRecorder.record(toAccountId('acme'), 'secret1');
    await lastUseRecorder.settled();
    t.equal(lines.length, uses);
  }
  t.match(lines[0], {
    details: { account_id: 'acme', secret_id: 'secret1', reason: /.+/ },
    message: 'the last use of a client secret was not stored',
  });
});

t.test('writes the use of a secret again after a minute, and not earlier', async (t) => {
  const database = await openTestDatabase(t);
  const clock = createTestClock();
  const lastUseRecorder = new LastUseRecorder(database, clock, {
    warn: (details) => t.fail(String(details)),
  });
  const { accountId, application } = await createTenant(database);
  const where = { applicationId: application.id };
  const { id } = await database.prisma.applicationSecret.findFirstOrThrow({ where });
  /** What a use writes. */
  const written = async () => {
    await database.prisma.applicationSecret.updateMany({ where, data: { lastUsedAt: null } });
    lastUseRecorder.record(accountId, id);
    await lastUseRecorder.settled();
    return (await database.prisma.applicationSecret.findFirstOrThrow({ where })).lastUsedAt;
  };
  t.same(await written(), clock());
  t.equal(await written(), null);
  clock.advanceSeconds(59.999);
  t.equal(await written(), null);
  clock.advanceSeconds(0.001);
  t.same(await written(), clock());
});
