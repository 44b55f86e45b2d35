import type { LightMyRequestResponse } from 'fastify';
import { decodeJwt } from 'jose';
import { createScene, grantCode, grantTokens, refresh, tokensOf } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;
const exchange = (form: Record<string, string>) => api.postForm('/v1/oauth/token', form);

/** Expects these scopes in the access token, in the response and in the audit event of the request. */
async function issued(
  t: Test,
  response: LightMyRequestResponse,
  type: 'token.issued' | 'token.refreshed',
  scopes: readonly string[],
): Promise<void> {
  t.equal(response.statusCode, 200, response.body);
  const { access_token, scope } = response.json();
  t.equal(decodeJwt(access_token).scope, scopes.join(' '), 'the access token');
  t.equal(scope, scopes.join(' '), 'the response');
  const requestId = String(response.headers['x-request-id']);
  const events = await database.prisma.auditEvent.findMany({ where: { requestId, type } });
  t.match(events, [{ details: { scopes } }], 'the audit event');
  t.equal(events.length, 1);
}

t.test('client credentials: the audit event names the scopes of the access token', async (t) => {
  const scopes = ['reports:read', 'user:read'];
  const { application } = await createScene(database, { clientType: 'confidential', scopes });
  const form = {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
  };
  await issued(t, await exchange(form), 'token.issued', scopes);
  await issued(t, await exchange({ ...form, scope: 'user:read' }), 'token.issued', ['user:read']);
  await issued(t, await exchange({ ...form, scope: 'user:read reports:read user:read' }), 'token.issued', [
    'user:read',
    'reports:read',
  ]);
});

t.test('code exchange: the audit event names the scopes of the access token', async (t) => {
  const scope = 'user:read reports:read';
  const owner = await createScene(database);
  const { form } = await grantCode(api, owner, { scope });
  await issued(t, await exchange(form), 'token.issued', ['user:read', 'reports:read']);

  const member = await createScene(database, { role: 'member' });
  const code = await grantCode(api, member, { scope });
  await issued(t, await exchange(code.form), 'token.issued', ['user:read']);
});

t.test('refresh: the audit event names the scopes of the access token, narrowed or not', async (t) => {
  const scene = await createScene(database);
  const granted = ['user:read', 'reports:read', 'reports:write'];
  let { refreshToken } = await grantTokens(api, scene, { scope: granted.join(' ') });
  const next = async (scope?: string) => {
    const changes: Record<string, string> = scope === undefined ? {} : { scope };
    const response = await refresh(api, scene.application, refreshToken, changes);
    ({ refreshToken } = tokensOf(response));
    return response;
  };
  await issued(t, await next('reports:read'), 'token.refreshed', ['reports:read']);
  await issued(t, await next('reports:read user:read'), 'token.refreshed', ['reports:read', 'user:read']);
  await issued(t, await next(), 'token.refreshed', granted);

  const where = { id: scene.application.id };
  await database.prisma.application.updateMany({ where, data: { scopes: ['user:read', 'reports:write'] } });
  await issued(t, await next(), 'token.refreshed', ['user:read', 'reports:write']);
  await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { role: 'member' } });
  await issued(t, await next(), 'token.refreshed', ['user:read']);
});

t.test('refreshes in one statement: each audit event names the scopes of its own token', async (t) => {
  const requested = [
    'user:read',
    'reports:read',
    undefined,
    'reports:read user:read',
    undefined,
    'user:read',
  ];
  const responses = await Promise.all(
    requested.map(async (scope) => {
      const scene = await createScene(database);
      const { refreshToken } = await grantTokens(api, scene, { scope: 'user:read reports:read' });
      return () => refresh(api, scene.application, refreshToken, scope === undefined ? {} : { scope });
    }),
  ).then((requests) => Promise.all(requests.map((request) => request())));
  for (const [index, response] of responses.entries()) {
    const scopes = (requested[index] ?? 'user:read reports:read').split(' ');
    await issued(t, response, 'token.refreshed', scopes);
  }
});
