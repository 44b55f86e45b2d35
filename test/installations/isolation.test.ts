import { UsageReader } from '../../src/features/usage/usage-reader.js';
import { toAccountId } from '../../src/platform/accounts/account-id.js';
import { approve, installedScene, publishedScene } from '../support/oauth/installations.js';
import {
  authorizationRequest,
  grantTokens,
  refresh,
  revoke,
  type Scene,
  signedInBrowser,
  tokensOf,
} from '../support/oauth/users.js';
import { sendJson } from '../support/records/send-json.js';
import { ever } from '../support/records/usage.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';
import { startReceiver } from '../support/webhooks/receiver.js';
import { createWorker } from '../support/webhooks/scene.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const { prisma } = database;
const reader = new UsageReader(database);

const scope = 'reports:read reports:write user:read webhooks:read webhooks:write';

/** A publisher, and two accounts with tokens of its application. */
async function setUp(name = 'Bridge') {
  const publisher = await publishedScene(api, { clientType: 'confidential', name });
  const [scene, neighbor] = [await installedScene(api, publisher), await installedScene(api, publisher)];
  const tokens = await grantTokens(api, scene, { scope });
  return { publisher, scene, neighbor, tokens };
}

async function callsOf({ accountId, application: { id } }: Scene): Promise<Record<string, number>> {
  await api.usage.flush();
  const usage = await reader.usageByOperationOf(accountId, id, ever);
  return Object.fromEntries(usage.map(({ operation, calls }) => [operation, calls]));
}

async function rejectionsOf({ accountId, application: { id } }: Scene): Promise<string[]> {
  await api.usage.flush();
  return (await reader.rejectedRequestsOf(accountId, id)).map(({ requestId }) => requestId);
}

t.test('the calls of an installation are counted in its account only', async (t) => {
  const { publisher, scene, neighbor, tokens } = await setUp();
  const id = { 'x-request-id': `of-${scene.accountId}` };
  await api.get('/v1/employees', tokens.accessToken);
  await api.get('/v1/employees/unknown', tokens.accessToken, id);
  clock.advanceSeconds(1);
  const { refreshToken } = tokensOf(await refresh(api, scene.application, tokens.refreshToken));
  const secret = { client_secret: scene.application.clientSecret };
  await revoke(api, scene.application, refreshToken, secret);
  await api.get('/v1/employees', tokens.accessToken, { 'x-request-id': `revoked-${scene.accountId}` });
  t.same(await callsOf(scene), { createToken: 2, getEmployee: 1, listEmployees: 2, revokeToken: 1 });
  t.same((await rejectionsOf(scene)).toSorted(), [`of-${scene.accountId}`, `revoked-${scene.accountId}`]);
  for (const other of [publisher, neighbor]) {
    t.same(await callsOf(other), {});
    t.same(await rejectionsOf(other), []);
  }
});

t.test('a rejected refresh of a suspended installation is recorded in its account only', async (t) => {
  const { publisher, scene, neighbor, tokens } = await setUp();
  await prisma.application.update({
    where: { accountId_id: { accountId: scene.accountId, id: scene.application.id } },
    data: { suspendedAt: clock() },
  });
  t.equal((await refresh(api, scene.application, tokens.refreshToken)).statusCode, 401);
  t.equal((await rejectionsOf(scene)).length, 1);
  for (const other of [publisher, neighbor]) t.same(await rejectionsOf(other), []);
});

t.test('an expired token of an installation is a rejected request of its account only', async (t) => {
  const { publisher, scene, neighbor, tokens } = await setUp();
  clock.advanceSeconds(api.config.accessTokenTtlSeconds);
  t.equal((await api.get('/v1/employees', tokens.accessToken)).json().code, 'token_expired');
  t.equal((await rejectionsOf(scene)).length, 1);
  for (const other of [publisher, neighbor]) t.same(await rejectionsOf(other), []);
});

t.test('each installation has its own limit of requests, and so has the publisher', async (t) => {
  const limited = await buildTestApp(t, {
    database,
    clock,
    environment: { RATE_LIMIT_API: '2', RATE_LIMIT_FAILURES: '0' },
  });
  const { publisher, neighbor, tokens } = await setUp();
  const theirs = await grantTokens(api, neighbor, { scope });
  const statuses = async (token: string) => {
    const responses = [];
    for (let count = 0; count < 3; count += 1)
      responses.push((await limited.get('/v1/employees', token)).statusCode);
    return responses;
  };
  const expected = [200, 200, 429];
  t.same(await statuses(tokens.accessToken), expected);
  t.same(await statuses(theirs.accessToken), expected);
  t.same(await statuses(await api.token(publisher.application)), expected);
});

t.test('webhook endpoints of an installation belong to its account only', async (t) => {
  const { publisher, neighbor, tokens } = await setUp();
  const theirs = await grantTokens(api, neighbor, { scope });
  const own = await api.token(publisher.application);
  const url = '/v1/webhook_endpoints';
  const body = { url: 'https://partner.example/hook' };
  const created = await sendJson(api, { url, token: tokens.accessToken, body });
  t.equal(created.statusCode, 201, created.body);
  const { id } = created.json().data;
  for (const token of [theirs.accessToken, own]) {
    const path = `${url}/${id}`;
    t.equal((await sendJson(api, { method: 'GET', url: path, token })).statusCode, 404);
    t.equal((await sendJson(api, { method: 'DELETE', url: path, token })).statusCode, 404);
    const listed = await sendJson(api, { method: 'GET', url, token });
    t.same(listed.json().data, []);
  }
  t.equal((await api.get(`${url}/${id}`, tokens.accessToken)).statusCode, 200);
});

