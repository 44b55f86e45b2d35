import { randomId } from '../../src/platform/database/ids.js';
import { createTestDatabase } from '../support/database/database.js';
import { createUser } from '../support/oauth/users.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const database = await openForCommands(options);
const { prisma } = database;
const run = (...args: readonly string[]) => runCommandHere(options, ['applications', ...args]);

const redirectUris = ['https://client.example/callback'];

async function publisherWith(changes: { redirectUris?: string[] } = {}) {
  const name = `Publisher ${randomId(6)}`;
  const { accountId } = await createTenant(database, { name });
  const application = await createApplication(database, accountId, { redirectUris, ...changes });
  return { account: name, accountId, ...application };
}

type Publisher = Awaited<ReturnType<typeof publisherWith>>;

/** An account in which the application is installed. */
async function installIn({ clientId }: Publisher) {
  const name = `Customer ${randomId(6)}`;
  const { accountId } = await createTenant(database, { name });
  const user = await createUser(database, accountId);
  const installation = await prisma.application.create({
    data: {
      ...{ id: randomId(), accountId, clientId: randomId(), name: 'Bridge', clientType: 'confidential' },
      ...{ installedClientId: clientId, redirectUris, createdById: user.id },
    },
  });
  return { account: name, accountId, installation };
}

/** The events of publication of an account, by type. */
const eventsOf = (accountId: string) =>
  prisma.auditEvent.findMany({
    where: { accountId, type: { in: ['application.published', 'application.withdrawn'] } },
    orderBy: { type: 'asc' },
  });

t.test('publishes an application once, with an audit event', async (t) => {
  const publisher = await publisherWith();
  const args = ['publish', publisher.clientId, '--account', publisher.account];
  const done = await run(...args);
  t.match(done, { code: 0, stderr: '', stdout: /^Published Application \w+\. Other accounts can use it/ });
  const again = await run(...args);
  t.match(again, { code: 0, stderr: '', stdout: /^Application \w+ is already published\.\n$/ });
  t.match(await prisma.sharedApplication.findUnique({ where: { clientId: publisher.clientId } }), {
    publisherAccountId: publisher.accountId,
    applicationId: publisher.id,
    document: null,
  });
  const events = await eventsOf(publisher.accountId);
  t.match(events, [
    { type: 'application.published', applicationId: publisher.id, userId: null, address: null },
  ]);
  t.equal(events.length, 1);
  t.match(events[0]?.details, { client_id: publisher.clientId });
});

t.test('publishes no application that other accounts cannot use', async (t) => {
  for (const [publisher, expected] of [
    [await publisherWith({ redirectUris: [] }), /has no redirect URI that starts with https:/],
    [await publisherWith({ redirectUris: ['http://localhost/cb', ...redirectUris] }), /is in development/],
  ] as const) {
    const { code, stdout, stderr } = await run('publish', publisher.clientId, '--account', publisher.account);
    t.same([code, stdout], [1, '']);
    t.match(stderr, expected);
    t.equal(stderr.trim().split('\n').length, 1);
    t.equal(await prisma.sharedApplication.count({ where: { clientId: publisher.clientId } }), 0);
    t.same(await eventsOf(publisher.accountId), []);
  }
});

t.test('publishes and withdraws only applications that the account has registered', async (t) => {
  const publisher = await publisherWith();
  await run('publish', publisher.clientId, '--account', publisher.account);
  const customer = await installIn(publisher);
  const { name } = customer.installation;
  for (const command of ['publish', 'withdraw']) {
    for (const [args, expected] of [
      [[customer.installation.clientId, '--account', customer.account], 'has not registered an application'],
      [
        [publisher.clientId, '--account', (await publisherWith()).account],
        'has not registered an application',
      ],
      [['\u001B[2J', '--account', publisher.account], 'client ID ?[2J'],
      [[publisher.clientId, '--account', 'Nobody'], 'Unknown account Nobody'],
    ] as const) {
      const { code, stdout, stderr } = await run(command, ...args);
      t.same([code, stdout], [1, ''], `${command} ${args[0]}`);
      t.ok(stderr.includes(expected), stderr);
      t.equal(stderr.trim().split('\n').length, 1);
    }
    t.match(await run(command, publisher.clientId), { code: 2, stderr: /required option '--account <id>'/ });
  }
  t.match(await run('publish', publisher.clientId, '--account', customer.account), {
    code: 1,
    stderr: /has not registered an application/,
  });
  t.match(await run('withdraw', publisher.clientId, '--account', customer.account), {
    code: 0,
    stdout: `${name} is not published.\n`,
  });
  t.equal(await prisma.sharedApplication.count({ where: { clientId: publisher.clientId } }), 1);
  t.equal(await prisma.application.count({ where: { accountId: customer.accountId, name } }), 1);
});

