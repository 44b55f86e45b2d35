import { METHODS } from 'node:http';
import type { Response } from '../../support/contract/conformance.js';
import { isProblem } from '../../support/contract/problem-documents.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp, contract } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const noFailureLimit = { environment: { RATE_LIMIT_FAILURES: '0' } };
const api = await buildTestApp(t, noFailureLimit);
const port = await listen(api.app);

const unmatched = [
  ...'/v1 /v1/ /v1/employee /v1/Employees /V1/employees /v1/employees/ /v1/employees// /v1//employees'.split(
    ' ',
  ),
  ...'//v1/employees /v1/employees/a/b /v1/employees/a/ /v2/employees /v0/employees /v1beta/employees'.split(
    ' ',
  ),
  ...'/employees /v1/internal/employees /v1/user/me /v1/users/me/ /v1/oauth/token/ /v1/oauth/tokens'.split(
    ' ',
  ),
  ...'/v1/oauth/introspect /v1/../v1/employees /v1/./employees /v1%2Femployees /v1/employees;x=1'.split(' '),
  ...'/v1/employees.json /v1/%65mployee /.well-known/ /.env /* /v1/reports/ /v1/report-columns'.split(' '),
  ...'/openapi/v1 /openapi/../package.json /errors/ /errors/x/y /healthz/'.split(' '),
];

/** The response to a request with this target. */
async function get(target: string, headers = ''): Promise<Response> {
  const [response] = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`, {
    expect: 1,
  });
  if (response === undefined) throw new Error(`No response to ${target}`);
  return response;
}

t.test(
  'a path without a route is public-api-not-found with and without a token, and the detail names it',
  async (t) => {
    const token = await api.token((await createTenant(api.database)).application);
    const headers = ['', 'Authorization: Bearer x\r\n', `Authorization: Bearer ${token}\r\n`];
    for (const [index, path] of unmatched.entries()) {
      const response = await get(`${path}?a=b`, headers[index % headers.length]);
      isProblem(t, response, 'public-api-not-found', path, path);
      t.equal(JSON.parse(response.body).title, 'Not Found');
      t.ok(JSON.parse(response.body).detail.includes(`GET ${path}`), path);
      t.notMatch(response.body, 'a=b');
    }
  },
);

t.test('a method without a route is public-api-not-found', async (t) => {
  const known = new Map<string, Set<string>>();
  for (const { path, method } of contract.operations.values()) {
    const methods = known.get(path) ?? new Set(['OPTIONS', 'CONNECT']);
    known.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
    // These forms are posted to the addresses that show them.
    if (path === '/v1/oauth/authorize' || path === '/v1/oauth/logout') methods.add('POST');
  }
  const wrong: string[] = [];
  for (const [index, [template, methods]] of [...known].entries()) {
    const path = template.replaceAll(/\{[^}]*\}/g, 'x');
    // The router knows the same methods for every path.
    for (const method of index === 0 ? METHODS : ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (methods.has(method)) continue;
      const bytes = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
      const [response] = await exchange(port, bytes, { head: method === 'HEAD' });
      if (response?.statusCode !== 404) wrong.push(`${method} ${path} -> ${response?.statusCode}`);
      else if (method !== 'HEAD') {
        isProblem(t, response, 'public-api-not-found', path, `${method} ${path}`);
        t.ok(JSON.parse(response.body).detail.includes(`${method} ${path}`));
      }
    }
  }
  t.same(wrong, []);
});

t.test('a path without a route is not found, whatever its body is', async (t) => {
  const wrong: string[] = [];
  for (const [contentType, payload] of [
    ['application/json', '{'],
    ['application/json', ''],
    ['application/json', '{"__proto__":1}'],
    ['application/json', JSON.stringify('x'.repeat(70_000))],
    ['application/x-www-form-urlencoded', '%ff'],
    ['text/plain', 'x'],
    ['nonsense', 'x'],
  ] as const) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const url = '/v1/unknown';
      const response = await api.app.inject({
        method,
        url,
        headers: { 'content-type': contentType },
        payload,
      });
      const { code } = response.json();
      if (code !== 'public-api-not-found')
        wrong.push(`${method} ${contentType} ${payload.slice(0, 20)}: ${code}`);
    }
  }
  t.same(wrong, []);
});

t.test('rejects a path that is not percent-encoded UTF-8 with 400', async (t) => {
  const paths = '/% /%zz /v1/%ff /v1/employees/%C3%28 /%E0%A4%A /v1/employees/%ED%A0%80'.split(' ');
  for (const path of paths) {
    const response = await get(path);
    isProblem(t, response, 'invalid_request', path.replaceAll(/%(?![\dA-F]{2})/gi, '%25'), path);
  }
});

t.test('instance is a path and detail within its limit, for every request target', async (t) => {
  const paths = '/%zz /% /a|b /a^b /a"b /a{b} /a`b /a\\b /<x> /[x] ftp://x/y'.split(' ');
  for (const path of [...paths, `/${'x'.repeat(6000)}`, `/v1/employees/${'y'.repeat(5000)}`]) {
    const response = await get(path);
    const { instance, detail } = JSON.parse(response.body);
    t.match(
      instance,
      /^\/[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]*(%[0-9A-Fa-f]{2}[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]*)*$/,
      path.slice(0, 60),
    );
    t.ok(instance.length <= 16_384);
    t.ok(detail.length <= 4096, `${path.slice(0, 20)}: detail has ${detail.length} characters`);
  }
});
