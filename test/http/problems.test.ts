import { METHODS } from 'node:http';
import net from 'node:net';
import type { InjectOptions } from 'fastify';
import t, { type Test } from 'tap';
import type { ProblemCode } from '../../src/contract/contract.js';
import type { Answer } from '../support/contract/conformance.js';
import { recordExchange } from '../support/contract/exchange-log.js';
import { asOwner } from '../support/database/owner.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp, contract, type TestApp } from '../support/server/app.js';
import { exchange, listen } from '../support/server/sockets.js';

const noFailureLimit = { environment: { RATE_LIMIT_FAILURES: '0' } };
const api = await buildTestApp(t, noFailureLimit);
const port = await listen(api.app);

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (payload: string): InjectOptions => ({
  method: 'POST',
  url: '/v1/oauth/token',
  headers: form,
  payload,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Checks a problem document against the table of codes in the contract, member by member. */
function isProblem(t: Test, answer: Answer, code: ProblemCode, instance: string, label: string = code): void {
  const { status, title } = contract.problems[code];
  t.equal(answer.statusCode, status, `${label}: ${answer.body.slice(0, 300)}`);
  const {
    type,
    detail,
    request_id,
    errors: _,
    error: __,
    error_description: ___,
    ...rest
  } = JSON.parse(answer.body);
  t.equal(type, `http://api.test/errors/${code.replaceAll('_', '-')}`, label);
  t.same(rest, { title, status, instance, code }, label);
  t.type(detail, 'string');
  t.equal(request_id, answer.headers['x-request-id'], label);
  t.match(request_id, /^[A-Za-z0-9._-]{1,128}$/);
  t.equal(answer.headers['cache-control'], 'no-store', label);
  const forOAuthClients = instance.startsWith('/v1/oauth/') && code !== 'public-api-not-found';
  const mediaType = forOAuthClients ? 'application/json' : 'application/problem+json';
  t.equal(answer.headers['content-type'], mediaType, label);
}

t.test('every code has its status, title, type and media type', async (t) => {
  const { application, accountId } = await createTenant(api.database);
  const token = await api.token(application);
  const weak = await api.token(application, 'user:read');
  const publicClient = await createApplication(api.database, accountId, { clientType: 'public' });
  const client = `client_id=${application.clientId}&client_secret=${application.clientSecret}`;
  const cases: [ProblemCode, InjectOptions][] = [
    ['invalid_request', { url: '/v1/employees?page[size]=0', headers: bearer(token) }],
    ['invalid_scope', post(`grant_type=client_credentials&${client}&scope=none`)],
    ['unsupported_grant_type', post(`grant_type=password&${client}`)],
    ['unauthorized_client', post(`grant_type=client_credentials&client_id=${publicClient.clientId}`)],
    ['invalid_client', post('grant_type=client_credentials&client_id=x&client_secret=y')],
    ['unauthorized', { url: '/v1/employees' }],
    ['invalid_token', { url: '/v1/employees', headers: bearer('x') }],
    ['insufficient_scope', { url: '/v1/employees', headers: bearer(weak) }],
    ['not_found', { url: '/v1/employees/unknown', headers: bearer(token) }],
    ['public-api-not-found', { url: '/v1/employee' }],
    ['payload_too_large', post(`x=${'x'.repeat(64 * 1024)}`)],
  ];
  for (const [code, options] of cases) {
    const url = String(options.url);
    const withQuery = url.includes('?') ? url : `${url}?token=secret`;
    for (const target of code === 'invalid_request' || code === 'public-api-not-found'
      ? [url]
      : [url, withQuery]) {
      const answer = await api.app.inject({ ...options, url: target });
      // Unknown query parameters are a fault of their own where nothing graver comes first.
      if (answer.json().code === 'invalid_request' && target !== url) continue;
      isProblem(t, answer, code, url.replace(/\?.*/, ''));
      t.notMatch(answer.body, 'token=secret', 'the query is not repeated');
    }
  }
});

t.test('an expired token is token_expired', async (t) => {
  const local = await buildTestApp(t, { database: api.database });
  const token = await local.token((await createTenant(api.database)).application);
  local.clock.advanceSeconds(3600);
  isProblem(t, await local.get('/v1/employees', token), 'token_expired', '/v1/employees');
});

t.test('a body of exactly 64 KiB is read, and one byte more is too large', async (t) => {
  const { application } = await createTenant(api.database);
  const fields = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    padding: '',
  }).toString();
  const exact = fields + 'x'.repeat(64 * 1024 - fields.length);
  t.equal((await api.app.inject(post(exact))).statusCode, 200);
  const tooLarge = await api.app.inject(post(`${exact}x`));
  isProblem(t, tooLarge, 'payload_too_large', '/v1/oauth/token');
  t.equal(tooLarge.json().error, 'invalid_request');

  const chunk = `${(0x8000).toString(16)}\r\n${'x'.repeat(0x8000)}\r\n`;
  const chunked = await exchange(
    port,
    `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}0\r\n\r\n`,
    { expect: 1 },
  );
  t.equal(chunked[0]?.statusCode, 413, 'whether or not its length was announced');
});

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
      const answer = await api.app.inject({ url, headers: { 'x-request-id': id } });
      t.equal(answer.headers['x-request-id'], id, url);
      if (answer.body.startsWith('{"type"')) t.equal(answer.json().request_id, id);
    }
    for (const id of ['', 'a b', '0'.repeat(129), 'ä', 'a,b', '<b>', 'a\tb', '"', '%20', 'a/b']) {
      const answer = await api.app.inject({ url, headers: { 'x-request-id': id } });
      t.match(answer.headers['x-request-id'], /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, `${url} ${id}`);
    }
  }
  const [two] = await exchange(
    port,
    'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n',
    {
      expect: 1,
    },
  );
  t.match(two?.headers['x-request-id'], /^[0-9a-f-]{36}$/, 'two of them are none');
  const ids = await Promise.all(Array.from({ length: 50 }, () => api.app.inject({ url: '/healthz' })));
  t.equal(new Set(ids.map(({ headers }) => headers['x-request-id'])).size, 50, 'fresh ones are unique');
});

