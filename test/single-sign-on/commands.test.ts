import { createTestDatabase } from '../support/database/database.js';
import { createScene } from '../support/oauth/users.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const run = (...args: readonly string[]) => runCommandHere(options, ['accounts', ...args]);

t.test('confirms, lists and removes the domains of one account, with audit events', async (t) => {
  const database = await openForCommands(options);
  const { accountId } = await createTenant(database, { name: 'Mine' });
  await createTenant(database, { name: 'Theirs' });
  await database.close();
  const confirm = (...args: readonly string[]) => run('confirm-domain', ...args);
  t.same(await confirm('mine.example', '--account', 'Mine'), {
    code: 0,
    stdout: `Confirmed mine.example for account ${accountId} (Mine).\n`,
    stderr: '',
  });
  t.match(await confirm('mine.example', '--account', 'Mine'), { code: 0 }, 'again');
  t.match(await confirm('mine.example', '--account', 'Theirs'), {
    code: 1,
    stderr: `mine.example is confirmed for account ${accountId}`,
  });
  for (const domain of [
    '',
    'example',
    'Mine.example',
    'a@mine.example',
    '.example',
    '127.0.0.1',
    'mine.example.',
    'ä.example',
  ])
    t.match(await confirm(domain, '--account', 'Mine'), { code: 2, stderr: 'must be a domain' }, domain);
  t.match(await confirm('other.example'), { code: 2, stderr: /required option '--account <id>'/ });

  t.match(await confirm('gmail.com', '--account', 'Mine'), { code: 1, stderr: 'public mailbox provider' });

  t.match(await run('domains'), { code: 0, stdout: /mine\.example\s+Mine/ });
  const [row] = JSON.parse((await run('domains', '--account', 'Mine', '--json')).stdout);
  t.match(row, { domain: 'mine.example', account: 'Mine', account_id: accountId, method: 'operator' });
  t.same(JSON.parse((await run('domains', '--account', 'Theirs', '--json')).stdout), []);

  const remove = (...args: readonly string[]) => run('remove-domain', ...args);
  t.match(await remove('mine.example', '--account', 'Theirs'), { code: 1, stderr: 'is not confirmed' });
  t.match(await remove('mine.example', '--account', 'Mine'), { code: 0, stdout: /^Removed mine\.example/ });
  t.match(await remove('mine.example', '--account', 'Mine'), { code: 1 });

  const after = await openForCommands(options);
  t.teardown(() => after.close());
  const events = await after.prisma.auditEvent.findMany({
    where: { type: { startsWith: 'account.domain' } },
    orderBy: { createdAt: 'asc' },
  });
  t.match(
    events.map(({ type, accountId, userId, details }) => ({ type, accountId, userId, details })),
    [
      { type: 'account.domain_confirmed', accountId, userId: null, details: { domain: 'mine.example' } },
      { type: 'account.domain_removed', accountId, userId: null, details: { domain: 'mine.example' } },
    ],
  );
  t.equal(events.length, 2);
});

t.test('users of a domain that is confirmed for another account are rejected', async (t) => {
  const database = await openForCommands(options);
  const owning = await createTenant(database, { name: 'Owning' });
  const other = await createScene(database, { accountName: 'Other' });
  await database.prisma.accountDomain.create({
    data: { domain: 'owned.example', accountId: owning.accountId },
  });
  await database.close();
  const names = ['--first-name', 'Ada', '--last-name', 'Lovelace'];
  const password = 'a phrase of four words';
  const create = (account: string) =>
    runCommandHere(
      options,
      ['users', 'create', '--account', account, '--email', 'ada@Owned.example', '--role', 'member', ...names],
      password,
    );
  t.match(await create('Other'), { code: 1, stderr: 'is confirmed for another account' });
  const account = ['accounts', 'create', '--name', 'New', '--owner-email', 'ada@owned.example'];
  t.match(await runCommandHere(options, [...account, ...names], password), {
    code: 1,
    stderr: 'is confirmed for another account',
  });
  const change = ['users', 'set-email', other.user.email, 'ada@owned.example'];
  t.match(await runCommandHere(options, change), { code: 1, stderr: 'or its domain to another account' });
  t.match(await create('Owning'), { code: 0 });
});
