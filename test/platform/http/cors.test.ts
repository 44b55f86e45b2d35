import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp, contract } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const origin = 'https://app.example';

/** Paths that scripts may call, with the methods of each. */
const callable = new Map<string, string[]>();
for (const { id, path, method } of contract.operations.values()) {
  if (id === 'authorize' || id === 'getLogout') continue;
  const url = path.replaceAll(/\{\w+\}/g, 'x');
  callable.set(url, [...(callable.get(url) ?? []), method]);
}

const preflight = (url: string, method: string) =>
  api.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  });

const listOf = (header: unknown) =>
  String(header)
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());

function isClosed(t: Test, { headers }: { headers: object }, label: string): void {
  const names = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
  t.same(names, [], label);
}

t.test('responds 204 to a preflight on every path of the API, for any origin, without cookies', async (t) => {
  t.ok(callable.size >= 9);
  for (const [url, methods] of callable) {
    for (const method of methods) {
      const response = await preflight(url, method);
      t.equal(response.statusCode, 204, url);
      t.equal(response.body, '');
      t.equal(response.headers['access-control-allow-origin'], '*');
      t.notOk('access-control-allow-credentials' in response.headers);
      t.ok(listOf(response.headers['access-control-allow-methods']).includes(method.toLowerCase()));
      const headers = listOf(response.headers['access-control-allow-headers']);
      for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-match']) {
        t.ok(headers.includes(name), `${url} takes ${name}`);
      }
      t.match(response.headers['access-control-max-age'], /^\d+$/);
      t.match(response.headers['x-request-id'], /.+/);
    }
  }
});

t.test('responses can be read from any origin, errors included', async (t) => {
  const { application } = await createTenant(api.database);
  const token = await api.token(application);
  const get = (url: string, headers: Record<string, string> = {}) =>
    api.app.inject({ url, headers: { origin, ...headers } });
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin };
  const post = (url: string, payload: string) =>
    api.app.inject({ method: 'POST', url, headers: form, payload });
  const responses = [
    [200, await get('/v1/employees', { authorization: `Bearer ${token}` })],
    [400, await get('/v1/employees?x=1', { authorization: `Bearer ${token}` })],
    [401, await get('/v1/employees')],
    [401, await get('/v1/employees', { authorization: 'Bearer x' })],
    [404, await get('/v1/employees/x', { authorization: `Bearer ${token}` })],
    [200, await get('/.well-known/jwks.json')],
    [200, await get('/.well-known/oauth-authorization-server')],
    [400, await post('/v1/oauth/token', 'grant_type=x')],
    [401, await post('/v1/oauth/token', 'grant_type=client_credentials&client_id=x&client_secret=x')],
    [400, await post('/v1/oauth/token', '%FF')],
    [413, await post('/v1/oauth/token', `grant_type=${'x'.repeat(70_000)}`)],
    [401, await post('/v1/oauth/revoke', 'token=x&client_id=x')],
  ] as const;
  for (const [status, response] of responses) {
    const label = `${status} ${response.raw.req.url}`;
    t.equal(response.statusCode, status, label);
    t.equal(response.headers['access-control-allow-origin'], '*', label);
    t.notOk('access-control-allow-credentials' in response.headers, label);
    const exposed = listOf(response.headers['access-control-expose-headers']);
    for (const name of ['x-request-id', 'www-authenticate', 'retry-after', 'etag', 'location']) {
      t.ok(exposed.includes(name), `${label} exposes ${name}`);
    }
  }
});

t.test('sends no CORS headers on the authorization endpoint', async (t) => {
  for (const method of ['GET', 'POST']) {
    const response = await preflight('/v1/oauth/authorize', method);
    t.equal(response.statusCode, 404);
    t.equal(response.json().code, 'public-api-not-found');
    isClosed(t, response, method);
  }
  isClosed(t, await api.app.inject({ url: '/v1/oauth/authorize', headers: { origin } }), 'refusal');
  const post = { method: 'POST', url: '/v1/oauth/authorize', headers: { origin } } as const;
  isClosed(t, await api.app.inject(post), 'decision');
});

t.test('sends no CORS headers on pages and unknown paths', async (t) => {
  const urls = '/sign_in /sign_out /people /errors /healthz /v1/nothing /v2/employees /'.split(' ');
  for (const url of urls) {
    for (const method of ['GET', 'POST'] as const) {
      const headers = { origin, accept: 'text/html' };
      isClosed(t, await api.app.inject({ method, url, headers }), `${method} ${url}`);
      const response = await preflight(url, method);
      t.equal(response.statusCode, 404, url);
      isClosed(t, response, `preflight ${url}`);
    }
  }
});

t.test('sends no CORS headers on a path with a trailing slash', async (t) => {
  for (const url of ['/v1/employees/', '/v1/reports/', '/v1/employees/x/', '/v1/oauth/token/']) {
    isClosed(t, await api.app.inject({ url, headers: { origin } }), url);
    const response = await preflight(url, 'GET');
    t.equal(response.statusCode, 404, url);
    isClosed(t, response, `preflight ${url}`);
  }
});

t.test('OPTIONS without a preflight header matches no route', async (t) => {
  for (const url of callable.keys()) {
    const response = await api.app.inject({ method: 'OPTIONS', url, headers: { origin } });
    t.equal(response.statusCode, 404, url);
    t.equal(response.json().code, 'public-api-not-found');
    t.match(response.json().detail, `OPTIONS ${url}`);
  }
});