t.test('every kind of answer carries X-Request-Id', async (t) => {
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

const unmatched = [
  ...[
    '/v1',
    '/v1/',
    '/v1/employee',
    '/v1/Employees',
    '/V1/employees',
    '/v1/employees/',
    '/v1/employees//',
    '/v1//employees',
  ],
  ...[
    '//v1/employees',
    '/v1/employees/a/b',
    '/v1/employees/a/',
    '/v2/employees',
    '/v0/employees',
    '/v1beta/employees',
  ],
  ...[
    '/employees',
    '/v1/internal/employees',
    '/v1/user/me',
    '/v1/users/me/',
    '/v1/oauth/token/',
    '/v1/oauth/tokens',
  ],
  ...[
    '/v1/oauth/introspect',
    '/v1/../v1/employees',
    '/v1/./employees',
    '/v1%2Femployees',
    '/v1/employees%2F',
  ].slice(0, 3),
  ...[
    '/v1%2Femployees',
    '/v1/employees;x=1',
    '/v1/employees.json',
    '/v1/%65mployee',
    '/.well-known/',
    '/.env',
    '/*',
    '/',
  ],
  ...[
    '/v1/reports/',
    '/v1/report-columns',
    '/openapi/v1',
    '/openapi/../package.json',
    '/errors/',
    '/errors/x/y',
    '/healthz/',
  ],
];

t.test('a path without a route is public-api-not-found, whoever asks, and the detail names it', async (t) => {
  const token = await api.token((await createTenant(api.database)).application);
  for (const path of unmatched) {
    if (path === '/') continue;
    for (const authorization of ['', 'Authorization: Bearer x\r\n', `Authorization: Bearer ${token}\r\n`]) {
      const [answer] = await exchange(port, `GET ${path}?a=b HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`, {
        expect: 1,
      });
      if (answer === undefined) throw new Error(`No answer to ${path}`);
      isProblem(t, answer, 'public-api-not-found', path, path);
      t.equal(JSON.parse(answer.body).title, 'Not Found');
      t.ok(JSON.parse(answer.body).detail.includes(`GET ${path}`), path);
      t.notMatch(answer.body, 'a=b');
    }
  }
});

t.test('a method without a route is public-api-not-found', async (t) => {
  const known = new Map<string, Set<string>>();
  for (const { path, method } of contract.operations.values()) {
    const methods = known.get(path) ?? new Set(['OPTIONS', 'CONNECT']);
    known.set(path, methods.add(method));
    if (method === 'GET') methods.add('HEAD');
    // The consent form is posted to the address that shows it.
    if (path === '/v1/oauth/authorize') methods.add('POST');
  }
  const wrong: string[] = [];
  for (const [template, methods] of known) {
    const path = template.replaceAll(/\{[^}]*\}/g, 'x');
    for (const method of METHODS) {
      if (methods.has(method)) continue;
      const bytes = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
      const [answer] = await exchange(port, bytes, { head: method === 'HEAD' });
      if (answer?.statusCode !== 404) wrong.push(`${method} ${path} -> ${answer?.statusCode}`);
      else if (method !== 'HEAD') {
        isProblem(t, answer, 'public-api-not-found', path, `${method} ${path}`);
        t.ok(JSON.parse(answer.body).detail.includes(`${method} ${path}`));
      }
    }
  }
  t.same(wrong, []);
});

t.test('a path that matches no route is not found whatever its body is', async (t) => {
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
      const answer = await api.app.inject({ method, url, headers: { 'content-type': contentType }, payload });
      const { code } = answer.json();
      if (code !== 'public-api-not-found')
        wrong.push(`${method} ${contentType} ${payload.slice(0, 20)}: ${code}`);
    }
  }
  t.same(wrong, []);
});

