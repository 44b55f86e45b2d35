import net from 'node:net';
import type { ProblemCode } from '../../../src/platform/contract/contract.js';
import { recordExchange } from '../../support/contract/exchange-log.js';
import { buildTestApp, contract, type TestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';

const noFailureLimit = { environment: { RATE_LIMIT_FAILURES: '0' } };
const api = await buildTestApp(t, noFailureLimit);
const port = await listen(api.app);

/**
 * Sends bytes. Expects problem documents with this status, besides successful responses, and a server that stays available.
 */
async function rejectsBytes(
  t: Test,
  bytes: string | Buffer,
  code: ProblemCode,
  label: string,
): Promise<void> {
  const responses = await exchange(port, bytes, { half: true });
  const last = responses.at(-1);
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
    rejected: [],
  });
  t.equal(problem.request_id, last.headers['x-request-id'], label);
  t.equal(problem.type, `http://api.test/errors/${code.replaceAll('_', '-')}`);
}

const isAlive = async (t: Test, of: TestApp = api) =>
  t.equal((await of.app.inject({ url: '/healthz' })).statusCode, 200, 'the server still responds');

t.test('rejects headers or an address that are too large with 431', async (t) => {
  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const code = 'request_header_fields_too_large';
  await rejectsBytes(t, get('/v1/employees', `X-Large: ${'x'.repeat(20_000)}\r\n`), code, 'one header');
  await rejectsBytes(
    t,
    get('/v1/employees', 'X-Many: xxxxxxxxxxxxxxxxxxxxxxxx\r\n'.repeat(1000)),
    code,
    'many headers',
  );
  await rejectsBytes(t, get(`/${'x'.repeat(20_000)}`), code, 'address');
  await rejectsBytes(
    t,
    get('/v1/employees', `Authorization: Bearer ${'x'.repeat(20_000)}\r\n`),
    code,
    'token',
  );
  await isAlive(t);
});

t.test('rejects bytes that are not HTTP with 400', async (t) => {
  const good = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
  const cases: [string, string | Buffer][] = [
    ['garbage', 'garbage\r\n\r\n'],
    ['random bytes', Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10])],
    ['a TLS handshake', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no version', 'GET /healthz\r\n\r\n'],
    ['an unknown version', 'GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'STEAL /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a lower-case method', 'get /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space in the path', 'GET /health z HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', `${good}nonsense\r\n\r\n`],
    ['a header name with a space', `${good}X Y: 1\r\n\r\n`],
    ['a NUL in a header', `${good}X: a\0b\r\n\r\n`],
    ['a negative Content-Length', `${good}Content-Length: -1\r\n\r\n`],
    ['a Content-Length that is not a number', `${good}Content-Length: abc\r\n\r\n`],
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
      'an unknown Transfer-Encoding',
      'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n',
    ],
    [
      'chunked before another coding',
      'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n',
    ],
    ['a folded header', `${good}X: a\r\n b\r\n: c\r\n\r\n`],
  ];
  for (const [label, bytes] of cases) await rejectsBytes(t, bytes, 'invalid_request', label);
  await isAlive(t);
});

t.test('rejects a request without exactly one Host header', async (t) => {
  for (const [label, headers] of [
    ['none', ''],
    ['two', 'Host: a\r\nHost: b\r\n'],
    ['two equal ones', 'Host: a\r\nHost: a\r\n'],
    ['two in different case', 'Host: a\r\nhOST: b\r\n'],
  ]) {
    for (const path of ['/healthz', '/v1/employees', '/v1/unknown', '/errors', '/.well-known/jwks.json']) {
      await rejectsBytes(t, `GET ${path} HTTP/1.1\r\n${headers}\r\n`, 'invalid_request', `${label} ${path}`);
    }
  }
  const [old] = await exchange(port, 'GET /healthz HTTP/1.0\r\n\r\n');
  t.equal(old?.statusCode, 200, 'HTTP/1.0 needs none');
  await isAlive(t);
});

t.test('ignores an unknown expectation or upgrade, and sends a request id', async (t) => {
  const responses = await exchange(
    port,
    'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
  );
  t.equal(responses.length, 1);
  t.match(responses[0]?.headers['x-request-id'], /^[0-9a-f-]{36}$/);
  const upgrade = await exchange(
    port,
    'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  t.match(upgrade[0]?.headers['x-request-id'], /^[0-9a-f-]{36}$/, 'an upgrade is ignored');
  await isAlive(t);
});

t.test('a valid request gets its response when malformed bytes follow on the connection', async (t) => {
  const good = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const [first, second, ...more] = await exchange(port, good, { expect: 1 }).then(async ([alone]) => [
    alone,
    ...(await exchange(port, `${good}${good}`, { expect: 2 })),
  ]);
  t.equal(first?.statusCode, 200);
  t.equal(second?.statusCode, 200);
  t.equal(more.length, 1, 'pipelined requests both have a response');
  for (const garbage of ['garbage\r\n\r\n', '\0\0\0\0', 'GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n']) {
    const responses = await exchange(port, `${good}${garbage}`);
    t.ok(responses.length >= 1 && responses.length <= 2, garbage);
    for (const { statusCode, headers } of responses) {
      t.ok(statusCode === 200 || statusCode === 400);
      t.match(headers['x-request-id'], /^[0-9a-f-]{36}$/);
    }
  }
  const tooLong = `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=bGET garbage`;
  const responses = await exchange(port, tooLong, { half: true });
  t.equal(responses[0]?.statusCode, 400, 'a body that is longer than Content-Length');
  await isAlive(t);
});

t.test('serves further requests after clients that disconnect in the middle of a request', async (t) => {
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
    const responses = await exchange(port, bytes, { half: true });
    for (const { statusCode, headers } of responses) {
      t.ok(statusCode >= 400 && statusCode < 500, `${bytes.slice(0, 30)}: ${statusCode}`);
      t.match(headers['x-request-id'], /^[0-9a-f-]{36}$/);
    }
  }
  await isAlive(t);
});
