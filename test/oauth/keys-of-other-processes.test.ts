import { decodeJwt, decodeProtectedHeader } from 'jose';
import { openTestDatabase } from '../support/database/database.js';
import { bearerCalls, refused } from '../support/oauth/bearer-calls.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const { setUp, goodClaims, signed } = bearerCalls(api);

t.test(
  'a token of one process, and its revocation, is accepted by every other process on the same database',
  async (t) => {
    const second = await buildTestApp(t, { database });
    const { token, accountId } = await setUp();
    t.equal((await second.get('/v1/employees', token)).statusCode, 200);
    const { jti = '' } = decodeJwt(token);
    await database.prisma.revokedAccessToken.create({
      data: { jti, accountId, expiresAt: new Date('2030-01-01') },
    });
    refused(t, await second.get('/v1/employees', token), 'invalid_token');
    refused(t, await api.get('/v1/employees', token), 'invalid_token');
  },
);

/** Rotates the keys in another process, which keeps running. */
async function rotateElsewhere(t: Test, seconds: number) {
  const other = await buildTestApp(t, { database });
  other.clock.advanceSeconds(seconds);
  const kid = await other.signingKeys.rotate({ tokenTtlSeconds: 3600 });
  return { other, kid };
}

t.test('finds the key of another process when its first tokens arrive, also concurrently', async (t) => {
  const running = await buildTestApp(t, { database });
  const { application } = await createTenant(database);
  const before = await running.token(application);
  running.clock.advanceSeconds(10);
  const { other, kid } = await rotateElsewhere(t, 10);
  const tokens = await Promise.all(Array.from({ length: 5 }, () => other.token(application)));
  t.equal(decodeProtectedHeader(tokens[0] ?? '').kid, kid);

  const responses = await Promise.all(tokens.map((token) => running.get('/v1/employees', token)));
  t.same(
    responses.map(({ statusCode }) => statusCode),
    tokens.map(() => 200),
    'each of the concurrent requests is accepted',
  );
  t.equal(
    (await running.get('/v1/employees', before)).statusCode,
    200,
    'tokens of the old key are still accepted',
  );
  t.equal((await other.get('/v1/employees', before)).statusCode, 200, 'also in the other process');
  const { keys } = (await other.get('/.well-known/jwks.json')).json();
  const published = keys.map((key: { kid: string }) => key.kid);
  t.ok(published.includes(kid));
  t.ok(published.includes(decodeProtectedHeader(before).kid), 'the replaced key stays published');
});

t.test('tokens with unknown keys do not prevent a new key from being found', async (t) => {
  const running = await buildTestApp(t, { database });
  const { application } = await createTenant(database);
  running.clock.advanceSeconds(40);
  const forged = await signed(goodClaims(application), { kid: 'made-up' });
  refused(t, await running.get('/v1/employees', forged), 'invalid_token');
  const { other } = await rotateElsewhere(t, 30);
  const token = await other.token(application);
  // The database is queried at most once a second for unknown keys.
  running.clock.advanceSeconds(1);
  t.equal((await running.get('/v1/employees', token)).statusCode, 200);
});
