import type { InjectOptions } from 'fastify';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const noFailureLimit = { environment: { RATE_LIMIT_FAILURES: '0' } };
const api = await buildTestApp(t, noFailureLimit);
const port = await listen(api.app);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

t.test('keeps an acceptable X-Request-Id and replaces any other', async (t) => {
  const urls = [
    '/v1/employees',
    '/v1/unknown',
    '/errors',
    '/healthz',
    '/openapi/v1.json',
    '/.well-known/jwks.json',
    '/%ff',
  ];
  for (const url of urls) {
    for (const id of ['a', 'A-z_0.9', '0'.repeat(128), '..', '-']) {
      const response = await api.app.inject({ url, headers: { 'x-request-id': id } });
      t.equal(response.headers['x-request-id'], id, url);
      if (response.body.startsWith('{"type"')) t.equal(response.json().request_id, id);
    }
    for (const id of ['', 'a b', '0'.repeat(129), 'ä', 'a,b', '<b>', 'a\tb', '"', '%20', 'a/b']) {
      const response = await api.app.inject({ url, headers: { 'x-request-id': id } });
      t.match(
        response.headers['x-request-id'],
        /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        `${url} ${id}`,
      );
    }
  }
  const [two] = await exchange(
    port,
    'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n',
    {
      expect: 1,
    },
  );
  t.match(two?.headers['x-request-id'], /^[0-9a-f-]{36}$/, 'two values are invalid');
  const ids = await Promise.all(Array.from({ length: 50 }, () => api.app.inject({ url: '/healthz' })));
  t.equal(new Set(ids.map(({ headers }) => headers['x-request-id'])).size, 50, 'generated values are unique');
});

t.test('every response has X-Request-Id', async (t) => {
  const { application } = await createTenant(api.database, { employees: makeEmployees(1) });
  const token = await api.token(application);
  for (const options of [
    { url: '/v1/employees', headers: bearer(token) },
    { url: '/v1/employees', method: 'HEAD', headers: bearer(token) },
    { url: '/errors' },
    { url: '/errors/invalid-request' },
    { url: '/errors/unknown' },
    { url: '/openapi/v1.yaml' },
    { url: '/openapi/v1.json' },
    { url: '/openapi/v1-3.0.json' },
    { url: '/healthz' },
    { url: '/readyz' },
    { url: '/.well-known/oauth-authorization-server' },
    { url: '/.well-known/jwks.json' },
    { url: '/' },
    { url: '/', method: 'OPTIONS' },
    { url: '/v1/employees', method: 'OPTIONS' },
  ] as InjectOptions[]) {
    t.match(
      (await api.app.inject(options)).headers['x-request-id'],
      /^[0-9a-f-]{36}$/,
      JSON.stringify(options.url),
    );
  }
});