t.test('withdraws an application, and says how many accounts lose it', async (t) => {
  const [publisher, other] = [await publisherWith(), await publisherWith()];
  for (const { clientId, account } of [publisher, other])
    t.equal((await run('publish', clientId, '--account', account)).code, 0);
  const customers = [await installIn(publisher), await installIn(publisher)];
  const kept = await installIn(other);
  const args = ['withdraw', publisher.clientId, '--account', publisher.account];
  t.match(await run(...args), {
    code: 0,
    stderr: '',
    stdout: /^Withdrew Application \w+\. Accounts that lose it: 2\.\n$/,
  });
  t.match(await run(...args), { code: 0, stderr: '', stdout: /^Application \w+ is not published\.\n$/ });
  const left = await prisma.application.findMany({ where: { NOT: { installedClientId: null } } });
  t.notOk(left.some(({ installedClientId }) => installedClientId === publisher.clientId));
  t.ok(left.some(({ id }) => id === kept.installation.id));
  const [, withdrawn, ...rest] = await eventsOf(publisher.accountId);
  t.match(withdrawn, { type: 'application.withdrawn', applicationId: publisher.id, userId: null });
  t.match(withdrawn?.details, { client_id: publisher.clientId, accounts: '2' });
  t.same(rest, []);
  for (const { accountId, installation } of customers) {
    const events = await eventsOf(accountId);
    t.match(events, [{ type: 'application.withdrawn', applicationId: installation.id, userId: null }]);
    t.same(events[0]?.details, { name: 'Bridge', client_id: publisher.clientId });
  }
  t.same(await eventsOf(kept.accountId), []);
});

t.test('the list shows published and installed applications, by their public client ids', async (t) => {
  const publisher = await publisherWith();
  const { installation, account } = await installIn(await published(publisher));
  await prisma.application.update({
    where: { accountId_id: { accountId: installation.accountId, id: installation.id } },
    data: { suspendedAt: new Date('2026-03-01T09:00:00.000Z') },
  });
  const listed = async (name: string) => {
    const { stdout } = await run('list', '--account', name, '--json');
    t.notMatch(stdout, installation.clientId);
    return JSON.parse(stdout) as { kind: string; client_id: string; suspended_at: string | null }[];
  };
  const kindOf = (rows: Awaited<ReturnType<typeof listed>>, clientId: string) =>
    rows.filter(({ client_id }) => client_id === clientId).map(({ kind }) => kind);
  const own = await listed(publisher.account);
  t.same(kindOf(own, publisher.clientId), ['published']);
  t.equal(own.filter(({ kind }) => kind === 'registered').length, 1);
  const theirs = await listed(account);
  t.same(kindOf(theirs, publisher.clientId), ['installed']);
  t.match(
    theirs.find(({ kind }) => kind === 'installed'),
    { suspended_at: '2026-03-01T09:00:00.000Z' },
  );
  const table = await run('list');
  t.notMatch(table.stdout, installation.clientId);
});

async function published(publisher: Publisher): Promise<Publisher> {
  t.equal((await run('publish', publisher.clientId, '--account', publisher.account)).code, 0);
  return publisher;
}

t.test('other commands name an installation by its public client id', async (t) => {
  const publisher = await published(await publisherWith());
  const { installation, account, accountId } = await installIn(publisher);
  const at = new Date('2026-03-01T09:00:00.000Z');
  await prisma.webhookEndpoint.create({
    data: {
      ...{ accountId, id: randomId(), applicationId: installation.id, url: 'https://x.example/' },
      ...{ createdAt: at, updatedAt: at, sealedSecret: 'sealed', position: 0 },
    },
  });
  const webhooks = await runCommandHere(options, ['webhooks', 'list', '--account', account, '--json']);
  t.match(JSON.parse(webhooks.stdout), [{ client_id: publisher.clientId }]);
  for (const args of [
    ['usage', publisher.clientId],
    ['revoke-access', publisher.clientId],
  ]) {
    const found = await run(...args, '--account', account);
    t.equal(found.code, 0, found.stderr);
    t.notMatch(found.stdout, installation.clientId);
    const unknown = await run(args[0] ?? '', installation.clientId, '--account', account);
    t.equal(unknown.code, 1, 'the internal id is unknown');
  }
  const [event] = await prisma.auditEvent.findMany({
    where: { accountId, type: 'application.access_revoked' },
  });
  t.match(event?.details, { client_id: publisher.clientId, paused_webhook_endpoints: '1' });
});
