import {
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { SigningKeys } from '../../src/oauth/keys/signing-keys.js';
import { UnreadableSecretError } from '../../src/platform/crypto/keyring.js';
import type { Database } from '../../src/platform/database/client.js';
import { randomId } from '../../src/platform/database/ids.js';
import { Housekeeping } from '../../src/process/housekeeping.js';
import { describeFailure } from '../../src/process/operator-errors.js';
import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { expectTokenRejected, revoke, tokenAccepted } from '../support/oauth/users.js';
import { createTenant, type Tenant } from '../support/records/tenant.js';
import { buildTestApp, contract, type TestApp, testSecrets } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';

const jwksAddress = '/.well-known/jwks.json';
const metadataAddress = '/.well-known/oauth-authorization-server';
const overlapSeconds = 3600 + 60;

interface Setting {
  readonly api: TestApp;
  readonly database: Database;
  readonly tenant: Tenant;
}

const shared = await openTestDatabase(t);

/** An application on the shared database, which also has keys of other tests. */
async function setUp(t: Test, database = shared): Promise<Setting> {
  const api = await buildTestApp(t, { database });
  return { api, database, tenant: await createTenant(database) };
}

/** For tests that change no keys. */
const unchanged = await setUp(t);

/** An application on a database without other keys. */
async function setUpAlone(t: Test): Promise<Setting> {
  return setUp(t, await openTestDatabase(t));
}

const prune = (database: Database, at: Date) =>
  new Housekeeping(database, { eventRetentionDays: 30, historyRetentionDays: 30 }).prune(at);
const rotate = ({ signingKeys }: Pick<TestApp, 'signingKeys'>) =>
  signingKeys.rotate({ tokenTtlSeconds: 3600 });
const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const publishedKids = async (api: TestApp): Promise<string[]> =>
  (await api.get(jwksAddress)).json().keys.map(({ kid }: { kid: string }) => kid);

t.test('private keys are encrypted in the database, and published keys have no private part', async (t) => {
  const { api, database } = await setUp(t);
  await rotate(api);
  const rows = await database.prisma.signingKey.findMany();
  t.ok(rows.length >= 2);
  for (const { privateKey, publicKey, algorithm } of rows) {
    t.equal(algorithm, 'ES256');
    t.equal(privateKey.split('.').length, 5, 'a compact JWE');
    t.match(decodeProtectedHeader(privateKey), { alg: 'dir', enc: 'A256GCM' });
    const parts = privateKey.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    t.notMatch(parts.join('\n'), /"d"|"crv"|P-256|PRIVATE KEY/);
    t.notOk('d' in (publicKey as object));
  }
  t.not(rows[0]?.privateKey, rows[1]?.privateKey);
  const { keys } = (await api.get(jwksAddress)).json();
  for (const key of keys) t.same(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

t.test(
  'another APP_SECRET does not decrypt the keys, and the error names the variable in one line',
  async (t) => {
    const { api, database } = await setUpAlone(t);
    const before = await database.prisma.signingKey.findMany();
    const opening = SigningKeys.open(database, { current: 'another secret that is long enough' }, api.clock);
    const error = await opening.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    t.ok(error instanceof UnreadableSecretError);
    t.match(describeFailure(error), /^Signing key \S+ was encrypted with another APP_SECRET: [^\n]+$/);
    t.notMatch(describeFailure(error), /another secret|for tests/);
    t.same(await database.prisma.signingKey.findMany(), before, 'creates no other key');
  },
);

t.test('rejects an encrypted key that was changed in the database', async (t) => {
  const { api, database } = await setUpAlone(t);
  const { kid, privateKey } = await database.prisma.signingKey.findFirstOrThrow();
  const parts = privateKey.split('.');
  parts[3] = `${parts[3]?.startsWith('A') ? 'B' : 'A'}${parts[3]?.slice(1)}`;
  await database.prisma.signingKey.update({ where: { kid }, data: { privateKey: parts.join('.') } });
  await t.rejects(SigningKeys.open(database, testSecrets, api.clock), UnreadableSecretError);
});

t.test('concurrent starts on an empty database create one key', async (t) => {
  const database = await openTestDatabase(t);
  const clock = createTestClock();
  const opened = await Promise.all(
    Array.from({ length: 4 }, () => SigningKeys.open(database, testSecrets, clock)),
  );
  t.equal(await database.prisma.signingKey.count(), 1);
  t.equal(new Set(opened.map(({ current }) => current.kid)).size, 1);
});

t.test(
  'after a rotation new tokens have the new kid, and old ones stay valid until they expire',
  async (t) => {
    const { api, tenant } = await setUp(t);
    const old = await api.token(tenant.application);
    const kid = await rotate(api);
    const fresh = await api.token(tenant.application);
    t.equal(kidOf(fresh), kid);
    t.not(kidOf(old), kid);
    await tokenAccepted(t, api, old);
    await tokenAccepted(t, api, fresh);
    api.clock.advanceSeconds(3599);
    await tokenAccepted(t, api, old);
    api.clock.advanceSeconds(1);
    await expectTokenRejected(t, api, old, 'token_expired');
  },
);

t.test('the JWKS lists both keys until the overlap ends, and pruning deletes the old one then', async (t) => {
  const { api, database } = await setUpAlone(t);
  const [old = ''] = await publishedKids(api);
  const kid = await rotate(api);
  t.same((await publishedKids(api)).sort(), [old, kid].sort());
  const row = await database.prisma.signingKey.findUniqueOrThrow({ where: { kid: old } });
  t.same(row.retiredAt, api.clock());
  t.equal(row.expiresAt?.getTime(), api.clock().getTime() + overlapSeconds * 1000);

  api.clock.advanceSeconds(overlapSeconds - 1);
  await api.signingKeys.reload();
  t.same((await publishedKids(api)).sort(), [old, kid].sort());
  t.equal((await prune(database, api.clock())).signing_keys, 0);

  api.clock.advanceSeconds(1);
  await api.signingKeys.reload();
  t.same(await publishedKids(api), [kid]);
  api.clock.advanceSeconds(1);
  t.equal((await prune(database, api.clock())).signing_keys, 1);
  const kept = await database.prisma.signingKey.findMany();
  t.match(kept, [{ kid, retiredAt: null, expiresAt: null }]);
});

t.test('a slow reload of the keys does not restore discarded keys', async (t) => {
  const { api, database } = await setUpAlone(t);
  const old = api.signingKeys.current.kid;
  let tellRead = () => {};
  const read = new Promise<void>((resolve) => {
    tellRead = resolve;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let looks = 0;
  const prisma = database.prisma.$extends({
    query: {
      signingKey: {
        async findMany({ args, query }) {
          looks += 1;
          const isSlow = looks === 2;
          const rows = await query(args);
          if (isSlow) {
            tellRead();
            await released;
          }
          return rows;
        },
      },
    },
  }) as unknown as Database['prisma'];
  const keys = await SigningKeys.open({ ...database, prisma }, testSecrets, api.clock);
  const late = keys.reload();
  await read;
  const kid = await keys.rotate('discard');
  release();
  await late;
  t.equal(keys.current.kid, kid);
  t.notOk(keys.has(old));
});

t.test('discards keys that may have leaked, and rejects every token that they signed', async (t) => {
  const { api, database, tenant } = await setUpAlone(t);
  const other = await buildTestApp(t, { database, clock: api.clock });
  const oldest = await api.token(tenant.application);
  await rotate(api);
  const old = await api.token(tenant.application);
  await tokenAccepted(t, other, oldest);
  const kid = await api.signingKeys.rotate('discard');
  t.same(await publishedKids(api), [kid]);
  for (const token of [oldest, old]) await expectTokenRejected(t, api, token, 'invalid_token');
  await tokenAccepted(t, api, await api.token(tenant.application));
  await other.signingKeys.reload();
  for (const token of [oldest, old]) await expectTokenRejected(t, other, token, 'invalid_token');
});

t.test('several rotations, also concurrent ones, leave one key that signs', async (t) => {
  const { api, database, tenant } = await setUpAlone(t);
  const other = await SigningKeys.open(database, testSecrets, api.clock);
  await Promise.all([rotate(api), other.rotate({ tokenTtlSeconds: 3600 })]);
  await rotate(api);
  await api.signingKeys.reload();
  t.equal(await database.prisma.signingKey.count({ where: { retiredAt: null } }), 1);
  t.equal((await publishedKids(api)).length, 4);
  const [current] = await database.prisma.signingKey.findMany({ where: { retiredAt: null } });
  const token = await api.token(tenant.application);
  t.equal(kidOf(token), current?.kid);
  await tokenAccepted(t, api, token);
});

t.test('another process loads a new key when it sees an unknown kid', async (t) => {
  const { api, database, tenant } = await setUp(t);
  const other = await buildTestApp(t, { database, clock: api.clock });
  const old = await api.token(tenant.application);
  const kid = await rotate(api);
  const fresh = await api.token(tenant.application);
  t.not(other.signingKeys.current.kid, kid);
  await tokenAccepted(t, other, fresh);
  t.equal(other.signingKeys.current.kid, kid);
  await tokenAccepted(t, other, old);
  t.equal(kidOf(await other.token(tenant.application)), kid);
});

t.test(
  'another process loads a new key at its next reload, and tokens of either process are valid',
  async (t) => {
    const { api, database, tenant } = await setUp(t);
    const other = await buildTestApp(t, { database, clock: api.clock });
    const kid = await rotate(api);
    const late = await other.token(tenant.application);
    t.not(kidOf(late), kid, 'it signs with the old key until it reloads the keys');
    await tokenAccepted(t, api, late);
    await other.signingKeys.reload();
    t.equal(kidOf(await other.token(tenant.application)), kid);
    t.same((await publishedKids(other)).sort(), (await publishedKids(api)).sort());
  },
);

t.test('rejects an unknown kid until a process has stored its key', async (t) => {
  const { api, database, tenant } = await setUp(t);
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = randomId();
  const token = await new SignJWT(decodeJwt(await api.token(tenant.application)))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .sign(privateKey);
  await expectTokenRejected(t, api, token, 'invalid_token');
  await database.prisma.signingKey.create({
    data: {
      kid,
      algorithm: 'ES256',
      publicKey: (await exportJWK(publicKey)) as object,
      privateKey: '',
      createdAt: api.clock(),
      retiredAt: api.clock(),
      expiresAt: new Date(api.clock().getTime() + 3_600_000),
    },
  });
  await tokenAccepted(t, api, token);
});

t.test(
  'a failed lookup of a key is 500, not an invalid token, and the token can be revoked later',
  async (t) => {
    const { api, database, tenant } = await setUp(t);
    const other = await buildTestApp(t, { database, clock: api.clock });
    await rotate(api);
    const token = await api.token(tenant.application);
    const { clientSecret: client_secret } = tenant.application;
    const revokeToken = () => revoke(other, tenant.application, token, { client_secret });
    await asOwner(database, 'ALTER TABLE signing_keys RENAME TO signing_keys_away');
    const failed = [await other.get('/v1/employees', token), await revokeToken()];
    await asOwner(database, 'ALTER TABLE signing_keys_away RENAME TO signing_keys');
    for (const response of failed) {
      t.equal(response.statusCode, 500);
      t.equal(response.json().code, 'internal_error');
    }
    await tokenAccepted(t, other, token);
    t.equal((await revokeToken()).statusCode, 200);
    await expectTokenRejected(t, other, token, 'invalid_token');
  },
);

t.test('keeps its keys when a reload finds no current one', async (t) => {
  const { api, database, tenant } = await setUpAlone(t);
  const token = await api.token(tenant.application);
  await database.prisma.signingKey.deleteMany();
  await api.signingKeys.reload();
  await tokenAccepted(t, api, token);
  await tokenAccepted(t, api, await api.token(tenant.application));
});

t.test('audits a rotation with the kid', async (t) => {
  const { api, database } = await setUp(t);
  const kid = await rotate(api);
  const events = await database.prisma.systemEvent.findMany({
    where: { type: 'signing_key.rotated', details: { path: ['kid'], equals: kid } },
  });
  t.match(events, [{ details: { kid }, createdAt: api.clock() }]);
  t.equal(events.length, 1);
});

t.test('the JWKS verifies the tokens that the server issues', async (t) => {
  const { api, tenant } = unchanged;
  const response = await api.get(jwksAddress);
  t.equal(response.statusCode, 200);
  t.match(response.headers['cache-control'], /^public, max-age=\d+$/);
  const token = await api.token(tenant.application);
  const key = response.json().keys.find(({ kid }: { kid: string }) => kid === kidOf(token));
  t.match(key, { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  const { payload } = await jwtVerify(token, await importJWK(key), {
    issuer: 'http://api.test',
    audience: 'http://api.test',
    typ: 'at+jwt',
    currentDate: api.clock(),
  });
  t.equal(payload.client_id, tenant.application.clientId);
});

t.test('the metadata has every member of RFC 8414 as the contract does', async (t) => {
  const { api, tenant } = unchanged;
  const response = await api.get(metadataAddress);
  t.equal(response.statusCode, 200);
  t.match(response.headers['cache-control'], /^public, max-age=\d+$/);
  const metadata = response.json();
  const auth = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'];
  t.match(metadata, {
    issuer: 'http://api.test',
    authorization_endpoint: 'http://api.test/v1/oauth/authorize',
    token_endpoint: 'http://api.test/v1/oauth/token',
    revocation_endpoint: 'http://api.test/v1/oauth/revoke',
    jwks_uri: 'http://api.test/.well-known/jwks.json',
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  t.same(metadata.scopes_supported.toSorted(), Object.keys(contract.scopes).toSorted());
  const grants = ['authorization_code', 'client_credentials', 'refresh_token'];
  t.same(metadata.grant_types_supported.toSorted(), grants);
  t.same(metadata.token_endpoint_auth_methods_supported.toSorted(), auth);
  t.same(metadata.revocation_endpoint_auth_methods_supported.toSorted(), auth);
  t.equal(decodeJwt(await api.token(tenant.application)).iss, metadata.issuer);
});

t.test('every URL of the metadata is served, including the documentation', async (t) => {
  const { api } = unchanged;
  const metadata = (await api.get(metadataAddress)).json();
  const path = (address: string) => new URL(address).pathname;
  t.equal((await api.get(path(metadata.jwks_uri))).statusCode, 200);
  t.equal((await api.get(path(metadata.service_documentation))).statusCode, 200);
  t.equal((await api.get(path(metadata.authorization_endpoint))).statusCode, 400);
  t.equal((await api.postForm(path(metadata.token_endpoint), {})).statusCode, 400);
  t.equal((await api.postForm(path(metadata.revocation_endpoint), {})).statusCode, 400);
});

t.test('metadata follows BASE_URL', async (t) => {
  const api = await buildTestApp(t, { database: shared, environment: { BASE_URL: 'https://id.example/' } });
  const metadata = (await api.get(metadataAddress)).json();
  t.equal(metadata.issuer, 'https://id.example');
  t.equal(metadata.token_endpoint, 'https://id.example/v1/oauth/token');
  const { application } = await createTenant(shared);
  t.match(decodeJwt(await api.token(application)), { iss: 'https://id.example', aud: 'https://id.example' });
});
