import { randomId } from '../../src/platform/database/ids.js';
import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const all = ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'];
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

const setAttributes = (...args: readonly string[]) =>
  runCommandHere(options, ['applications', 'set-attributes', ...args]);

t.test(
  'sets the readable attributes of the named application or installation, and of no other',
  async (t) => {
    const database = await openForCommands(options);
    t.teardown(() => database.close());
    const [own, customer] = [
      await createTenant(database, { name: 'Publisher' }),
      await createTenant(database, { name: 'Customer' }),
    ];
    const { clientId, id } = own.application;
    await database.prisma.sharedApplication.create({
      data: { clientId, publisherAccountId: own.accountId, applicationId: id },
    });
    const installation = await database.prisma.application.create({
      data: {
        ...{
          id: randomId(),
          accountId: customer.accountId,
          clientId: randomId(),
          installedClientId: clientId,
        },
        ...{ name: 'Installed', clientType: 'confidential', readableAttributes: ['location'] },
      },
    });
    const stored = async () => {
      const where = { accountId: { in: [own.accountId, customer.accountId] } };
      const rows = await database.prisma.application.findMany({ where });
      const attributesOf = (wanted: string) => rows.find((row) => row.id === wanted)?.readableAttributes;
      return [attributesOf(id), attributesOf(customer.application.id), attributesOf(installation.id)];
    };

    const some = await setAttributes(
      clientId,
      '--account',
      'Publisher',
      '--attributes',
      'hire_date, job_title',
    );
    t.match(some, {
      code: 0,
      stderr: '',
      stdout: /^Readable attributes of Application \w+: job_title, hire_date\.\n$/,
    });
    t.same(await stored(), [['job_title', 'hire_date'], all, ['location']]);
    const none = await setAttributes(clientId, '--account', 'Customer', '--attributes', 'none');
    t.match(none, { code: 0, stdout: 'Readable attributes of Installed: none.\n' });
    t.same(await stored(), [['job_title', 'hire_date'], all, []]);
    t.equal((await setAttributes(clientId, '--account', 'Customer', '--attributes', 'all')).code, 0);
    t.equal((await setAttributes(clientId, '--account', 'Customer', '--attributes', 'all')).code, 0);
    t.same(await stored(), [['job_title', 'hire_date'], all, all]);

    const events = (applicationId: string) =>
      database.prisma.auditEvent.findMany({
        where: { applicationId, type: 'application.updated' },
        orderBy: { createdAt: 'asc' },
      });
    t.match(await events(id), [
      {
        ...{ accountId: own.accountId, userId: null, address: null },
        details: { readable_attributes_removed: ['location', 'termination_date', 'manager_id'] },
      },
    ]);
    const recorded = await events(installation.id);
    t.match(
      recorded.map(({ details }) => details),
      [{ readable_attributes_removed: ['location'] }, { readable_attributes_added: all }],
      'the same choice again is no event',
    );
  },
);

t.test('attributes that do not exist are rejected with the names of those that do', async (t) => {
  const database = await openForCommands(options);
  t.teardown(() => database.close());
  const { accountId, application } = await createTenant(database, { name: 'Careful' });
  const target = [application.clientId, '--account', 'Careful'];
  for (const names of ['salary', 'job_title,salary', 'none,job_title', '', 'JOB_TITLE', 'email'])
    t.match(
      await setAttributes(...target, '--attributes', names),
      { code: 2, stdout: '', stderr: /Use all, none, or names separated by commas: job_title, location, / },
      names,
    );
  t.match(await setAttributes(...target), { code: 2, stderr: /required option '--attributes <names>'/ });
  t.match(await setAttributes('nothing', '--account', 'Careful', '--attributes', 'all'), {
    code: 1,
    stderr: /^Careful has no application with the client ID nothing; see: applications list\n$/,
  });
  t.match(await database.prisma.application.findMany({ where: { accountId } }), [
    { readableAttributes: all },
  ]);
});
