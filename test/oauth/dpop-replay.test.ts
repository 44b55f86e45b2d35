import { Housekeeping } from '../../src/process/housekeeping.js';
import { openTestDatabase } from '../support/database/database.js';
import { createSigner, dpopClient, proofRefused, signProof } from '../support/oauth/dpop.js';
import { createScene, expectOAuthError } from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp, type TestApp, testSecret } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const url = '/v1/employees';

async function setUp(by: TestApp = api) {
  const { application } = await createTenant(database);
  const client = dpopClient(by, await createSigner());
  const token = await client.token(application);
  await client.call(token);
  return { application, client, token, send: sender(token) };
}

const sender =
  (token: string) =>
  (dpop: string, by: TestApp = api) =>
    by.app.inject({ url, headers: { authorization: `DPoP ${token}`, dpop } });

t.test('a proof is accepted once, in all processes', async (t) => {
  const second = await buildTestApp(t, { database });
  const { client, token, send } = await setUp();
  const proof = await client.proof({ method: 'GET', url, accessToken: token });
  t.equal((await send(proof)).statusCode, 200);
  proofRefused(t, await send(proof), 'invalid_dpop_proof');
  proofRefused(t, await send(proof, second), 'invalid_dpop_proof');
  const other = await client.proof({ method: 'GET', url, accessToken: token });
  t.equal((await send(other, second)).statusCode, 200, 'the nonce is accepted by the other process');
  proofRefused(t, await send(other), 'invalid_dpop_proof');
});

t.test('of 100 concurrent uses of one proof in two processes exactly one succeeds', async (t) => {
  const second = await buildTestApp(t, { database });
  const { client, token, send } = await setUp();
  const proof = await client.proof({ method: 'GET', url, accessToken: token });
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => send(proof, index % 2 === 0 ? api : second)),
  );
  const accepted = responses.filter(({ statusCode }) => statusCode === 200);
  t.equal(accepted.length, 1);
  for (const response of responses.filter(({ statusCode }) => statusCode !== 200))
    t.equal(response.json().code, 'invalid_dpop_proof');
});

t.test('of 100 concurrent token requests with one proof exactly one succeeds', async (t) => {
  const { application, client } = await setUp();
  const { clientId: client_id, clientSecret: client_secret } = application;
  const dpop = await client.proof({ method: 'POST', url: '/v1/oauth/token' });
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => api.postForm('/v1/oauth/token', form, { dpop })),
  );
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 1);
  const rejected = responses.find(({ statusCode }) => statusCode !== 200);
  if (rejected !== undefined) expectOAuthError(t, rejected, 'invalid_dpop_proof');
});

t.test('concurrent requests with different proofs all succeed, in crossed order too', async (t) => {
  const second = await buildTestApp(t, { database });
  const { client, token, send } = await setUp();
  const proofs = await Promise.all(
    Array.from({ length: 40 }, () => client.proof({ method: 'GET', url, accessToken: token })),
  );
  const responses = await Promise.all([
    ...proofs.map((proof) => send(proof)),
    ...proofs.toReversed().map((proof) => send(proof, second)),
  ]);
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 40);
  t.equal(responses.filter(({ statusCode }) => statusCode === 401).length, 40);
});

t.test('the jti of one key does not consume that of another key', async (t) => {
  const first = await setUp();
  const second = await setUp();
  for (const { client, token, send } of [first, second]) {
    const proof = await client.proof({ method: 'GET', url, accessToken: token, claims: { jti: 'the same' } });
    t.equal((await send(proof)).statusCode, 200);
    const again = await client.proof({ method: 'GET', url, accessToken: token, claims: { jti: 'the same' } });
    proofRefused(t, await send(again), 'invalid_dpop_proof');
  }
});

t.test('a rejected proof of another request is not consumed by it', async (t) => {
  const { client, token, send } = await setUp();
  const proof = await client.proof({ method: 'GET', url, accessToken: token });
  const elsewhere = await api.app.inject({
    url: '/v1/reports',
    headers: { authorization: `DPoP ${token}`, dpop: proof },
  });
  proofRefused(t, elsewhere, 'invalid_dpop_proof');
  t.equal((await send(proof)).statusCode, 200);
});

