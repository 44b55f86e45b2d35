import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import fastify from 'fastify';
import t from 'tap';
import { ActiveRequests } from '../../src/http/active-requests.js';
import { limitActiveRequests } from '../../src/http/overload.js';
import { buildTestApp } from '../support/app.js';
import { listen, requestsArrive } from '../support/sockets.js';
import { createTenant, makeEmployees } from '../support/tenant.js';

t.test(
  'more requests at once than the server works on are refused at once, and none of the others',
  async (t) => {
    const api = await buildTestApp(t, { environment: { MAX_ACTIVE_REQUESTS: '3' } });
    const tenant = await createTenant(api.database, { employees: makeEmployees(2) });
    const token = await api.token(tenant.application);
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.get('/v1/employees', token)));
    const served = answers.filter(({ statusCode }) => statusCode === 200);
    const refused = answers.filter(({ statusCode }) => statusCode === 503);
    t.equal(served.length, 3);
    t.equal(refused.length, 7);
    for (const answer of refused) {
      t.equal(answer.json().code, 'service_unavailable');
      t.equal(answer.headers['retry-after'], '1');
      t.match(answer.headers, { 'x-request-id': /./, 'access-control-allow-origin': '*' });
    }
    t.equal((await api.get('/v1/employees', token)).statusCode, 200, 'afterwards there is room again');
    for (let round = 0; round < 10; round += 1) {
      const [refusal, unknown] = [await api.get('/v1/employees'), await api.get('/v1/nothing')];
      t.same([refusal.statusCode, unknown.statusCode], [401, 404], 'refusals give back their place');
    }
  },
);

t.test('probes are answered whatever the load', async (t) => {
  const api = await buildTestApp(t, { environment: { MAX_ACTIVE_REQUESTS: '1' } });
  const [, health, ready] = await Promise.all([
    api.get('/v1/reports'),
    api.get('/healthz'),
    api.get('/readyz'),
  ]);
  t.equal(health.statusCode, 200);
  t.equal(ready.statusCode, 200);
});

t.test('requests whose bodies arrive together are no more than the server works on', async (t) => {
  const api = await buildTestApp(t, { environment: { MAX_ACTIVE_REQUESTS: '2' } });
  const count = 10;
  let decided = 0;
  let goOn = () => {};
  const allDecided = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const decide = () => {
    decided += 1;
    if (decided === count) goOn();
  };
  api.app.post('/held', () => {
    decide();
    return allDecided.then(() => 'served');
  });
  const port = await listen(api.app);
  const arrived = requestsArrive(api.app, count);
  const clients = Array.from({ length: count }, () => {
    const request = http.request({ host: '127.0.0.1', port, path: '/held', method: 'POST', agent: false });
    request.setHeader('content-type', 'application/x-www-form-urlencoded').flushHeaders();
    return { request, answered: once(request, 'response') as Promise<[http.IncomingMessage]> };
  });
  await arrived;
  const statuses = clients.map(async ({ request, answered }) => {
    request.end('a=b');
    const [{ statusCode }] = await answered;
    if (statusCode === 503) decide();
    return statusCode;
  });
  t.same((await Promise.all(statuses)).toSorted(), [200, 200, ...Array.from({ length: 8 }, () => 503)]);
  t.equal((await api.get('/v1/reports')).statusCode, 401, 'and there is room again');
});

t.test('what is worked on already is not refused when fewer are allowed', async (t) => {
  const requests = new ActiveRequests(400);
  const app = fastify();
  t.teardown(() => app.close());
  limitActiveRequests(app, { requests, sendProblem: (_problem, _request, reply) => reply.code(503).send() });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  // As one that waits for what the database says of its token.
  app.get('/slow', { onRequest: () => opened }, async () => 'served');
  await app.ready();
  for (let count = 0; count < 200; count += 1) {
    const request = { active: false };
    requests.begin(request);
    requests.finish(request);
  }
  requests.adapt();
  const answers = Array.from({ length: 200 }, () => app.inject('/slow').then(({ statusCode }) => statusCode));
  while (!requests.full) await new Promise((resolve) => setImmediate(resolve));
  requests.adapt();
  t.equal((await app.inject('/slow')).statusCode, 503, 'a hundred are allowed now');
  open();
  t.same(new Set(await Promise.all(answers)), new Set([200]));
});

t.test('requests whose bodies are still on their way take no place', async (t) => {
  const api = await buildTestApp(t, { environment: { MAX_ACTIVE_REQUESTS: '2' } });
  const port = await listen(api.app);
  const head = [
    'POST /v1/oauth/token HTTP/1.1',
    'Host: api.test',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 1000',
    '',
    'grant_type=',
  ].join('\r\n');
  const slow = Array.from({ length: 20 }, () => net.connect(port, '127.0.0.1'));
  await Promise.all(
    slow.map((socket) => new Promise<void>((resolve) => socket.write(head, () => resolve()))),
  );
  for (let round = 0; round < 20; round += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/reports`);
    t.equal(answer.status, 401);
    await answer.arrayBuffer();
  }
  for (const socket of slow) socket.destroy();
});
