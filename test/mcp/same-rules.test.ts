import { UsageReader } from '../../src/features/usage/usage-reader.js';
import { callTool, mcpToken, sendMessage } from '../support/mcp/call-tool.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { captureLog } from '../support/server/captured-log.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { MAX_IDEMPOTENCY_KEYS: '1' } });

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

t.test('a call counts as the operation, with its records, and other messages do not count', async (t) => {
  const { accountId, application } = await createTenant(api.database, { employees: makeEmployees(3) });
  const token = await mcpToken(api, application);
  await sendMessage(api, token, list);
  await callTool(api, token, 'listEmployees', {});
  await callTool(api, token, 'listEmployees', { page_size: 0 });
  await api.usage.flush();
  const ever = { from: new Date('2000-01-01'), to: new Date('2100-01-01') };
  const rows = await new UsageReader(api.database).usageByOperationOf(accountId, application.id, ever);
  t.same(rows.map(({ operation, calls, errors, records }) => [operation, calls, errors, records]).sort(), [
    ['createToken', 1, 0, 0],
    ['listEmployees', 2, 1, 3],
  ]);
});

t.test(
  'a message counts once toward the rate limit of the application, also when it calls a tool',
  async (t) => {
    const api = await buildTestApp(t, { environment: { RATE_LIMIT_API: '4' } });
    const { application } = await createTenant(api.database);
    const token = await mcpToken(api, application);
    const accepted = [
      await sendMessage(api, token, list),
      await callTool(api, token, 'listReports'),
      await callTool(api, token, 'getReport', { report_id: 'unknown' }),
      await callTool(api, token, 'listReports'),
    ];
    t.same(
      accepted.map((response) => [response.statusCode, response.headers.ratelimit?.toString().split(';')[1]]),
      [3, 2, 1, 0].map((remaining) => [200, `r=${remaining}`]),
    );
    for (const limited of [
      await callTool(api, token, 'listReports'),
      await sendMessage(api, token, list),
      await api.get('/v1/reports', await api.token(application)),
    ]) {
      t.equal(limited.statusCode, 429);
      t.match(limited.headers['retry-after'], /^\d+$/);
    }
  },
);

t.test('an exceeded limit of an operation is a tool error that says when to try again', async (t) => {
  const { application } = await createTenant(api.database);
  const token = await mcpToken(api, application);
  const create = (key: string) =>
    callTool(api, token, 'createReport', { idempotency_key: key, body: { title: 'A report' } });
  t.notOk((await create('first')).json().result.isError);
  const { isError, content } = (await create('second')).json().result;
  t.equal(isError, true);
  t.match(content[0].text, /429 rate_limit_exceeded.*\nTry again after \d+ seconds/);
});

t.test('an operation has the request id and the client address of its tool call', async (t) => {
  const log = captureLog('debug');
  const api = await buildTestApp(t, { logger: log.logger, environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  const addresses: string[] = [];
  api.app.addHook('onRequest', async ({ ip }) => {
    addresses.push(ip);
  });
  const { application } = await createTenant(api.database);
  const token = await mcpToken(api, application);
  addresses.length = 0;
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'getReport', arguments: { report_id: 'x' } },
  };
  const response = await sendMessage(api, token, call, {
    'x-request-id': 'call-1',
    'x-forwarded-for': '203.0.113.9',
  });
  t.match(response.json().result.content[0].text, /Request id: call-1/);
  t.same(addresses, ['203.0.113.9', '203.0.113.9']);
  t.same(
    log.done('call-1').map(({ operation, status }) => [operation, status]),
    [
      ['getReport', 404],
      ['POST /mcp', 200],
    ],
  );
});

t.test('no log line has a token or an argument', async (t) => {
  const log = captureLog('trace');
  const api = await buildTestApp(t, { logger: log.logger });
  const scene = await createScene(api.database);
  const { accessToken } = await grantTokens(api, scene, {
    scope: 'reports:read reports:write',
    resource: `${api.config.baseUrl}/mcp`,
  });
  await callTool(api, accessToken, 'createReport', { body: { title: 'a secret title' } });
  await callTool(api, accessToken, 'createReport', { body: { title: 7, 'a secret member': 1 } });
  await callTool(api, `${accessToken}x`, 'createReport', {});
  t.ok(log.lines.length >= 3);
  const written = log.lines.join('');
  t.notOk(written.includes(accessToken));
  t.notMatch(written, /a secret/);
});
