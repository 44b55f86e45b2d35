import type { LightMyRequestResponse } from 'fastify';
import { randomId } from '../../src/platform/database/ids.js';
import { openSharedTestDatabase, testServer } from '../support/database/database.js';
import { openTransaction, untilWaiting } from '../support/database/transaction.js';
import {
  authorizationRequest,
  createScene,
  expectOAuthError,
  grantCode,
  grantTokens,
  refresh,
  revoke,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

/** A concurrent deletion needs another connection, which the embedded database does not have. */
const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

const { database, options } = await openSharedTestDatabase(t);
const api = await buildTestApp(t, { database });

/** Sends a request whose application is deleted after it has authenticated. */
async function whileDeleted(
  t: Test,
  { application }: Scene,
  request: () => Promise<LightMyRequestResponse>,
): Promise<LightMyRequestResponse> {
  const deletion = await openTransaction(t, options);
  await deletion.query('DELETE FROM applications WHERE id = $1', [application.id]);
  const response = request();
  await untilWaiting(database, 1);
  await deletion.end('COMMIT');
  return response;
}

t.test('a code of an application that is being deleted issues no tokens', onPostgresql, async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const response = await whileDeleted(t, scene, () => api.postForm('/v1/oauth/token', form));
  expectOAuthError(t, response, 'invalid_grant');
  t.equal(await database.prisma.grant.count({ where: { accountId: scene.accountId } }), 0);
});

t.test(
  'a refresh token of an application that is being deleted issues no tokens',
  onPostgresql,
  async (t) => {
    const scene = await createScene(database);
    const { refreshToken } = await grantTokens(api, scene);
    const response = await whileDeleted(t, scene, () => refresh(api, scene.application, refreshToken));
    expectOAuthError(t, response, 'invalid_grant');
  },
);

t.test('a refresh token of an application that is being deleted is revoked', onPostgresql, async (t) => {
  const scene = await createScene(database);
  const { refreshToken } = await grantTokens(api, scene);
  const response = await whileDeleted(t, scene, () => revoke(api, scene.application, refreshToken));
  t.equal(response.statusCode, 200);
});

t.test(
  'consent to an application that is being deleted is 401 without a redirect',
  onPostgresql,
  async (t) => {
    const scene = await createScene(database);
    const browser = await signedInBrowser(api, scene.user);
    const { url } = authorizationRequest(scene);
    const page = await browser.open(url);
    const response = await whileDeleted(t, scene, () => browser.submitForm(page, url, { decision: 'allow' }));
    t.equal(response.statusCode, 401);
    t.notOk('location' in response.headers);
    const events = { where: { applicationId: scene.application.id, type: 'consent.allowed' } };
    t.equal(await database.prisma.auditEvent.count(events), 0);
  },
);

t.test('a report of an application that is being deleted is not created', onPostgresql, async (t) => {
  for (const key of [{}, { 'idempotency-key': 'a key' }]) {
    const scene = await createScene(database);
    const { accessToken } = await grantTokens(api, scene, { scope: 'reports:write' });
    const send = () =>
      api.app.inject({
        method: 'POST',
        url: '/v1/reports',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...key },
        payload: '{"title":"Headcount"}',
      });
    const response = await whileDeleted(t, scene, send);
    t.equal(response.statusCode, 401, response.body);
    t.equal((await send()).statusCode, 401);
    t.equal(await database.prisma.report.count({ where: { accountId: scene.accountId } }), 0);
  }
});

t.test('a disconnection from an application that is being deleted is not found', onPostgresql, async (t) => {
  const scene = await createScene(database);
  await grantTokens(api, scene);
  const browser = await signedInBrowser(api, scene.user);
  const path = `/people/settings/connected_applications/${scene.application.id}/disconnect`;
  const page = await browser.open(path);
  const response = await whileDeleted(t, scene, () => browser.submitForm(page, path, {}));
  t.equal(response.statusCode, 404);
});

t.test(
  'a user signs out while an application to notify is being deleted, which is not notified',
  onPostgresql,
  async (t) => {
    const scene = await createScene(database);
    const { accountId, application, user } = scene;
    const { prisma } = database;
    await prisma.application.updateMany({
      where: { id: application.id },
      data: { backchannelLogoutUri: 'https://client.example/logout' },
    });
    const browser = await signedInBrowser(api, user);
    const { sid } = await prisma.session.findFirstOrThrow({ where: { userId: user.id } });
    await prisma.grant.create({
      data: { id: randomId(), accountId, applicationId: application.id, userId: user.id, sid },
    });
    const page = await browser.open('/people');
    const response = await whileDeleted(t, scene, () => browser.submitForm(page, '/sign_out', {}));
    t.equal(response.statusCode, 303);
    t.equal(await prisma.session.count({ where: { userId: user.id } }), 0);
    t.equal(await prisma.logoutNotice.count({ where: { accountId } }), 0);
  },
);
