import net from 'node:net';
import t from 'tap';
import { buildTestApp } from '../support/app.js';
import { listen } from '../support/sockets.js';
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
