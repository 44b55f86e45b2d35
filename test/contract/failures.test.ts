import { once } from 'node:events';
import net from 'node:net';
import type { InjectOptions } from 'fastify';
import type { OperationId } from '../../src/platform/contract/contract.js';
import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { authorizationRequest, createScene, grantTokens, type Scene } from '../support/oauth/users.js';
import { buildTestApp, contract, type TestApp } from '../support/server/app.js';
import { listen, parseResponses } from '../support/server/sockets.js';
import t, { type Test } from '../support/tap.js';

/** Responses from memory, which cannot fail. */
const fromMemory: readonly OperationId[] = [
  'getAuthorizationServerMetadata',
  'getOpenIdConfiguration',
  'getJsonWebKeySet',
];

const problem = 'application/problem+json';
const accepts: Partial<Record<OperationId, readonly string[]>> = {
  createToken: ['*/*', problem],
  revokeToken: ['*/*', problem],
  introspectToken: ['*/*', problem],
  createPushedRequest: ['*/*', problem],
  authorize: ['text/html', '*/*'],
  getLogout: ['text/html', '*/*'],
};

/** A valid request for an operation, with a token that has every scope. */
function requestFor(id: OperationId, scene: Scene, token: string): InjectOptions {
  const { method, path, scopes } = contract.operations.get(id) ?? { method: 'GET', path: '/', scopes: null };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const client = `client_id=${scene.application.clientId}`;
  const url = path.replace(/\{\w+\}/, 'unknown');
  if (id === 'authorize') return { method: 'GET', url: authorizationRequest(scene).url };
  if (id === 'getLogout') return { method: 'GET', url: `${url}?${client}` };
  if (id === 'createToken') {
    const payload = `grant_type=refresh_token&refresh_token=x&${client}`;
    return { method: 'POST', url, headers: form, payload };
  }
  if (id === 'createPushedRequest') {
    const payload = new URLSearchParams(authorizationRequest(scene).parameters).toString();
    return { method: 'POST', url, headers: form, payload };
  }
  if (id === 'revokeToken' || id === 'introspectToken')
    return { method: 'POST', url, headers: form, payload: `token=x&${client}` };
  return {
    method: method as 'GET',
    url,
    headers: scopes === null ? {} : { authorization: `Bearer ${token}` },
    ...(method === 'POST' && { payload: { title: 'X' } }),
    ...(method === 'PATCH' && { payload: id === 'updateReport' ? { title: 'X' } : { nickname: 'X' } }),
  };
}

const database = await openTestDatabase(t);

async function prepare(
  t: Test,
  environment: Record<string, string> = {},
): Promise<{ api: TestApp; scene: Scene; token: string }> {
  const api = await buildTestApp(t, { database, environment });
  const scene = await createScene(api.database);
  const scope = Object.keys(contract.scopes).join(' ');
  return { api, scene, token: (await grantTokens(api, scene, { scope })).accessToken };
}

const shared = await prepare(t);

/** Every operation that needs the database, with each media type of its response. */
async function requestAll(
  { api, scene, token }: Awaited<ReturnType<typeof prepare>>,
  see: (
    id: OperationId,
    response: { statusCode: number; headers: Record<string, unknown>; body: string },
  ) => void,
): Promise<void> {
  for (const id of contract.operations.keys()) {
    if (fromMemory.includes(id)) continue;
    for (const accept of accepts[id] ?? ['*/*']) {
      const request = requestFor(id, scene, token);
      see(id, await api.app.inject({ ...request, headers: { ...request.headers, accept } }));
    }
  }
}

const tables = ['applications', 'revoked_access_tokens'];

t.test('with a missing table every operation responds 500 without internal details', async (t) => {
  for (const name of tables) await asOwner(database, `ALTER TABLE ${name} RENAME TO ${name}_away`);
  await requestAll(shared, (id, { statusCode, body }) => {
    t.equal(statusCode, 500, id);
    t.notMatch(body, /applications|revoked|relation|prisma|42P01/i, id);
  });
  for (const name of tables) await asOwner(database, `ALTER TABLE ${name}_away RENAME TO ${name}`);
});

t.test('every operation with a body rejects one that is too large with 413', async (t) => {
  const { api, scene, token } = shared;
  for (const { id, body } of contract.operations.values()) {
    if (body === null) continue;
    for (const accept of accepts[id] ?? ['*/*']) {
      const request = requestFor(id, scene, token);
      const headers = { 'content-type': body.mediaTypes[0], ...request.headers, accept };
      const response = await api.app.inject({ ...request, headers, payload: `"${'x'.repeat(70_000)}"` });
      t.equal(response.statusCode, 413, id);
      t.equal(response.json().code, 'payload_too_large', id);
    }
  }
});

