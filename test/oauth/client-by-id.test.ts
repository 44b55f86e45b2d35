import { clientById } from '../../src/oauth/clients/client-registry.js';
import { openTestDatabase } from '../support/database/database.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const find = clientById(database);

/** Reads the client with the models. */
async function expectedClient(clientId: string) {
  const {
    generation,
    createdById,
    createdAt,
    updatedAt,
    secrets,
    inDevelopment,
    requireProofOfPossession,
    requirePushedRequests,
    backchannelLogoutUri,
    account,
    shared,
    ...stored
  } = await database.prisma.application.findUniqueOrThrow({
    where: { clientId },
    include: { secrets: { orderBy: { id: 'asc' } }, account: true, shared: true },
  });
  const { installedClientId, requestedScopes, readableAttributes, suspendedAt, ...others } = stored;
  const { postLogoutRedirectUris, ...application } = others;
  const development = account.developmentAllowed ? 'development' : 'forbidden';
  return {
    ...application,
    requires: Number(requireProofOfPossession) + 2 * Number(requirePushedRequests),
    tokenGeneration: generation,
    stage: inDevelopment ? development : 'live',
    shared: shared.length > 0,
    secrets: secrets.map(({ id, secretHash, expiresAt }) => ({
      id,
      hash: Buffer.from(secretHash).toString('base64'),
      ...(expiresAt !== null && { expiresAt: expiresAt.getTime() }),
    })),
  };
}

t.test('finds the clients that the models read, of many accounts at once', async (t) => {
  const tenants = await Promise.all(Array.from({ length: 4 }, () => createTenant(database)));
  const { accountId: id } = tenants[0] ?? {};
  await database.prisma.account.updateMany({
    where: { id: String(id) },
    data: { developmentAllowed: false },
  });
  const clients = await Promise.all(
    tenants.flatMap(({ accountId, application }) => [
      application,
      createApplication(database, accountId, {
        clientType: 'public',
        redirectUris: ['https://a.example/b?c="'],
      }),
      createApplication(database, accountId, { redirectUris: ['http://localhost/'] }),
      createApplication(database, accountId, { name: 'Zoë "Z" \\ 🏳️‍🌈', scopes: [] }),
    ]),
  );
  const expiresAt = new Date('2027-03-04T09:00:00.123Z');
  const where = { applicationId: String(tenants[1]?.application.id) };
  await database.prisma.applicationSecret.updateMany({ where, data: { expiresAt } });
  const found = await Promise.all(clients.map(({ clientId }) => find(clientId)));
  for (const [index, { clientId }] of clients.entries()) {
    t.same(JSON.parse(found[index] ?? 'null'), await expectedClient(clientId));
  }
});

t.test('finds no client for text that is not a client_id', async (t) => {
  const { accountId, application } = await createTenant(database);
  const texts = [
    '',
    'unknown',
    accountId,
    application.id,
    `${application.clientId} `,
    "' OR 1=1 --",
    '{}',
    'null',
  ];
  t.same(
    await Promise.all(texts.map((text) => find(text))),
    texts.map(() => null),
  );
});
