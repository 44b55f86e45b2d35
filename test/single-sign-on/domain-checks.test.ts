import { AccountDomains } from '../../src/features/single-sign-on/account-domains.js';
import { DomainChecks } from '../../src/features/single-sign-on/domain-checks.js';
import { randomId } from '../../src/platform/database/ids.js';
import { LinkDelivery } from '../../src/platform/mail/link-delivery.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser } from '../support/oauth/users.js';
import { testConfig } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { startMailServer } from '../support/server/mail-server.js';
import { createFakeDns } from '../support/single-sign-on/fake-dns.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const mail = await startMailServer(t);
const config = testConfig({ SMTP_URL: mail.url });
const day = 86_400;

/** The checks of a process, with a clock and records of their own. */
function createChecks() {
  const dns = createFakeDns();
  const clock = createTestClock();
  const logger = { warn: () => {} };
  const delivery = new LinkDelivery({ config, clock, logger });
  const checks = new DomainChecks({ database, clock, logger, delivery, resolveTxt: dns.resolveTxt });
  const run = (signal = new AbortController().signal) => checks.run(signal);
  /** Adds a domain that was confirmed a day ago, with its record. */
  const add = async (accountId: string, domain = `${randomId(10).toLowerCase()}.example`) => {
    const { domainToken } = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    await prisma.accountDomain.create({ data: { domain, accountId, method: 'dns', nextCheckAt: clock() } });
    const name = `_people-challenge.${domain}`;
    const record = [[`people-verification=${domainToken}`]];
    dns.records.set(name, record);
    const stored = () => prisma.accountDomain.findFirst({ where: { domain } });
    return { domain, name, record, stored };
  };
  return { dns, clock, run, add };
}

// The tests share the table that is checked.
t.afterEach(() => prisma.accountDomain.deleteMany({ where: { method: 'dns' } }));

t.test('a domain is checked once a day, and kept while its record exists', async (t) => {
  const { dns, clock, run, add } = createChecks();
  const { accountId } = await createScene(database);
  const { name, stored } = await add(accountId);
  await run();
  t.same(dns.names, [name]);
  t.match(await stored(), { failedDays: 0, nextCheckAt: new Date(clock().getTime() + day * 1000) });
  clock.advanceSeconds(day - 1);
  await run();
  t.same(dns.names, [name], 'not before a day is over');
  clock.advanceSeconds(1);
  await run();
  t.same(dns.names, [name, name]);
});

t.test(
  'a domain whose record is missing on seven days is lost, and owners and administrators get a mail',
  async (t) => {
    const { dns, clock, run, add } = createChecks();
    const { accountId, user } = await createScene(database);
    const admin = await createUser(database, accountId, { role: 'admin' });
    const member = await createUser(database, accountId, { role: 'member' });
    const { domain, name, record, stored } = await add(accountId);
    const kept = await add(accountId);
    dns.records.set(name, [['people-verification=another']]);
    for (let failedDays = 1; failedDays < 7; failedDays += 1) {
      await run();
      t.match(await stored(), { failedDays });
      clock.advanceSeconds(day);
    }
    dns.records.set(name, record);
    await run();
    t.match(await stored(), { failedDays: 0 }, 'one found record starts again');
    dns.records.delete(name);
    for (let checks = 0; checks < 6; checks += 1) {
      clock.advanceSeconds(day);
      await run();
    }
    t.match(await stored(), { failedDays: 6 });
    t.equal(mail.mails.length, 0);
    clock.advanceSeconds(day);
    await run();
    t.equal(await stored(), null);
    t.match(await kept.stored(), { failedDays: 0 });
    for (const { email } of [user, admin]) {
      const { text } = await mail.mailTo(email);
      t.match(text, `${domain} is no longer confirmed`);
      t.match(text, '/people/settings/single_sign_on');
    }
    t.notOk(mail.mails.some(({ to }) => to.includes(member.email)));
    const where = { accountId, type: 'account.domain_removed' };
    const details = { domain, method: 'dns', reason: 'record_missing' };
    t.match(await prisma.auditEvent.findFirstOrThrow({ where }), { userId: null, details });
    const other = await createScene(database);
    t.match(
      await new AccountDomains(database).confirm(other.accountId, domain, clock()),
      { accountId: other.accountId },
      'another account can have it',
    );
  },
);

t.test('name servers that do not respond count neither way, and are asked again after an hour', async (t) => {
  const { dns, clock, run, add } = createChecks();
  const { accountId } = await createScene(database);
  const { name, record, stored } = await add(accountId);
  dns.records.delete(name);
  await run();
  clock.advanceSeconds(day);
  for (const code of ['ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED']) {
    dns.records.set(name, code);
    await run();
    t.match(await stored(), { failedDays: 1 }, code);
    clock.advanceSeconds(3600);
  }
  dns.records.set(name, record);
  await run();
  t.match(await stored(), { failedDays: 0 });
});

t.test('the first domain of each account is checked before the second of any', async (t) => {
  const { dns, run, add } = createChecks();
  const [large, small] = [await createScene(database), await createScene(database)];
  const names: string[] = [];
  // More than a batch.
  for (let index = 0; index < 120; index += 1) names.push((await add(large.accountId)).name);
  const { name, stored } = await add(small.accountId);
  await run();
  t.ok(dns.names.indexOf(name) < 100, 'in the first batch');
  t.same(dns.names.toSorted(), [...names, name].toSorted(), 'each once');
  t.match(await stored(), { failedDays: 0 });
});

t.test('two processes check each domain once, and a stopped one checks no more', async (t) => {
  const { dns, clock, run, add } = createChecks();
  const { accountId } = await createScene(database);
  const added = [await add(accountId), await add(accountId), await add(accountId)];
  await Promise.all([run(), run()]);
  t.same(dns.names.toSorted(), added.map(({ name }) => name).toSorted());
  clock.advanceSeconds(day);
  await run(AbortSignal.abort());
  t.equal(dns.names.length, 3);
});

t.test(
  'a domain that the operator confirms during its last check is kept, and no longer checked',
  async (t) => {
    const { dns, clock, run, add } = createChecks();
    const { accountId } = await createScene(database);
    const { domain, name, stored } = await add(accountId);
    await prisma.accountDomain.updateMany({ where: { domain }, data: { failedDays: 6 } });
    dns.records.set(name, async () => {
      await new AccountDomains(database).confirm(accountId, domain, clock());
      return 'ENOTFOUND';
    });
    await run();
    const confirmed = { method: 'operator', nextCheckAt: null, failedDays: 0 };
    t.match(await stored(), confirmed);
    clock.advanceSeconds(day);
    await run();
    t.match(await stored(), confirmed);
    t.same(dns.names, [name]);
  },
);
