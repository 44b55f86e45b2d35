import { query } from '../support/database/query.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { type Caller, usageOfCallers } from '../support/records/usage.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;
const { reader, createCaller } = usageOfCallers(api);

async function rejectionsOf({ accountId, application }: Caller, from: TestApp = api) {
  await from.usage.flush();
  return reader.rejectedRequestsOf(accountId, application.id);
}

t.test(
  'stores time, caller, operation, status and code of a rejected request, and nothing else of it',
  async (t) => {
    const scene = await createScene(database);
    const { accessToken } = await grantTokens(api, scene);
    const secret = 'worded-by-the-caller';
    const headers = { 'x-request-id': 'my-request-1', 'user-agent': secret };
    await api.get(`/v1/employees?${secret}=${secret}`, accessToken, headers);
    t.same(await rejectionsOf(scene), [
      {
        at: api.clock(),
        requestId: 'my-request-1',
        operation: 'listEmployees',
        status: 400,
        code: 'invalid_request',
        userId: scene.user.id,
      },
    ]);
    const stored = await query(
      database,
      'SELECT to_jsonb(rejected_requests)::text AS row FROM rejected_requests',
    );
    t.notMatch(JSON.stringify(stored), secret);
  },
);

t.test('keeps the last twenty rejected requests of an application, newest first', async (t) => {
  const other = await buildTestApp(t, { database, clock: api.clock });
  const [caller, neighbor] = [await createCaller(), await createCaller()];
  await neighbor.send('GET', '/v1/employees/unknown');
  let sent = 0;
  const reject = async (count: number, from: TestApp) => {
    for (let left = count; left > 0; left -= 1) {
      sent += 1;
      api.clock.advanceSeconds(1);
      await from.get('/v1/employees/unknown', caller.token, { 'x-request-id': `r${sent}` });
    }
    await from.get('/v1/employees', caller.token);
  };
  const expected = () => Array.from({ length: Math.min(sent, 20) }, (_, index) => `r${sent - index}`);
  const ids = async () => (await rejectionsOf(caller)).map(({ requestId }) => requestId);
  await reject(3, api);
  t.same(await ids(), expected());
  await reject(22, api);
  t.same(await ids(), expected(), 'more rejections in one batch than are kept');
  await reject(4, api);
  await reject(5, other);
  await Promise.all([api.usage.flush(), other.usage.flush()]);
  await reject(1, api);
  t.same(await ids(), expected(), 'of two processes');
  const where = { accountId: caller.accountId };
  t.equal(await database.prisma.rejectedRequest.count({ where }), 20, 'no more are stored');
  t.equal((await rejectionsOf(neighbor)).length, 1, 'those of another application are kept');
});

t.test('stores calls beyond the limit and with expired or revoked tokens as rejected requests', async (t) => {
  const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_API: '1' } });
  const caller = await createCaller({}, limited);
  await caller.send('GET', '/v1/employees');
  await caller.send('GET', '/v1/employees');
  limited.clock.advanceSeconds(3600);
  await caller.send('GET', '/v1/employees');
  t.match(await rejectionsOf(caller, limited), [
    { status: 401, code: 'token_expired', userId: null },
    { status: 429, code: 'rate_limit_exceeded', userId: null },
  ]);
});
