import { LastUseRecorder } from '../../src/oauth/clients/last-use-recorder.js';
import { toAccountId } from '../../src/platform/accounts/account-id.js';
import { openTestDatabase } from '../support/database/database.js';
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
