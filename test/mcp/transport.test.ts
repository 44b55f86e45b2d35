import { mcpToken, sendMessage } from '../support/mcp/call-tool.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { application } = await createTenant(api.database);
const token = await mcpToken(api, application);
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

t.test('there are no sessions: GET and DELETE are 405, and each message is independent', async (t) => {
  for (const method of ['GET', 'DELETE'] as const) {
    const response = await api.app.inject({
      method,
      url: '/mcp',
      headers: { authorization: `Bearer ${token}` },
    });
    t.equal(response.statusCode, 405, method);
    t.equal(response.headers.allow, 'POST');
  }
  const response = await sendMessage(api, token, ping);
  t.same(response.json(), { jsonrpc: '2.0', id: 1, result: {} });
  t.notOk('mcp-session-id' in response.headers);
  t.equal(response.headers['cache-control'], 'no-store');
});

t.test(
  'a request from a page of another site is 403, and one from a page of this server is accepted',
  async (t) => {
    for (const origin of [
      'https://evil.example',
      'http://api.test:81',
      'https://api.test',
      'null',
      'http://api.test.evil',
    ]) {
      const response = await sendMessage(api, token, ping, { origin });
      t.equal(response.statusCode, 403, origin);
      t.notOk('access-control-allow-origin' in response.headers);
    }
    t.equal((await sendMessage(api, token, ping, { origin: 'http://api.test' })).statusCode, 200);
  },
);

t.test('a body that is not a message is a 4xx', async (t) => {
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  for (const [payload, status, headers] of [
    ['{', 400, {}],
    ['', 400, {}],
    ['null', 400, {}],
    ['1', 400, {}],
    ['{}', 400, {}],
    [JSON.stringify([ping, ping]), 400, {}],
    [deep, 400, {}],
    [JSON.stringify({ ...ping, method: 'x'.repeat(65_536) }), 413, {}],
    [JSON.stringify(ping), 415, { 'content-type': 'text/plain' }],
    ['a=b', 415, { 'content-type': 'application/x-www-form-urlencoded' }],
    [JSON.stringify(ping), 406, { accept: 'text/html' }],
    [JSON.stringify(ping), 400, { 'mcp-protocol-version': '1999-01-01' }],
  ] as const) {
    const response = await sendMessage(api, token, payload, headers);
    t.equal(response.statusCode, status, `${payload.slice(0, 60)} ${response.body.slice(0, 200)}`);
  }
});

t.test('a client that accepts JSON, any type or says nothing gets JSON', async (t) => {
  for (const accept of ['*/*', 'application/json', 'application/*', undefined]) {
    const response = await api.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${token}`, ...(accept !== undefined && { accept }) },
      payload: ping,
    });
    t.equal(response.statusCode, 200, accept ?? 'none');
    t.same(response.json(), { jsonrpc: '2.0', id: 1, result: {} });
  }
});

t.test('the address with a slash redirects with the method and the body', async (t) => {
  for (const method of ['GET', 'POST'] as const) {
    const response = await api.app.inject({ method, url: '/mcp/', payload: ping });
    t.equal(response.statusCode, 308, method);
    t.equal(response.headers.location, 'http://api.test/mcp');
  }
});

t.test('an unknown tool and an unknown method are errors of the protocol', async (t) => {
  const call = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'createToken', arguments: {} },
  };
  const unknownTool = await sendMessage(api, token, call);
  t.match(unknownTool.json(), { id: 7, error: { code: -32602, message: /There is no tool createToken/ } });
  const unknownMethod = await sendMessage(api, token, { jsonrpc: '2.0', id: 8, method: 'resources/list' });
  t.match(unknownMethod.json(), { id: 8, error: { code: -32601 } });
});

t.test(
  'there is nothing to subscribe to: the response is that of an unknown method, with the id of the message',
  async (t) => {
    const methods = ['subscriptions/listen', 'resources/subscribe'];
    const revision = '2026-07-28';
    const meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    for (const [method, id] of methods.flatMap((name) => [9, 'nine'].map((each) => [name, each] as const))) {
      const message = { jsonrpc: '2.0', id, method, params: { notifications: { toolsListChanged: true } } };
      const expected = { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
      const current = await sendMessage(
        api,
        token,
        { ...message, params: { ...message.params, _meta: meta } },
        { 'mcp-protocol-version': revision, 'mcp-method': method },
      );
      t.equal(current.statusCode, 404, `${method} ${id}`);
      t.same(current.json(), expected);
      t.match(current.headers, { 'content-type': /^application\/json/, 'cache-control': 'no-store' });
      const earlier = await sendMessage(api, token, message);
      t.equal(earlier.statusCode, 200, `${method} ${id} before 2026`);
      t.same(earlier.json(), expected);
    }
  },
);