t.test('events name an installation by its public client id, and are of its account only', async (t) => {
  const { publisher, scene, neighbor, tokens } = await setUp();
  const theirs = await grantTokens(api, neighbor, { scope });
  const own = await api.token(publisher.application);
  const created = await sendJson(api, {
    url: '/v1/reports',
    token: tokens.accessToken,
    body: { title: 'Headcount' },
  });
  t.equal(created.statusCode, 201, created.body);
  const { clientId } = publisher.application;
  const events = await api.get('/v1/events', tokens.accessToken);
  const ofReports = events.json().data.filter(({ type }: { type: string }) => type === 'report.created');
  t.match(ofReports, [{ actor: { client_id: clientId, user_id: scene.user.id } }]);
  t.notMatch(events.body, scene.internalId);
  const [{ id }] = ofReports;
  const event = await api.get(`/v1/events/${id}`, tokens.accessToken);
  t.equal(event.json().data.actor.client_id, clientId);
  t.notMatch(event.body, scene.internalId);
  for (const token of [theirs.accessToken, own]) {
    const seen = await api.get('/v1/events', token);
    t.equal(seen.statusCode, 200);
    for (const text of [id, clientId, scene.user.id]) t.notMatch(seen.body, text);
    t.equal((await api.get(`/v1/events/${id}`, token)).statusCode, 404);
  }
});

t.test('delivered events and tests of an installation have the public client id', async (t) => {
  clock.advanceSeconds((Date.now() - clock().getTime()) / 1000);
  const { publisher, scene, tokens } = await setUp();
  const receiver = await startReceiver(t);
  const { run } = createWorker(t, api);
  const url = '/v1/webhook_endpoints';
  const token = tokens.accessToken;
  const created = await sendJson(api, { url, token, body: { url: receiver.url } });
  t.equal(created.statusCode, 201, created.body);
  const { id } = created.json().data;
  await sendJson(api, { url: '/v1/reports', token, body: { title: 'Headcount' } });
  await run();
  const tested = await sendJson(api, { url: `${url}/${id}/test_deliveries`, token });
  t.equal(tested.statusCode, 201, tested.body);
  const bodies = receiver.received.map(({ text }) => text);
  t.equal(bodies.length, 2);
  for (const body of bodies) {
    t.match(body, publisher.application.clientId);
    t.notMatch(body, scene.internalId);
  }
  await prisma.webhookEndpoint.deleteMany();
});

t.test('the internal client id is in no response and on no page', async (t) => {
  const { publisher, scene, tokens } = await setUp();
  await sendJson(api, { url: '/v1/reports', token: tokens.accessToken, body: { title: 'Headcount' } });
  const { id } = scene.application;
  for (const path of ['/v1/reports', '/v1/events', '/v1/webhook_endpoints'])
    t.notMatch((await api.get(path, tokens.accessToken)).body, scene.internalId, path);
  const browser = await signedInBrowser(api, scene.user);
  for (const path of [
    '/people/settings/oauth_applications',
    `/people/settings/oauth_applications/${id}`,
    '/people/settings/connected_applications',
    '/people/settings/audit_log',
    authorizationRequest(scene).url,
  ]) {
    const page = await browser.open(path);
    t.equal(page.statusCode, 200, path);
    t.notMatch(page.body, scene.internalId, path);
  }
  const events = await prisma.auditEvent.findMany({ where: { accountId: scene.accountId } });
  t.ok(events.length > 0);
  t.notMatch(JSON.stringify(events), scene.internalId);
  t.match(JSON.stringify(events), publisher.application.clientId);
});

t.test('the audit trail of an account is not visible to the publisher or to other accounts', async (t) => {
  const { publisher, scene, neighbor, tokens } = await setUp();
  tokensOf(await refresh(api, scene.application, tokens.refreshToken));
  await approve(api, publisher.application.clientId, scene.owner, ['user:read']);
  const typesOf = async (accountId: string) =>
    (await prisma.auditEvent.findMany({ where: { accountId } })).map(({ type }) => type).toSorted();
  t.same(await typesOf(scene.accountId), [
    'application.approved',
    'application.approved',
    'token.issued',
    'token.refreshed',
  ]);
  t.same(await typesOf(neighbor.accountId), ['application.approved']);
  t.same(await typesOf(publisher.accountId), ['application.published']);
  for (const { user, accountId } of [publisher, neighbor]) {
    const page = await (await signedInBrowser(api, user)).open('/people/settings/audit_log');
    t.equal(page.statusCode, 200);
    t.notMatch(page.body, scene.application.id);
    t.notMatch(page.body, scene.user.email);
    t.not(toAccountId(accountId), scene.accountId);
  }
});

t.test('pages of the publisher do not show which accounts use the application', async (t) => {
  const { publisher, scene, tokens } = await setUp();
  await api.get('/v1/employees', tokens.accessToken);
  await api.usage.flush();
  const { name } = await prisma.account.findUniqueOrThrow({ where: { id: scene.accountId } });
  const browser = await signedInBrowser(api, publisher.user);
  const path = `/people/settings/oauth_applications/${publisher.application.id}`;
  for (const address of ['/people/settings/oauth_applications', path, `${path}/usage`]) {
    const page = await browser.open(address);
    t.equal(page.statusCode, 200, address);
    for (const text of [name, scene.accountId, scene.user.email]) t.notMatch(page.body, text, address);
  }
  const foreign = await browser.open(`/people/settings/oauth_applications/${scene.application.id}`);
  t.equal(foreign.statusCode, 404);
});
