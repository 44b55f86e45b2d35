import { buildTestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);
const port = await listen(api.app);

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
  const twice = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n';
  const [two] = await exchange(port, twice, { expect: 1 });
  t.match(two?.headers['x-request-id'], /^[0-9a-f-]{36}$/, 'two values are invalid');
  const ids = await Promise.all(Array.from({ length: 50 }, () => api.app.inject({ url: '/healthz' })));
  t.equal(new Set(ids.map(({ headers }) => headers['x-request-id'])).size, 50, 'generated values are unique');
});
