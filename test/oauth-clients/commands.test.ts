import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const revoke = (...args: readonly string[]) =>
  runCommandHere(options, ['applications', 'revoke-access', ...args]);

t.test('revokes all access of the named application, and of no other', async (t) => {
  const database = await openForCommands(options);
  const mine = await createTenant(database, { name: 'Mine' });
  await createTenant(database, { name: 'Theirs' });
  await database.close();
  const { clientId, id } = mine.application;
  for (const [args, expected] of [
    [[clientId, '--account', 'Theirs'], `Theirs has no application with the client ID ${clientId}`],
    [['nothing', '--account', 'Mine'], 'Mine has no application with the client ID nothing'],
    [['\u001B[2J', '--account', 'Mine'], 'Mine has no application with the client ID ?[2J'],
    [[clientId, '--account', 'Nobody'], 'Unknown account Nobody'],
  ] as const) {
    const { code, stdout, stderr } = await revoke(...args);
    t.equal(code, 1);
    t.equal(stdout, '');
    t.ok(stderr.startsWith(expected), stderr);
    t.equal(stderr.trim().split('\n').length, 1);
  }
  t.match(await revoke(clientId), { code: 2, stderr: /required option '--account <id>'/ });

  const done = await revoke(clientId, '--account', 'Mine');
  t.match(done, {
    code: 0,
    stderr: '',
    stdout: /^Revoked all access of Application \w+\. Grants revoked: 0\. Webhook endpoints paused: 0\.\n$/,
  });
  const after = await openForCommands(options);
  t.teardown(() => after.close());
  const generations = await after.prisma.application.findMany({ where: { generation: { gt: 0 } } });
  t.same(
    generations.map((application) => application.id),
    [id],
  );
  const events = await after.prisma.auditEvent.findMany({ where: { type: 'application.access_revoked' } });
  t.match(events, [{ accountId: mine.accountId, applicationId: id, userId: null, address: null }]);
});
