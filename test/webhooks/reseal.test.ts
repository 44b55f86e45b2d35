import { resealWebhookSecrets, WebhookSecrets } from '../../src/features/webhooks/webhook-secrets.js';
import { openTestDatabase } from '../support/database/database.js';
import { createTenant } from '../support/records/tenant.js';
import t, { type Test } from '../support/tap.js';

const older = 'the older secret of the application';
const newer = 'the newer secret of the application';
const changing = { current: newer, previous: older };
const at = new Date('2026-03-01T09:00:00.000Z');

async function setUp(t: Test, sealedWith: string) {
  const database = await openTestDatabase(t);
  const { accountId, application } = await createTenant(database);
  const secrets = new WebhookSecrets({ current: sealedWith });
  const [current, previous] = [await secrets.create(), await secrets.create()];
  await database.prisma.webhookEndpoint.create({
    data: {
      ...{ accountId, applicationId: application.id, id: 'endpoint', url: 'https://x.example/', position: 0 },
      ...{
        sealedSecret: current.sealed,
        sealedPreviousSecret: previous.sealed,
        createdAt: at,
        updatedAt: at,
      },
      previousSecretExpiresAt: new Date(at.getTime() + 1000),
    },
  });
  const row = () => database.prisma.webhookEndpoint.findFirstOrThrow({ where: { accountId } });
  return { database, accountId, row, plain: [current.secret, previous.secret] };
}

t.test('both secrets are re-encrypted and then need no earlier APP_SECRET', async (t) => {
  const { database, accountId, row, plain } = await setUp(t, older);
  t.equal(await resealWebhookSecrets(database, changing, at), 1);
  t.equal(await resealWebhookSecrets(database, changing, at), 0, 'it may be repeated');
  t.same(await new WebhookSecrets({ current: newer }).open(await row(), at), plain);
  const type = 'webhook_endpoint.resealed';
  t.equal(await database.prisma.auditEvent.count({ where: { accountId, type } }), 1);
});

t.test('a stored response with a secret is re-encrypted, and other responses are not changed', async (t) => {
  const { database, accountId } = await setUp(t, older);
  const { id: applicationId } = await database.prisma.application.findFirstOrThrow({ where: { accountId } });
  const body = await new WebhookSecrets({ current: older }).sealResponse('{"a":1}');
  const row = {
    ...{ accountId, applicationId, operation: 'x', fingerprint: Buffer.alloc(32), status: 201, headers: {} },
    ...{ createdAt: at, expiresAt: new Date(at.getTime() + 1000) },
  };
  await database.prisma.idempotencyKey.createMany({
    data: [
      { ...row, key: 'secret', secretOf: 'endpoint', body },
      { ...row, key: 'other', body: 'plain' },
    ],
  });
  await resealWebhookSecrets(database, changing, at);
  const stored = await database.prisma.idempotencyKey.findMany({
    where: { accountId },
    orderBy: { key: 'asc' },
  });
  t.equal(stored[0]?.body, 'plain');
  t.equal(await new WebhookSecrets({ current: newer }).openResponse(stored[1]?.body ?? ''), '{"a":1}');
});

t.test('a secret of an unknown APP_SECRET is named, and nothing is changed', async (t) => {
  const { database, accountId, row } = await setUp(t, 'another secret of the application');
  const before = await row();
  await t.rejects(resealWebhookSecrets(database, changing, at), {
    name: 'UnreadableSecretError',
    message: new RegExp(`endpoint of account ${accountId} was encrypted with another APP_SECRET`),
  });
  t.same(await row(), before);
});