t.test('a path that is not percent-encoded UTF-8 is a malformed request', async (t) => {
  for (const path of [
    '/%',
    '/%zz',
    '/v1/%ff',
    '/v1/employees/%C3%28',
    '/%E0%A4%A',
    '/v1/employees/%ED%A0%80',
  ]) {
    const [answer] = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, { expect: 1 });
    if (answer === undefined) throw new Error(`No answer to ${path}`);
    isProblem(t, answer, 'invalid_request', path.replaceAll(/%(?![\dA-F]{2})/gi, '%25'), path);
  }
});

t.test('instance is a path and detail is within its bound, whatever the request target', async (t) => {
  const paths = [
    '/%zz',
    '/%',
    '/a|b',
    '/a^b',
    '/a"b',
    '/a{b}',
    '/a`b',
    '/a\\b',
    '/<x>',
    '/[x]',
    'ftp://x/y',
    `/${'x'.repeat(6000)}`,
  ];
  for (const path of [...paths, `/v1/employees/${'y'.repeat(5000)}`]) {
    const [answer] = await exchange(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, { expect: 1 });
    if (answer === undefined) throw new Error(`No answer to ${path}`);
    const { instance, detail } = JSON.parse(answer.body);
    t.match(
      instance,
      /^\/[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]*(%[0-9A-Fa-f]{2}[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]*)*$/,
      path.slice(0, 60),
    );
    t.ok(instance.length <= 16_384);
    t.ok(detail.length <= 4096, `${path.slice(0, 20)}: detail has ${detail.length} characters`);
  }
});

/** Sends bytes and expects, besides perhaps good answers, problems of this status, and a server that lives on. */
async function refusesBytes(
  t: Test,
  bytes: string | Buffer,
  code: ProblemCode,
  label: string,
): Promise<void> {
  const answers = await exchange(port, bytes, { half: true });
  const last = answers.at(-1);
  t.equal(last?.statusCode, contract.problems[code].status, `${label}: ${last?.body}`);
  if (last === undefined) return;
  t.equal(last.headers['content-type'], 'application/problem+json', label);
  t.match(last.headers['x-request-id'], /^[0-9a-f-]{36}$/, label);
  const problem = JSON.parse(last.body);
  t.equal(problem.code, code, label);
  recordExchange({
    status: last.statusCode,
    mediaType: 'application/problem+json',
    code,
    sent: [],
    refused: [],
  });
  t.equal(problem.request_id, last.headers['x-request-id'], label);
  t.equal(problem.type, `http://api.test/errors/${code.replaceAll('_', '-')}`);
}

const isAlive = async (t: Test, of: TestApp = api) =>
  t.equal((await of.app.inject({ url: '/healthz' })).statusCode, 200, 'the server still answers');

