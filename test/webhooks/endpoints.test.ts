import { demoAccounts } from '../../src/features/demo-data/accounts.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { holdTimers } from '../support/server/timers.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';
import { answers, startReceiver, verify } from '../support/webhooks/receiver.js';
import { webhookScene } from '../support/webhooks/scene.js';

const clock = createTestClock(new Date());
const api = await buildTestApp(t, { clock });
const url = 'https://hooks.partner.example/events';

t.test('creates, lists, gets, updates and deletes endpoints; the secret is shown once', async (t) => {
  const { accountId, token, get, post, addEmployees } = await webhookScene(api);
  await addEmployees(2);
  const created = await post('', { url, description: 'Doors', event_types: ['employee.deleted'] });
  t.equal(created.statusCode, 201);
  t.equal(created.headers['cache-control'], 'no-store');
  const { data, meta } = created.json();
  t.match(created.headers.location, new RegExp(`/v1/webhook_endpoints/${data.id}$`));
  t.match(meta.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.match(data.attributes, {
    ...{ url, description: 'Doors', event_types: ['employee.deleted'], status: 'enabled' },
    last_event_id: `evt_${accountId}_00000002`,
  });
  t.same((await get(`/${data.id}`)).json(), { data });
  t.same((await get()).json(), { data: [data], meta: { record_count: 1 } });
  const patch = (body: object) =>
    sendJson(api, { method: 'PATCH', url: `/v1/webhook_endpoints/${data.id}`, token, body });
  const changed = (await patch({ description: null, event_types: [] })).json().data.attributes;
  t.match(changed, { url, description: null, event_types: [] });
  const stored = await api.database.prisma.webhookEndpoint.findFirstOrThrow({ where: { accountId } });
  t.notMatch(JSON.stringify({ ...stored, position: '', attempts: '' }), meta.secret.slice(6, 20));
  const gone = await sendJson(api, { method: 'DELETE', url: `/v1/webhook_endpoints/${data.id}`, token });
  t.equal(gone.statusCode, 204);
  t.equal((await get(`/${data.id}`)).statusCode, 404);
  const events = await api.database.prisma.auditEvent.findMany({
    where: { accountId, type: { startsWith: 'webhook_endpoint.' } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  t.same(events.map(({ type }) => type).sort(), [
    'webhook_endpoint.created',
    'webhook_endpoint.deleted',
    'webhook_endpoint.updated',
  ]);
  t.notMatch(JSON.stringify(events), meta.secret.slice(6, 20));
});

t.test('rejects an endpoint of a public application, and stores none', async (t) => {
  const scene = await createScene(api.database, { clientType: 'public' });
  const { accessToken: token } = await grantTokens(api, scene, { scope: 'webhooks:write reports:read' });
  const response = await sendJson(api, { url: '/v1/webhook_endpoints', token, body: { url } });
  t.equal(response.statusCode, 403);
  t.equal(response.json().code, 'confidential_application_required');
  const { accountId } = scene;
  t.equal(await api.database.prisma.webhookEndpoint.count({ where: { accountId } }), 0);
});

t.test(
  'rejects URLs that are not https, not on an allowed port, or not public, and names the member',
  async (t) => {
    const { post } = await webhookScene(api);
    // test/webhooks/addresses.test.ts has all notations of private hosts.
    const rejected = [
      ...['http://partner.example/', 'ftp://partner.example/', 'partner.example', '/events', 'https://', ''],
      ...['https://partner.example:80/', 'https://partner.example:444/', 'https://partner.example:8442/'],
      ...['https://user@partner.example/', 'https://partner.example/#fragment', 'https://intranet/'],
      ...['https://localhost/', 'http://localhost.:8080/', 'http://127.0.0.1:8080/', 'https://0x7f.1/'],
      ...['https://[::ffff:127.0.0.1]/', 'https://169.254.169.254/latest/meta-data/', 'https://10.0.0.1/'],
      `https://partner.example/${'x'.repeat(2050)}`,
    ];
    for (const value of rejected) {
      const response = await post('', { url: value });
      t.match(
        response.json(),
        { status: 400, code: 'invalid_request', errors: [{ pointer: '/url' }] },
        value,
      );
    }
    const accepted = [
      'https://partner.example:443/',
      'https://partner.example:8443/x?y=z',
      'http://localhost:1/',
    ];
    for (const value of accepted) t.equal((await post('', { url: value })).statusCode, 201, value);
  },
);

t.test('production accepts no http://localhost', async (t) => {
  const production = await buildTestApp(t, {
    clock,
    environment: {
      NODE_ENV: 'production',
      BASE_URL: 'https://api.test',
      APP_SECRET: 'x'.repeat(43),
      METRICS_TOKEN: '',
    },
  });
  const { post } = await webhookScene(production);
  const response = await post('', { url: 'http://localhost:8080/' });
  t.equal(response.statusCode, 400);
});

t.test(
  'an application sees only its own endpoints; other and unknown ids get the same response',
  async (t) => {
    const scene = await webhookScene(api);
    const { id } = await scene.create({ url });
    const sibling = await createApplication(api.database, scene.accountId);
    const strangers = [await api.token(sibling), (await webhookScene(api)).token];
    const calls: ['GET' | 'POST' | 'PATCH' | 'DELETE', string, object?][] = [
      ['GET', ''],
      ['GET', '/deliveries'],
      ['PATCH', '', { description: 'x' }],
      ['POST', '/secrets'],
      ['POST', '/test_deliveries'],
      ['POST', '/resumptions', {}],
      ['DELETE', ''],
    ];
    for (const token of strangers) {
      t.same((await api.get('/v1/webhook_endpoints', token)).json().data, []);
      for (const [method, path, body] of calls) {
        const send = (endpoint: string) =>
          api.app.inject({
            method,
            url: `/v1/webhook_endpoints/${endpoint}${path}`,
            headers: { authorization: `Bearer ${token}` },
            ...(body && { payload: body }),
          });
        const [known, unknown] = [await send(id), await send('unknown')];
        t.equal(known.statusCode, 404, `${method} ${path}`);
        const strip = (response: typeof known) => ({ ...response.json(), instance: '', request_id: '' });
        t.same(strip(known), strip(unknown));
      }
    }
    t.equal((await scene.get(`/${id}`)).statusCode, 200, 'nothing has changed');
  },
);

t.test(
  'requires the webhook scopes, a confidential application, and reports:read or employees:read',
  async (t) => {
    const { accountId } = await webhookScene(api);
    const post = async (scopes: string[]) => {
      const application = await createApplication(api.database, accountId, { scopes });
      const token = await api.token(application);
      return (await sendJson(api, { url: '/v1/webhook_endpoints', token, body: { url } })).json();
    };
    t.match(await post(['reports:read', 'webhooks:read']), { code: 'insufficient_scope' });
    t.match(await post(['webhooks:write']), { code: 'insufficient_scope' });
    t.match(await post(['employees:read', 'webhooks:read']), { code: 'insufficient_scope' });
    t.ok((await post(['reports:read', 'webhooks:write'])).data);
    t.ok((await post(['employees:read', 'webhooks:write'])).data);
    for (const { applications } of demoAccounts)
      for (const { scopes } of applications)
        t.notMatch(scopes.join(), /webhooks/, 'demo applications do not have the scopes');
  },
);

t.test('an application has at most 20 endpoints, also when they are created concurrently', async (t) => {
  const { post, get } = await webhookScene(api);
  const responses = await Promise.all(Array.from({ length: 25 }, () => post('', { url })));
  t.same(
    responses.map(({ statusCode }) => statusCode).sort(),
    Array.from({ length: 25 }, (_, index) => (index < 20 ? 201 : 409)),
  );
  t.match(responses.find(({ statusCode }) => statusCode === 409)?.json(), { code: 'quota_exceeded' });
  t.equal((await get()).json().data.length, 20);
});

t.test('a test delivery sends one event at once and returns the outcome', async (t) => {
  const { post, create, get } = await webhookScene(api);
  const receiver = await startReceiver(t);
  const { id, secret } = await create({ url: receiver.url });
  const response = await post(`/${id}/test_deliveries`);
  t.equal(response.statusCode, 201);
  t.match(response.json().data.attributes, {
    ...{ response_status: 200, response_body: 'thanks', error: null, event_count: 1, last_event_id: null },
  });
  const [delivery] = receiver.received;
  t.equal(delivery?.body.data[0]?.type, 'webhook_endpoint.test');
  if (delivery !== undefined) t.doesNotThrow(() => verify(secret, delivery));
  const unreachable = await create({ url: 'http://localhost:1/' });
  const failed = (await post(`/${unreachable.id}/test_deliveries`)).json().data;
  t.match(failed.attributes, { response_status: null, error: 'The connection was refused' });
  t.same((await get(`/${unreachable.id}/deliveries`)).json().data, [failed]);
});

t.test('resumes after a cursor of the account that is not expired', async (t) => {
  const { accountId, create, post, addEmployees } = await webhookScene(api);
  const other = await webhookScene(api);
  await addEmployees(5);
  const { id } = await create({ url });
  const resume = (after: string) => post(`/${id}/resumptions`, { after });
  const cursor = (position: number) => `evt_${accountId}_0000000${position}`;
  t.equal((await resume(cursor(2))).json().data.attributes.last_event_id, cursor(2));
  for (const value of [cursor(6), `evt_${other.accountId}_00000000`, 'x', '']) {
    const response = await resume(value);
    t.match(response.json(), { status: 400, errors: [{ pointer: '/after' }] }, value);
  }
  await api.database.prisma.event.deleteMany({ where: { accountId, position: { lte: 3 } } });
  t.match((await resume(cursor(1))).json(), { status: 410, code: 'events_expired' });
  t.equal((await resume(cursor(3))).statusCode, 201);
});

t.test('tests of an account whose endpoints do not respond delay no other account', async (t) => {
  const limited = await buildTestApp(t, { clock, requestQueueLimits: { running: 8, waitMs: 60_000 } });
  const [scene, other] = [await webhookScene(limited), await webhookScene(limited)];
  const receiver = await startReceiver(t);
  const releases: (() => void)[] = [];
  receiver.answer = (response) => releases.push(() => response.end());
  const { id } = await scene.create({ url: receiver.url });
  holdTimers(t);
  const tests = Array.from({ length: 10 }, () => scene.post(`/${id}/test_deliveries`));
  await until(() => releases.length >= 5);
  t.equal((await other.get()).statusCode, 200);
  t.equal(releases.length, 5, 'the others of the account are queued');
  receiver.answer = answers.ok;
  for (const release of releases) release();
  for (const response of await Promise.all(tests)) t.equal(response.statusCode, 201);
});