t.test('a proof needs a nonce of this server that is younger than five minutes', async (t) => {
  const local = await buildTestApp(t, { database });
  const { client, token } = await setUp(local);
  const first = await client.call(token, { nonce: undefined });
  proofRefused(t, first, 'use_dpop_nonce');
  const nonce = String(first.headers['dpop-nonce']);
  t.equal((await client.call(token, { nonce })).statusCode, 200);
  const [time = '', signature = ''] = nonce.split('.');
  for (const wrong of [
    '',
    'x',
    `${time}.${'A'.repeat(43)}`,
    `${(Number.parseInt(time, 36) + 1).toString(36)}.${signature}`,
    `${nonce}x`,
    ` ${nonce}`,
    `${time}..${signature}`,
  ])
    proofRefused(t, await client.call(token, { nonce: wrong }), 'use_dpop_nonce', wrong);
  proofRefused(t, await client.call(token, { claims: { nonce: 5 }, nonce }), 'use_dpop_nonce');
  local.clock.advanceSeconds(299);
  t.equal((await client.call(token, { nonce })).statusCode, 200, 'one second before');
  local.clock.advanceSeconds(1);
  proofRefused(t, await client.call(token, { nonce }), 'use_dpop_nonce', 'after five minutes');
});

t.test(
  'a response replaces a nonce that is half expired, so that a client in use needs no repeated request',
  async (t) => {
    const local = await buildTestApp(t, { database });
    const { client, token } = await setUp(local);
    const { application } = await createTenant(database);
    const nonce = String((await client.call(token, { nonce: undefined })).headers['dpop-nonce']);
    local.clock.advanceSeconds(149);
    t.notOk('dpop-nonce' in (await client.call(token, { nonce })).headers);
    local.clock.advanceSeconds(1);
    const response = await client.call(token, { nonce });
    t.equal(response.statusCode, 200);
    t.ok(response.headers['dpop-nonce']);
    t.not(response.headers['dpop-nonce'], nonce);
    const { clientId: client_id, clientSecret: client_secret } = application;
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    t.ok((await client.postForm(form, { nonce })).headers['dpop-nonce'], 'at the token endpoint too');
  },
);

t.test('a nonce is accepted while APP_SECRET changes, and not with another secret', async (t) => {
  const { client, token } = await setUp();
  const nonce = String((await client.call(token, { nonce: undefined })).headers['dpop-nonce']);
  const secret = 'another secret for tests that is long enough';
  const changing = await buildTestApp(t, { database, appSecrets: { current: secret, previous: testSecret } });
  const send = async (by: TestApp) => {
    const content = { method: 'GET', url, accessToken: token, nonce };
    return sender(token)(await signProof(by, client.signer, content), by);
  };
  t.equal((await send(changing)).statusCode, 200);
});

t.test('used proofs are stored as hashes, and deleted when every process rejects them', async (t) => {
  const own = await openTestDatabase(t);
  const clock = createTestClock();
  const local = await buildTestApp(t, { database: own, clock });
  const { application } = await createScene(own, { clientType: 'confidential' });
  const client = dpopClient(local, await createSigner());
  const token = await client.token(application);
  t.equal((await client.call(token)).statusCode, 200);
  const rows = await own.prisma.usedProof.findMany();
  t.equal(rows.length, 2, 'the token request and the call');
  t.ok(rows.every(({ proofHash }) => proofHash.length === 32));
  const housekeeping = new Housekeeping(own, { eventRetentionDays: 30, historyRetentionDays: 30 });
  clock.advanceSeconds(600);
  await housekeeping.prune(clock());
  t.equal(await own.prisma.usedProof.count(), 2);
  clock.advanceSeconds(1);
  await housekeeping.prune(clock());
  t.equal(await own.prisma.usedProof.count(), 0);
});
