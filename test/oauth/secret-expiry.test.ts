import type { LightMyRequestResponse } from 'fastify';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const other = await buildTestApp(t, {
  ...{ database, clock },
  environment: { RATE_LIMIT_FAILURES: '0' },
});

/** Sets the expiry of the secrets of an application. */
async function expireAt(applicationId: string, expiresAt: Date): Promise<void> {
  await database.prisma.applicationSecret.updateMany({ where: { applicationId }, data: { expiresAt } });
}

const inSeconds = (seconds: number) => new Date(clock().getTime() + seconds * 1000);

/** A response without what differs between requests. */
function comparable({ statusCode, json }: LightMyRequestResponse): unknown {
  const { request_id: _, ...body } = json();
  return { statusCode, body };
}

t.test(
  'a secret is valid a second before it expires and rejected at its expiry, in every process',
  async (t) => {
    const { accountId } = await createTenant(database);
    const { id, clientId, clientSecret } = await createApplication(database, accountId);
    await expireAt(id, inSeconds(3600));
    const grant = { grant_type: 'client_credentials', client_id: clientId };
    const tokenOf = (server: TestApp, client_secret: string) =>
      server.postForm('/v1/oauth/token', { ...grant, client_secret });
    const { access_token: token = '' } = (await tokenOf(api, clientSecret)).json();
    clock.advanceSeconds(3599);
    // Both processes have the application in their caches.
    for (const server of [api, other]) t.equal((await tokenOf(server, clientSecret)).statusCode, 200);
    clock.advanceSeconds(1);
    const paths = ['/v1/oauth/token', '/v1/oauth/introspect', '/v1/oauth/revoke'];
    for (const server of [api, other]) {
      for (const path of paths) {
        const form = path === paths[0] ? grant : { client_id: clientId, token };
        const expired = await server.postForm(path, { ...form, client_secret: clientSecret });
        const wrong = await server.postForm(path, { ...form, client_secret: `${clientSecret}x` });
        t.match(comparable(expired), { statusCode: 401, body: { code: 'invalid_client' } }, path);
        t.same(comparable(expired), comparable(wrong), `${path}: as a wrong secret`);
      }
    }
  },
);

t.test('an expired secret is rejected by HTTP Basic, with the challenge of a wrong one', async (t) => {
  const { accountId } = await createTenant(database);
  const { id, clientId, clientSecret } = await createApplication(database, accountId);
  await expireAt(id, inSeconds(0));
  const send = (secret: string) =>
    api.postForm(
      '/v1/oauth/token',
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
    );
  const [expired, wrong] = [await send(clientSecret), await send('wrong')];
  t.same(comparable(expired), comparable(wrong));
  t.equal(expired.statusCode, 401);
  t.equal(expired.headers['www-authenticate'], wrong.headers['www-authenticate']);
});

t.test('a refresh with an expired secret is rejected, also when the secret is optional', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { id, clientId, clientSecret } = scene.application;
  const { refreshToken } = await grantTokens(api, scene);
  await expireAt(id, inSeconds(0));
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  const rejected = await api.postForm('/v1/oauth/token', { ...form, client_secret: clientSecret });
  t.match(comparable(rejected), { statusCode: 401, body: { code: 'invalid_client' } });
});

t.test('the other secret of an application stays valid when one expires', async (t) => {
  const { accountId } = await createTenant(database);
  const { id, clientId, clientSecret } = await createApplication(database, accountId);
  const [secret] = await database.prisma.applicationSecret.findMany({ where: { applicationId: id } });
  const later = await createApplication(database, accountId);
  await database.prisma.applicationSecret.updateMany({
    where: { applicationId: later.id },
    data: { applicationId: id, expiresAt: inSeconds(0) },
  });
  const grant = { grant_type: 'client_credentials', client_id: clientId };
  const statusOf = async (client_secret: string) =>
    (await api.postForm('/v1/oauth/token', { ...grant, client_secret })).statusCode;
  t.equal(secret?.expiresAt, null);
  t.equal(await statusOf(later.clientSecret), 401);
  t.equal(await statusOf(clientSecret), 200);
});
