import { tokenOwner } from '../../src/oauth/tokens/token-status.js';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { randomId } from '../../src/platform/database/ids.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, type Scene } from '../support/oauth/users.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const find = tokenOwner(database);
const scenes = await Promise.all(Array.from({ length: 5 }, () => createScene(database)));

async function createGrant({ accountId, application, user }: Scene, revokedAt: Date | null = null) {
  const id = randomId();
  await prisma.grant.create({
    data: {
      id,
      accountId,
      applicationId: application.id,
      userId: user.id,
      scopes: ['user:read', 'reports:read'],
      revokedAt,
    },
  });
  return id;
}

/** Reads the owner with the models. */
async function expectedOwner({ application }: Scene, grantId: string | null) {
  const stored = await prisma.application.findUniqueOrThrow({ where: { clientId: application.clientId } });
  const grant = grantId === null ? null : await prisma.grant.findFirstOrThrow({ where: { id: grantId } });
  const user = grant === null ? null : await prisma.user.findFirstOrThrow({ where: { id: grant.userId } });
  return {
    accountId: stored.accountId,
    applicationId: stored.id,
    user: user && { id: user.id, role: user.role },
    availableScopes: grant?.scopes.filter((scope) => stored.scopes.includes(scope)) ?? stored.scopes,
    access: {
      restricted: restrictableAttributes.filter((name) => !stored.readableAttributes.includes(name)),
      custom: [],
      keys: '',
    },
    generation: stored.generation,
  };
}

t.test('finds the owners that the models read, of many tokens at once', async (t) => {
  const tokens = await Promise.all(
    scenes.flatMap((scene) => [
      { scene, grantId: null },
      createGrant(scene).then((grantId) => ({ scene, grantId })),
    ]),
  );
  const found = await Promise.all(
    tokens.map(({ scene, grantId }) =>
      find({ tokenId: randomId(), clientId: scene.application.clientId, installation: null, grantId }),
    ),
  );
  for (const [index, { scene, grantId }] of tokens.entries()) {
    t.same(found[index], await expectedOwner(scene, grantId));
  }
});

t.test('a scope that the application or the grant has lost is not available', async (t) => {
  const scene = await createScene(database);
  const grantId = await createGrant(scene);
  const key = { tokenId: randomId(), clientId: scene.application.clientId, installation: null, grantId };
  const where = { id: scene.application.id };
  await prisma.application.updateMany({ where, data: { scopes: ['webhooks:read', 'reports:read'] } });
  t.same((await find(key))?.availableScopes, ['reports:read']);
  await prisma.grant.updateMany({ where: { id: grantId }, data: { scopes: ['user:read'] } });
  t.same((await find(key))?.availableScopes, []);
});

t.test(
  'finds no owner of a token that is revoked, or whose grant, client or user is not available',
  async (t) => {
    const [scene, other] = scenes as [Scene, Scene];
    const disabled = await createScene(database);
    await prisma.user.updateMany({ where: { id: disabled.user.id }, data: { disabledAt: new Date() } });
    const revoked = randomId();
    await prisma.revokedAccessToken.create({
      data: { jti: revoked, accountId: scene.accountId, expiresAt: new Date(Date.now() + 3_600_000) },
    });
    const { clientId } = scene.application;
    const tokens = {
      'a revoked token': { tokenId: revoked, clientId, grantId: null },
      'an unknown client': { tokenId: randomId(), clientId: 'unknown', grantId: null },
      'an unknown grant': { tokenId: randomId(), clientId, grantId: 'unknown' },
      'a revoked grant': { tokenId: randomId(), clientId, grantId: await createGrant(scene, new Date()) },
      'a grant of another account': { tokenId: randomId(), clientId, grantId: await createGrant(other) },
      'a disabled user': {
        tokenId: randomId(),
        clientId: disabled.application.clientId,
        grantId: await createGrant(disabled),
      },
    };
    const found = await Promise.all(
      Object.values(tokens).map((token) => find({ installation: null, ...token })),
    );
    for (const [index, name] of Object.keys(tokens).entries()) t.equal(found[index], null, name);
  },
);
