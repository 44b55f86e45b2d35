import { UsageRecorder } from '../../src/features/usage/usage-recorder.js';
import { query } from '../support/database/query.js';
import { createScene } from '../support/oauth/users.js';
import { ever, usageOfCallers } from '../support/records/usage.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const { reader, usageOf } = usageOfCallers(api);

type Scene = Awaited<ReturnType<typeof createScene>>;

const confidentialScene = () => createScene(database, { clientType: 'confidential' });

async function failuresOf({ accountId, application }: Scene) {
  await api.usage.flush();
  const [requests, byHour] = await Promise.all([
    reader.failedAuthenticationsOf(accountId, application.id),
    reader.failuresByHour(accountId, application.id, ever),
  ]);
  return { requests, counts: byHour.map(({ failures }) => failures) };
}

/** A recorder of one process, and a failed authentication of an application. */
function processOf({ accountId, application }: Scene) {
  const usage = new UsageRecorder({ database, clock });
  const fail = (requestId: string) =>
    usage.recordFailure({
      accountId,
      applicationId: application.id,
      userId: null,
      operation: 'createToken',
      status: 401,
      records: 0,
      requestId,
      code: 'invalid_client',
    });
  return { usage, fail };
}

t.test('stores a failed client authentication with its request id, and no secret', async (t) => {
  const scene = await confidentialScene();
  const { clientId: client_id } = scene.application;
  const wrong = 'not-the-secret-of-the-client';
  const basic = `Basic ${Buffer.from(`${client_id}:${wrong}`).toString('base64')}`;
  const grant = { grant_type: 'client_credentials' };
  await api.postForm(
    '/v1/oauth/token',
    { ...grant, client_id, client_secret: wrong },
    { 'x-request-id': 'form-1' },
  );
  clock.advanceSeconds(1);
  await api.postForm('/v1/oauth/token', grant, { authorization: basic, 'x-request-id': 'basic-1' });
  clock.advanceSeconds(1);
  const revocation = { token: wrong, client_id, client_secret: wrong };
  await api.postForm('/v1/oauth/revoke', revocation, { 'x-request-id': 'revoke-1' });
  const { requests, counts } = await failuresOf(scene);
  const expected = { status: 401, code: 'invalid_client', userId: null };
  t.match(requests, [
    { ...expected, operation: 'revokeToken', requestId: 'revoke-1' },
    { ...expected, operation: 'createToken', requestId: 'basic-1' },
    { ...expected, operation: 'createToken', requestId: 'form-1', at: new Date(+clock() - 2000) },
  ]);
  t.same(counts, [3]);
  const stored = await query(
    database,
    `SELECT to_jsonb(r)::text AS row FROM rejected_requests r
     UNION ALL SELECT to_jsonb(f)::text FROM failed_authentications f`,
  );
  for (const secret of [wrong, basic.slice(6)]) t.notMatch(JSON.stringify(stored), secret);
  t.same(await usageOf(scene), {}, 'they are no calls of the application, because anyone can send them');
  t.same(await reader.rejectedRequestsOf(scene.accountId, scene.application.id), []);
  const found = await reader.rejectedRequestsWithId(scene.accountId, scene.application.id, 'basic-1');
  t.match(found, [{ operation: 'createToken', requestId: 'basic-1' }]);
});

t.test('a token request without the required secret is a failed authentication, and a call', async (t) => {
  const scene = await confidentialScene();
  const { id, clientId: client_id } = scene.application;
  await database.prisma.application.updateMany({ where: { id }, data: { requireClientSecret: true } });
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id };
  t.equal((await api.postForm('/v1/oauth/token', form)).json().code, 'invalid_client');
  t.match(await failuresOf(scene), { requests: [{ code: 'invalid_client' }], counts: [1] });
  t.same(await reader.rejectedRequestsOf(scene.accountId, id), []);
  t.same(await usageOf(scene), { createToken: [1, 1, 0, 0] });
});

t.test('stores nothing about a failed authentication with an unknown client id', async (t) => {
  const counted = async () => {
    await api.usage.flush();
    const tables = ['rejected_requests', 'failed_authentications', 'api_usage'];
    const columns = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
    return query(database, `SELECT ${columns.join()}`);
  };
  const before = await counted();
  for (const client_id of ['unknownclient', "' OR 1=1", 'x'.repeat(255)]) {
    const form = { grant_type: 'client_credentials', client_id, client_secret: 'x' };
    t.equal((await api.postForm('/v1/oauth/token', form)).statusCode, 401, client_id.slice(0, 20));
  }
  t.same(await counted(), before);
});

t.test('stores the first hundred of an hour, of several processes too, and counts the others', async (t) => {
  const [scene, neighbor] = [await confidentialScene(), await confidentialScene()];
  clock.advanceSeconds(3600 - (Math.floor(+clock() / 1000) % 3600));
  const [one, other] = [processOf(scene), processOf(scene)];
  const near = processOf(neighbor);
  near.fail('neighbor');
  for (let index = 0; index < 120; index += 1) one.fail(`a${index}`);
  await one.usage.flush();
  clock.advanceSeconds(1);
  for (let index = 0; index < 30; index += 1) other.fail(`b${index}`);
  await Promise.all([other.usage.flush(), near.usage.flush()]);
  const full = await failuresOf(scene);
  t.equal(full.requests.length, 100);
  t.ok(full.requests.every(({ requestId }) => requestId.startsWith('a')));
  t.same(full.counts, [150]);
  clock.advanceSeconds(3600);
  other.fail('next');
  await other.usage.flush();
  const next = await failuresOf(scene);
  t.equal(next.requests[0]?.requestId, 'next', 'the next hour has its own hundred');
  t.same(next.counts, [1, 150]);
  const where = { accountId: scene.accountId };
  t.equal(await database.prisma.rejectedRequest.count({ where }), 101);
  t.same((await failuresOf(neighbor)).counts, [1]);
});

t.test('failed authentications do not displace the other rejected requests of an application', async (t) => {
  const scene = await confidentialScene();
  const token = await api.token(scene.application);
  await api.get('/v1/employees/unknown', token, { 'x-request-id': 'kept' });
  const { usage, fail } = processOf(scene);
  for (let index = 0; index < 50; index += 1) fail(`f${index}`);
  await usage.flush();
  await api.get('/v1/employees/unknown', token, { 'x-request-id': 'later' });
  await api.usage.flush();
  const rejected = await reader.rejectedRequestsOf(scene.accountId, scene.application.id);
  t.same(rejected.map(({ requestId }) => requestId).toSorted(), ['kept', 'later']);
  t.equal((await failuresOf(scene)).requests.length, 50);
});
