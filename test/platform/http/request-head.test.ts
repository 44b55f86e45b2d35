import type { Response } from '../../support/contract/conformance.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';

const api = await buildTestApp(t);
const port = await listen(api.app);
const { application } = await createTenant(api.database);
const authorization = `Authorization: Bearer ${await api.token(application)}\r\n`;
const { clientId, clientSecret } = application;
const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
const chunked = `${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`;
const post = (version: string, headers: string) =>
  `POST /v1/oauth/token HTTP/${version}\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}\r\n`;
const get = (headers: string, path = '/v1/employees', version = '1.1') =>
  `GET ${path} HTTP/${version}\r\nHost: x\r\n${headers}\r\n`;

/** Expects 400, with the name of the header if one is invalid. */
function rejected(t: Test, response: Response | undefined, header: string | undefined, label: string): void {
  t.equal(response?.statusCode, 400, `${label}: ${response?.body}`);
  const { code, detail, errors } = JSON.parse(response?.body ?? '{}');
  t.equal(code, 'invalid_request', label);
  t.same(errors, header === undefined ? undefined : [{ header, code: 'not_allowed', detail }], label);
}

/** Sends bytes and then a second request, and expects one 400 and a closed connection. */
async function rejectedAndClosed(t: Test, bytes: string, header: string | undefined, label: string) {
  const responses = await exchange(port, `${bytes}${get('', '/healthz')}`);
  t.equal(responses.length, 1, `${label}: nothing after it is read as a request`);
  rejected(t, responses[0], header, label);
  t.equal(responses[0]?.headers.connection, 'close', label);
}

t.test(
  'rejects a request line with a version other than 1.0 and 1.1 and closes the connection',
  async (t) => {
    for (const version of ['2.0', '0.9']) {
      for (const path of ['/healthz', '/v1/employees', '/v1/unknown', '/.well-known/jwks.json']) {
        await rejectedAndClosed(t, get(authorization, path, version), undefined, `${version} ${path}`);
      }
      await rejectedAndClosed(
        t,
        `${post(version, `Content-Length: ${form.length}\r\n`)}${form}`,
        undefined,
        version,
      );
    }
  },
);

t.test('rejects two Authorization headers, whichever of them is valid', async (t) => {
  for (const second of [authorization, 'AUTHORIZATION: Bearer x\r\n', 'authorization:\r\n']) {
    for (const headers of [`${authorization}${second}`, `${second}${authorization}`]) {
      const [response] = await exchange(port, get(headers), { expect: 1 });
      rejected(t, response, 'authorization', headers);
    }
  }
  const basic = `Authorization: Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}\r\n`;
  const length = 'Content-Length: 29\r\n';
  const bytes = `${post('1.1', `${basic}${basic}${length}`)}grant_type=client_credentials`;
  const [response] = await exchange(port, bytes, { expect: 1 });
  rejected(t, response, 'authorization', 'HTTP Basic');
});

t.test('rejects a second Authorization header that follows thousands of others', async (t) => {
  for (const others of [1000, 2500]) {
    const headers = `${authorization}${'a:\r\n'.repeat(others)}${authorization}`;
    const [response] = await exchange(port, get(headers), { expect: 1 });
    rejected(t, response, 'authorization', `${others}`);
  }
});

t.test('rejects a Transfer-Encoding other than chunked and closes the connection', async (t) => {
  for (const codings of [
    ...['gzip, chunked', 'gzip,chunked', 'identity, chunked', 'chunked, chunked', ', chunked', 'chunked;a=b'],
    ...['gzip\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding: chunked'],
  ]) {
    const bytes = `${post('1.1', `Transfer-Encoding: ${codings}\r\n`)}${chunked}`;
    const responses = await exchange(port, `${bytes}${get('', '/healthz')}`);
    t.equal(responses.length, 1, codings);
    t.equal(responses[0]?.statusCode, 400, `${codings}: ${responses[0]?.body}`);
    t.equal(responses[0]?.headers.connection ?? 'close', 'close', codings);
  }
  const bytes = `${post('1.1', 'Transfer-Encoding: gzip, chunked\r\n')}${chunked}`;
  await rejectedAndClosed(t, bytes, 'transfer-encoding', 'gzip, chunked');
});

t.test('rejects Transfer-Encoding in a request of HTTP/1.0 and closes the connection', async (t) => {
  for (const connection of ['', 'Connection: keep-alive\r\n']) {
    const bytes = `${post('1.0', `Transfer-Encoding: chunked\r\n${connection}`)}${chunked}`;
    await rejectedAndClosed(t, bytes, 'transfer-encoding', connection);
  }
});

t.test('accepts one Authorization header, chunked in any case, and HTTP/1.0 with a length', async (t) => {
  for (const bytes of [
    get(authorization),
    get(authorization, '/v1/employees', '1.0'),
    get(`${'a:\r\n'.repeat(2500)}${authorization}`),
    `${post('1.1', 'Transfer-Encoding: chunked\r\n')}${chunked}`,
    `${post('1.1', 'transfer-encoding: Chunked \r\n')}${chunked}`,
    `${post('1.0', `Content-Length: ${form.length}\r\n`)}${form}`,
  ]) {
    const [response] = await exchange(port, bytes, { expect: 1 });
    t.equal(response?.statusCode, 200, `${bytes.slice(0, 200)}: ${response?.body}`);
  }
});
