import {
  createProviderSeal,
  resealProviderSecrets,
} from '../../src/features/single-sign-on/provider-secrets.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { clientSecret } from '../support/single-sign-on/fake-provider.js';
import { createSignOnScene, person, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const older = 'the older secret of the application';
const newer = 'the newer secret of the application';
const changing = { current: newer, previous: older };
const environment = { RATE_LIMIT_FAILURES: '0' };

t.test('single sign-on works in each step of a change of APP_SECRET', async (t) => {
  const database = await openTestDatabase(t);
  const build = (appSecrets: { current: string; previous?: string }) =>
    buildTestApp(t, { database, environment, appSecrets });
  const first = await build({ current: newer });
  const scene = await createSignOnScene(t, first);
  const where = { accountId: scene.accountId };
  const sealedSecret = await createProviderSeal({ current: older }).seal(clientSecret);
  await database.prisma.identityProvider.updateMany({ where, data: { sealedSecret } });
  const during = await build(changing);
  const started = await start(during, scene);
  t.equal((await started.return(person(`grace@${scene.domain}`))).statusCode, 303);

  t.equal(await resealProviderSecrets(database, changing, during.clock()), 1);
  t.equal(await resealProviderSecrets(database, changing, during.clock()), 0, 'it may be repeated');
  t.ok(await start(await build({ current: newer }), scene), 'without the older secret');
  const events = await database.prisma.auditEvent.findMany({
    where: { ...where, type: 'identity_provider.resealed' },
  });
  t.equal(events.length, 1);
});

t.test('a secret of an unknown APP_SECRET is named, and nothing is changed', async (t) => {
  const database = await openTestDatabase(t);
  const [one, two] = [await createScene(database), await createScene(database)];
  for (const [{ accountId }, secret] of [
    [one, older],
    [two, 'another secret of the application'],
  ] as const) {
    const sealedSecret = await createProviderSeal({ current: secret }).seal(clientSecret);
    const data = { accountId, issuer: 'https://login.example', clientId: 'people', sealedSecret };
    await database.prisma.identityProvider.create({ data });
  }
  const rows = () => database.prisma.identityProvider.findMany({ orderBy: { accountId: 'asc' } });
  const before = await rows();
  await t.rejects(resealProviderSecrets(database, changing, new Date()), {
    name: 'UnreadableSecretError',
    message: new RegExp(`account ${two.accountId} was encrypted with another APP_SECRET`),
  });
  t.same(await rows(), before);
});
