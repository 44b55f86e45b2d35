import { ClientCredentials } from '../../src/features/oauth-clients/client-credentials.js';
import { SecretReminders } from '../../src/features/oauth-clients/secret-reminders.js';
import type { UserAuditContext } from '../../src/platform/audit/audit-log.js';
import { randomId } from '../../src/platform/database/ids.js';
import { LinkDelivery } from '../../src/platform/mail/link-delivery.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser } from '../support/oauth/users.js';
import { testConfig } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { linkIn, startMailServer } from '../support/server/mail-server.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const mail = await startMailServer(t);
const config = testConfig({ SMTP_URL: mail.url });
const credentials = new ClientCredentials(database);
const day = 86_400;

/** A confidential application, with a clock that starts on 1 March 2026 at 9:00 UTC. */
async function openReminders() {
  const clock = createTestClock();
  const logger = { warn: () => {} };
  const delivery = new LinkDelivery({ config, clock, logger });
  const createProcess = () => new SecretReminders({ database, clock, logger, delivery });
  const scene = await createScene(database, { clientType: 'confidential', name: 'Bridge' });
  const { accountId, user, application } = scene;
  // Before the secrets of the test, by its clock.
  const createdAt = new Date(clock().getTime() - day * 1000);
  await prisma.applicationSecret.updateMany({
    where: { applicationId: application.id },
    data: { createdAt },
  });
  const context = () => ({ accountId, userId: user.id, at: clock() }) as UserAuditContext;
  /** Creates a secret that expires after days. */
  const create = async (days: number | null) => {
    const expiresAt = days === null ? null : new Date(clock().getTime() + days * day * 1000);
    const created = await credentials.createSecret(context(), {
      ...{ applicationId: application.id, nonce: randomId(), expiresAt },
    });
    if (created.kind !== 'created') throw new Error(created.kind);
    const where = { accountId, lastCharacters: created.clientSecret.slice(-4) };
    return { ...created, id: (await prisma.applicationSecret.findFirstOrThrow({ where })).id };
  };
  const revoke = (secretId: string) =>
    credentials.revokeSecret(context(), {
      ...{ applicationId: application.id, secretId },
    });
  const run = (signal = new AbortController().signal) => createProcess().run(signal);
  const sent = (email = user.email) => mail.mails.filter(({ to }) => to.includes(email));
  return { ...scene, clock, create, revoke, run, sent };
}

// The tests share the table that is searched.
t.afterEach(() => prisma.applicationSecret.deleteMany({}));

t.test(
  'the owners and administrators get a mail 30 and 7 days before a secret expires, each once',
  async (t) => {
    const { accountId, application, clock, create, run, sent } = await openReminders();
    const admin = await createUser(database, accountId, { role: 'admin' });
    const member = await createUser(database, accountId, { role: 'member' });
    const disabled = await createUser(database, accountId, { role: 'admin' });
    await prisma.user.updateMany({ where: { id: disabled.id }, data: { disabledAt: clock() } });
    const { clientSecret } = await create(90);
    clock.advanceSeconds(60 * day - 1);
    await run();
    t.equal(sent().length, 0);
    clock.advanceSeconds(1);
    await Promise.all([run(), run(), run()]);
    await run();
    t.equal(sent().length, 1, 'several processes send one');
    clock.advanceSeconds(23 * day - 1);
    await run();
    t.equal(sent().length, 1);
    clock.advanceSeconds(1);
    await Promise.all([run(), run(), run()]);
    clock.advanceSeconds(7 * day);
    await run();
    t.equal(sent().length, 2);
    t.equal(sent(admin.email).length, 2);
    for (const { email } of [member, disabled]) t.equal(sent(email).length, 0);
    for (const received of [...sent(), ...sent(admin.email)]) {
      t.match(received.text, 'Subject: A client secret of Bridge expires on 30 May 2026');
      t.match(received.text, `The client secret ending in ${clientSecret.slice(-4)} of Bridge`);
      t.match(received.text, `client ID ${application.clientId}`);
      t.match(received.text, 'expires on 30 May 2026 at 09:00 UTC');
      t.equal(linkIn(received), `/people/settings/oauth_applications/${application.id}/credentials`);
      t.notMatch(received.text, clientSecret);
    }
  },
);

t.test(
  'a secret that lives for at most 30 days gets the reminders that are after its creation',
  async (t) => {
    for (const [days, mails] of [
      [30, 1],
      [7, 0],
      [2, 0],
      [31, 2],
    ] as const) {
      const { clock, create, run, sent } = await openReminders();
      await create(days);
      for (let passed = 0; passed < days; passed += 1) {
        await run();
        clock.advanceSeconds(day);
      }
      t.equal(sent().length, mails, `${days} days`);
    }
  },
);

t.test('there is no reminder of a secret that never expires, was revoked, or has expired', async (t) => {
  const { clock, create, revoke, run, sent } = await openReminders();
  const revoked = await create(90);
  t.equal(await revoke(revoked.id), 'revoked');
  await create(90);
  clock.advanceSeconds(90 * day);
  await run();
  t.equal(sent().length, 0);
});

t.test('a secret that was replaced has no reminder until its replacement is revoked', async (t) => {
  const { application, clock, create, revoke, run, sent } = await openReminders();
  await prisma.applicationSecret.deleteMany({ where: { applicationId: application.id } });
  await create(90);
  clock.advanceSeconds(day);
  const replacement = await create(null);
  clock.advanceSeconds(61 * day);
  await run();
  t.equal(sent().length, 0);
  t.equal(await revoke(replacement.id), 'revoked');
  await run();
  t.equal(sent().length, 1);
});

t.test('after an outage one reminder is sent, not both', async (t) => {
  const { clock, create, run, sent } = await openReminders();
  await create(90);
  clock.advanceSeconds(85 * day);
  await run();
  await run();
  t.equal(sent().length, 1);
});

t.test('more reminders than a batch are each sent once, and a stopped process claims none', async (t) => {
  const { accountId, application, clock, run, sent } = await openReminders();
  const now = clock();
  await prisma.applicationSecret.createMany({
    data: Array.from({ length: 45 }, (_, index) => ({
      ...{ id: randomId(), accountId, applicationId: application.id, secretHash: Buffer.alloc(32, index) },
      ...{ lastCharacters: `s${String(index).padStart(3, '0')}`, createdAt: now },
      ...{ expiresAt: new Date(now.getTime() + 20 * day * 1000), nextReminderAt: now },
    })),
  });
  await run(AbortSignal.abort());
  t.equal(sent().length, 0);
  await Promise.all([run(), run()]);
  const named = sent().map(({ text }) => /ending in (s\d{3})/.exec(text)?.[1]);
  t.equal(named.length, 45);
  t.equal(new Set(named).size, 45);
});