t.test('headers or an address that are too large are refused with 431', async (t) => {
  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const code = 'request_header_fields_too_large';
  await refusesBytes(t, get('/v1/employees', `X-Large: ${'x'.repeat(20_000)}\r\n`), code, 'one header');
  await refusesBytes(
    t,
    get('/v1/employees', 'X-Many: xxxxxxxxxxxxxxxxxxxxxxxx\r\n'.repeat(1000)),
    code,
    'many headers',
  );
  await refusesBytes(t, get(`/${'x'.repeat(20_000)}`), code, 'address');
  await refusesBytes(
    t,
    get('/v1/employees', `Authorization: Bearer ${'x'.repeat(20_000)}\r\n`),
    code,
    'token',
  );
  await isAlive(t);
});

t.test('bytes that are not HTTP are refused with 400', async (t) => {
  const good = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
  const cases: [string, string | Buffer][] = [
    ['garbage', 'garbage\r\n\r\n'],
    ['random bytes', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10])],
    ['a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no version', 'GET /healthz\r\n\r\n'],
    ['a made-up version', 'GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a made-up method', 'STEAL /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a lower-case method', 'get /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space in the path', 'GET /health z HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', `${good}nonsense\r\n\r\n`],
    ['a header name with a space', `${good}X Y: 1\r\n\r\n`],
    ['a NUL in a header', `${good}X: a\0b\r\n\r\n`],
    ['a negative Content-Length', `${good}Content-Length: -1\r\n\r\n`],
    ['a Content-Length that is no number', `${good}Content-Length: abc\r\n\r\n`],
    ['a huge Content-Length', `${good}Content-Length: 99999999999999999999999\r\n\r\n`],
    ['two Content-Lengths', `${good}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
    [
      'Content-Length and Transfer-Encoding',
      `${good}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `${good}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a made-up Transfer-Encoding',
      'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n',
    ],
    [
      'chunked before another coding',
      'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n',
    ],
    ['a folded header', `${good}X: a\r\n b\r\n: c\r\n\r\n`],
  ];
  for (const [label, bytes] of cases) await refusesBytes(t, bytes, 'invalid_request', label);
  await isAlive(t);
});

t.test('a request names exactly one host', async (t) => {
  for (const [label, headers] of [
    ['none', ''],
    ['two', 'Host: a\r\nHost: b\r\n'],
    ['two alike', 'Host: a\r\nHost: a\r\n'],
    ['two in different case', 'Host: a\r\nhOST: b\r\n'],
  ]) {
    for (const path of ['/healthz', '/v1/employees', '/v1/unknown', '/errors', '/.well-known/jwks.json']) {
      await refusesBytes(t, `GET ${path} HTTP/1.1\r\n${headers}\r\n`, 'invalid_request', `${label} ${path}`);
    }
  }
  const [old] = await exchange(port, 'GET /healthz HTTP/1.0\r\n\r\n');
  t.equal(old?.statusCode, 200, 'HTTP/1.0 needs none');
  await isAlive(t);
});

t.test(
  'a request that expects what we cannot do is refused with an answer that has a request id',
  async (t) => {
    const answers = await exchange(
      port,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
    );
    t.equal(answers.length, 1);
    t.match(answers[0]?.headers['x-request-id'], /^[0-9a-f-]{36}$/);
    const upgrade = await exchange(
      port,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    t.match(upgrade[0]?.headers['x-request-id'], /^[0-9a-f-]{36}$/, 'an upgrade is passed over');
    await isAlive(t);
  },
);

t.test('a good request keeps its answer when garbage follows in the same connection', async (t) => {
  const good = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const [first, second, ...more] = await exchange(port, good, { expect: 1 }).then(async ([alone]) => [
    alone,
    ...(await exchange(port, `${good}${good}`, { expect: 2 })),
  ]);
  t.equal(first?.statusCode, 200);
  t.equal(second?.statusCode, 200);
  t.equal(more.length, 1, 'pipelined requests are both answered');
  for (const garbage of ['garbage\r\n\r\n', '\0\0\0\0', 'GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n']) {
    const answers = await exchange(port, `${good}${garbage}`);
    t.ok(answers.length >= 1 && answers.length <= 2, garbage);
    for (const { statusCode, headers } of answers) {
      t.ok(statusCode === 200 || statusCode === 400);
      t.match(headers['x-request-id'], /^[0-9a-f-]{36}$/);
    }
  }
  const tooLong = `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=bGET garbage`;
  const answers = await exchange(port, tooLong, { half: true });
  t.equal(answers[0]?.statusCode, 400, 'a body that is longer than announced');
  await isAlive(t);
});

t.test('clients that leave in the middle of a request break nothing', async (t) => {
  const head =
    'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';
  const partial = [
    'GET /v1/emp',
    'GET /v1/employees HTTP/1.1\r\nHost',
    `${head}Content-Length: 100\r\n\r\n`,
    `${head}Content-Length: 100\r\n\r\ngrant_type=cl`,
    `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `${head}Content-Length: 100000\r\n\r\n${'x'.repeat(66_000)}`,
  ];
  for (const bytes of partial) {
    await new Promise<void>((resolve) => {
      const socket = net.connect({ host: '127.0.0.1', port }, () =>
        socket.write(bytes, () => socket.resetAndDestroy()),
      );
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
    const answers = await exchange(port, bytes, { half: true });
    for (const { statusCode, headers } of answers) {
      t.ok(statusCode >= 400 && statusCode < 500, `${bytes.slice(0, 30)}: ${statusCode}`);
      t.match(headers['x-request-id'], /^[0-9a-f-]{36}$/);
    }
  }
  await isAlive(t);
});

t.test('an unexpected failure is 500, and says nothing of the inside', async (t) => {
  const local = await buildTestApp(t, noFailureLimit);
  const { application } = await createTenant(local.database, { employees: makeEmployees(1) });
  const token = await local.token(application);
  await asOwner(local.database, 'ALTER TABLE employees RENAME TO employees_away');
  for (const url of ['/v1/employees', '/v1/employees?sort=email', '/v1/employees/unknown']) {
    const answer = await local.get(url, token);
    isProblem(t, answer, 'internal_error', url.replace(/\?.*/, ''));
    t.notMatch(answer.body, /employees_away|relation|SELECT|prisma|42P01|stack|node_modules|account_id/i);
    t.notOk('errors' in answer.json());
  }
  await asOwner(local.database, 'ALTER TABLE applications RENAME TO applications_away');
  isProblem(
    t,
    await local.get('/v1/employees', token),
    'internal_error',
    '/v1/employees',
    'while authenticating',
  );
  const refused = await local.postForm('/v1/oauth/token', {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
  });
  isProblem(t, refused, 'internal_error', '/v1/oauth/token');
  t.equal(refused.json().error, 'server_error');
  t.notMatch(refused.body, application.clientSecret);

  await asOwner(local.database, 'ALTER TABLE applications_away RENAME TO applications');
  await asOwner(local.database, 'ALTER TABLE employees_away RENAME TO employees');
  t.equal((await local.get('/v1/employees', token)).statusCode, 200, 'and the next request may succeed');
});

t.test('without its database the service is unavailable and says when to try again', async (t) => {
  const local = await buildTestApp(t, noFailureLimit);
  const { application } = await createTenant(local.database);
  const token = await local.token(application);
  await local.database.close();
  for (const [url, answer] of [
    ['/v1/employees', await local.get('/v1/employees', token)],
    ['/readyz', await local.get('/readyz')],
    [
      '/v1/oauth/token',
      await local.postForm('/v1/oauth/token', {
        grant_type: 'client_credentials',
        client_id: 'x',
        client_secret: 'y',
      }),
    ],
  ] as const) {
    isProblem(t, answer, 'service_unavailable', url);
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/);
    t.notMatch(answer.body, /pool|PGlite|prisma|closed/i);
  }
  t.equal((await local.get('/healthz')).statusCode, 200, 'the process itself is healthy');
  isProblem(
    t,
    await local.get('/v1/employees'),
    'unauthorized',
    '/v1/employees',
    'no database is needed to refuse',
  );
});

t.test(
  'Strict-Transport-Security is on every answer of a server that is reached by https, and on no other',
  async (t) => {
    const secure = await buildTestApp(t, { environment: { BASE_URL: 'https://api.test' } });
    for (const url of ['/sign_in', '/v1/employees', '/unknown', '/errors']) {
      const overHttps = await secure.injectUnchecked({ url });
      t.equal(overHttps.headers['strict-transport-security'], 'max-age=31536000', url);
      t.equal((await api.injectUnchecked({ url })).headers['strict-transport-security'], undefined, url);
    }
  },
);
