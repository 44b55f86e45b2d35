import { createScene, grantTokens } from '../../support/oauth/users.js';
import { createReportClient } from '../../support/records/reports.js';
import { buildTestApp, contract } from '../../support/server/app.js';
import { listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';
import { webhookScene } from '../../support/webhooks/scene.js';

const api = await buildTestApp(t);
const base = `http://127.0.0.1:${await listen(api.app)}`;

/** Bodies that no operation accepts. */
const bodies = [
  ['application/json', '{'],
  ['application/json; charset=utf-16', '{}'],
  ['application/x-www-form-urlencoded', 'a=%ff'],
  ['nonsense', 'x'],
  ['application/json', 'x'.repeat(70_000)],
] as const;

t.test('DELETE ignores a body, whatever its content type', async (t) => {
  const { saved, token } = await createReportClient(api);
  for (const [contentType, payload] of bodies) {
    const url = `/v1/reports/${await saved({ title: 'x' })}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
    const response = await api.app.inject({ method: 'DELETE', url, headers, payload });
    t.equal(response.statusCode, 204, `${contentType} ${payload.slice(0, 10)}`);
    t.equal((await api.app.inject({ url, headers })).statusCode, 404);
  }
});

t.test('every other operation without a request body ignores one, whatever its content type', async (t) => {
  const operations = [...contract.operations.values()].filter(
    ({ body, method }) => body === null && method !== 'GET' && method !== 'DELETE',
  );
  t.same(
    operations.map(({ id }) => id),
    ['postUserInfo', 'createWebhookEndpointSecret', 'createWebhookEndpointTestDelivery'],
  );
  const { create, token } = await webhookScene(api);
  const { accessToken } = await grantTokens(api, await createScene(api.database), { scope: 'openid' });
  const { id } = await create({ url: 'https://hooks.partner.example/events' });
  for (const operation of operations) {
    const url = operation.path.replace('{webhook_endpoint_id}', id);
    const isUserInfo = operation.id === 'postUserInfo';
    for (const [contentType, payload] of operation.id === 'createWebhookEndpointTestDelivery'
      ? bodies.slice(0, 1)
      : [...bodies, [undefined, 'x'] as const]) {
      const headers = {
        authorization: `Bearer ${isUserInfo ? accessToken : token}`,
        ...(contentType && { 'content-type': contentType }),
      };
      const response = await api.app.inject({ method: 'POST', url, headers, payload });
      t.equal(response.statusCode, isUserInfo ? 200 : 201, `${url} ${contentType} ${payload.slice(0, 10)}`);
    }
  }
});

t.test('a connection serves the next request after one whose body is ignored', async (t) => {
  const { create, token } = await webhookScene(api);
  const reports = await createReportClient(api);
  const { id } = await create({ url: 'https://hooks.partner.example/events' });
  for (const body of ['{"a":1}', 'x'.repeat(70_000)]) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${base}/v1/webhook_endpoints/${id}`;
    t.equal((await fetch(`${url}/secrets`, { method: 'POST', headers, body })).status, 201);
    t.equal((await fetch(url, { headers })).status, 200);
  }
  for (let count = 0; count < 3; count += 1) {
    const url = `${base}/v1/reports/${await reports.saved({ title: 'x' })}`;
    const headers = { authorization: `Bearer ${reports.token}`, 'content-type': 'application/json' };
    t.equal((await fetch(url, { method: 'DELETE', headers, body: '{"a":1}' })).status, 204);
    t.equal((await fetch(url, { headers })).status, 404);
  }
});

t.test('the 404 for an unsupported method lists the supported ones in Allow', async (t) => {
  for (const [method, url, allow] of [
    ['PUT', '/v1/reports/x', 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/v1/employees?page[size]=1', 'GET, HEAD'],
    ['DELETE', '/v1/reports', 'GET, HEAD, POST'],
    ['GET', '/v1/oauth/token', 'POST'],
    ['PATCH', '/.well-known/jwks.json', 'GET, HEAD'],
  ] as const) {
    const response = await api.app.inject({ method, url });
    t.equal(response.statusCode, 404, `${method} ${url}`);
    t.equal(response.json().code, 'public-api-not-found');
    t.equal(response.headers.allow, allow);
  }
});

t.test('the 404 for a path that does not exist has no Allow', async (t) => {
  for (const url of [
    '/v1/employees/',
    '/v1/reports/x/',
    '/v2/employees',
    '/v1/unknown',
    '/v1/reports//results',
  ]) {
    const response = await api.app.inject({ method: 'PUT', url });
    t.equal(response.statusCode, 404, url);
    t.equal(response.headers.allow, undefined);
  }
});