t.test('every operation rejects an unknown parameter with 400 and names it', async (t) => {
  const { api, scene, token } = shared;
  for (const { id, scopes } of contract.operations.values()) {
    if (scopes === null) continue;
    const request = requestFor(id, scene, token);
    const response = await api.app.inject({ ...request, url: `${request.url}?colour=red` });
    t.equal(response.statusCode, 400, id);
    t.equal(response.json().errors[0].parameter, 'colour', id);
  }
});

t.test('an empty form is rejected with 400 in the media type of Accept', async (t) => {
  const { api } = shared;
  for (const url of ['/v1/oauth/token', '/v1/oauth/revoke']) {
    for (const [accept, type] of [
      ['*/*', 'application/json'],
      [problem, problem],
    ] as const) {
      const response = await api.postForm(url, '', { accept });
      t.equal(response.statusCode, 400, url);
      t.match(response.headers['content-type'], type, url);
      t.equal(response.json().error, 'invalid_request', url);
    }
  }
});

t.test('every operation with a JSON body rejects another media type with 415', async (t) => {
  const { api, scene, token } = shared;
  for (const { id, body } of contract.operations.values()) {
    if (!body?.mediaTypes.includes('application/json')) continue;
    const request = requestFor(id, scene, token);
    const headers = { ...request.headers, 'content-type': 'text/plain' };
    const response = await api.app.inject({ ...request, headers, payload: '{}' });
    t.equal(response.statusCode, 415, id);
    t.equal(response.json().code, 'unsupported_media_type', id);
  }
});

for (const [url, form] of [
  ['/v1/oauth/token', { grant_type: 'client_credentials' }],
  ['/v1/oauth/revoke', { token: 'x' }],
] as const) {
  t.test(`${url} responds 429 after too many failed authentications`, async (t) => {
    await database.prisma.failureCount.deleteMany();
    const { api, scene } = await prepare(t, { RATE_LIMIT_FAILURES: '2' });
    const client = { client_id: scene.application.clientId, client_secret: 'wrong' };
    const codes: string[] = [];
    for (const accept of ['*/*', problem, '*/*', problem]) {
      const response = await api.postForm(url, { ...form, ...client }, { accept });
      codes.push(response.json().code);
      if (response.statusCode === 429) t.match(response.headers['retry-after'], /^[1-9]\d*$/);
    }
    const [wrong, limited] = ['invalid_client', 'rate_limit_exceeded'];
    t.same(codes, [wrong, wrong, limited, limited]);
  });
}

t.test('every operation responds 429 beyond its limit, with the limit and its reset time', async (t) => {
  const { api, scene, token } = await prepare(t, { RATE_LIMIT_API: '1', RATE_LIMIT_TOKEN: '1' });
  for (const id of contract.operations.keys()) {
    for (const accept of accepts[id] ?? ['*/*']) {
      const request = requestFor(id, scene, token);
      const ask = () => api.app.inject({ ...request, headers: { ...request.headers, accept } });
      await ask();
      const { statusCode, headers, body } = await ask();
      t.equal(statusCode, 429, id);
      t.equal(headers['ratelimit-policy'], '"default";q=1;w=60', id);
      t.equal(headers.ratelimit, `"default";r=0;t=${headers['retry-after']}`, id);
      t.match(headers['retry-after'], /^[1-9]\d*$/, id);
      t.match(body, /The limit of 1 requests a minute is exceeded. Try again in \d+ seconds?\./, id);
    }
  }
});

t.test(
  'rejects a request whose body does not arrive in time with 408, and closes the connection',
  async (t) => {
    const { api, token } = shared;
    const port = await listen(api.app);
    for (const { method, path, body } of contract.operations.values()) {
      if (body === null) continue;
      const url = path.replace(/\{\w+\}/, 'unknown');
      const connected = once(api.app.server, 'connection');
      const socket = net.connect(port, '127.0.0.1');
      const requested = once(api.app.server, 'request');
      socket.write(
        [
          `${method} ${url} HTTP/1.1`,
          'Host: x',
          `Authorization: Bearer ${token}`,
          `Content-Type: ${body.mediaTypes[0]}`,
          'Content-Length: 9',
          '',
          'half',
        ].join('\r\n'),
      );
      const [connection] = await connected;
      await requested;
      // Node.js emits this event after half a minute.
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      api.app.server.emit('clientError', late, connection);
      const [response] = parseResponses(Buffer.concat(await socket.toArray()));
      t.equal(response?.statusCode, 408, url);
      if (response !== undefined) api.conformance.check({ method, url }, response);
    }
  },
);

// At the end, because the tests share the database.
t.test(
  'without its database every operation responds 503 with Retry-After and no internal details',
  async (t) => {
    await database.close();
    await requestAll(shared, (id, { statusCode, headers, body }) => {
      t.equal(statusCode, 503, id);
      t.match(headers['retry-after'], /^\d+$/, id);
      t.notMatch(body, /pool|PGlite|prisma|closed|postgres/i, id);
    });
  },
);
