import { createHmac, randomUUID } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { Prisma } from '../../src/platform/database/client.js';
import { needsOpenssl, startDocumentServer } from '../support/oauth/document-server.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0', RATE_LIMIT_TOKEN: '0' } });
const { database, clock } = api;
const issuer = 'http://api.test';
const tokenEndpoint = '/v1/oauth/token';
const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
const [es256, ps256, eddsa, rs256] = await Promise.all([
  generateKeyPair('ES256', { extractable: true }),
  generateKeyPair('PS256', { extractable: true }),
  generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true }),
  generateKeyPair('RS256', { extractable: true }),
]);
const jwkOf = async ({ publicKey }: KeyPair, kid: string) => ({ ...(await exportJWK(publicKey)), kid });
const allKeys = {
  keys: await Promise.all([jwkOf(es256, 'es'), jwkOf(ps256, 'ps'), jwkOf(eddsa, 'ed'), jwkOf(rs256, 'rs')]),
};

/** An application that authenticates with keys. */
async function createKeyed(keys: { jwks?: object; jwksUri?: string } = { jwks: allKeys }) {
  const { accountId, application } = await createTenant(database);
  await database.prisma.applicationSecret.deleteMany({ where: { applicationId: application.id } });
  await database.prisma.application.update({
    where: { accountId_id: { accountId, id: application.id } },
    data: { jwks: (keys.jwks as Prisma.InputJsonObject) ?? Prisma.DbNull, jwksUri: keys.jwksUri ?? null },
  });
  return { ...application, accountId };
}

const now = () => Math.floor(clock().getTime() / 1000);
const claimsOf = (clientId: string, changes: Record<string, unknown> = {}) => {
  const claims: Record<string, unknown> = {
    iss: clientId,
    sub: clientId,
    aud: issuer,
    jti: randomUUID(),
    iat: now(),
    exp: now() + 60,
    ...changes,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined)) as JWTPayload;
};
const sign = (claims: JWTPayload, { privateKey }: KeyPair = es256, header: Record<string, unknown> = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'es', ...header }).sign(privateKey);
const request = (client_assertion: string, more: Record<string, string> = {}) =>
  api.postForm(tokenEndpoint, {
    grant_type: 'client_credentials',
    client_assertion_type,
    client_assertion,
    ...more,
  });

type Response = Awaited<ReturnType<typeof request>>;
const rejection = 'The client_assertion is invalid, expired or already used, or its key is unknown.';
function expectRejected(t: Test, response: Response, of: string) {
  t.match(response.json(), { error: 'invalid_client', status: 401, detail: rejection }, of);
}

for (const [alg, pair, kid] of [
  ['ES256', es256, 'es'],
  ['PS256', ps256, 'ps'],
  ['EdDSA', eddsa, 'ed'],
  ['Ed25519', eddsa, 'ed'],
] as const)
  t.test(`a client authenticates with a key for ${alg}`, async (t) => {
    const { clientId } = await createKeyed();
    const response = await request(await sign(claimsOf(clientId), pair, { alg, kid }), {
      client_id: clientId,
    });
    t.equal(response.statusCode, 200);
    t.match(response.json(), { token_type: 'Bearer' });
  });

t.test('aud is the issuer or the token endpoint, and client_id may be omitted', async (t) => {
  const { clientId } = await createKeyed();
  for (const aud of [issuer, `${issuer}${tokenEndpoint}`, [issuer], [issuer, `${issuer}${tokenEndpoint}`]])
    t.equal((await request(await sign(claimsOf(clientId, { aud })))).statusCode, 200);
});

t.test('rejects wrong and missing claims, and does not consume their jti', async (t) => {
  const { clientId } = await createKeyed();
  const { clientId: other } = await createKeyed();
  const jti = randomUUID();
  for (const changes of [
    { aud: 'https://other.example' },
    { aud: `${issuer}/` },
    { aud: `${issuer}/v1/oauth/revoke` },
    { aud: [issuer, 'https://other.example'] },
    { aud: [] },
    { aud: undefined },
    { iss: other },
    { iss: undefined },
    { sub: other },
    { sub: undefined },
    { jti: undefined },
    { jti: '' },
    { jti: 7 },
    { jti: 'x'.repeat(256) },
    { exp: undefined },
    { exp: String(now() + 60) },
    { exp: now() - 30 },
    { exp: now() + 331, iat: undefined },
    { exp: now() + 301 },
    { exp: now() + 86_400 },
    { iat: now() + 31, exp: now() + 60 },
    { iat: 'now' },
    { nbf: now() + 31 },
  ])
    expectRejected(
      t,
      await request(await sign(claimsOf(clientId, { jti, ...changes })), { client_id: clientId }),
      JSON.stringify(changes),
    );
  t.equal((await request(await sign(claimsOf(clientId, { jti })))).statusCode, 200);
});

t.test('accepts a clock that differs by 30 seconds', async (t) => {
  const { clientId } = await createKeyed();
  for (const changes of [{ exp: now() - 29 }, { iat: now() + 30, exp: now() + 330 }, { nbf: now() + 30 }])
    t.equal((await request(await sign(claimsOf(clientId, { iat: undefined, ...changes })))).statusCode, 200);
});

t.test('rejects other algorithms and types', async (t) => {
  const { clientId } = await createKeyed();
  const claims = () => claimsOf(clientId);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const hmac = async (secret: string) => {
    const input = `${encode({ alg: 'HS256', kid: 'es' })}.${encode(claims())}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  const tampered = (await sign(claims())).split('.');
  const cases = {
    none: new UnsecuredJWT(claims()).encode(),
    'HS256 with the public key': await hmac(await exportSPKI(es256.publicKey)),
    'HS256 with the key set': await hmac(JSON.stringify(allKeys.keys[0])),
    RS256: await sign(claims(), rs256, { alg: 'RS256', kid: 'rs' }),
    'the key of another algorithm': await sign(claims(), es256, { kid: 'ps' }),
    'an unknown kid': await sign(claims(), es256, { kid: 'unknown' }),
    'a key that is not registered': await sign(claims(), await generateKeyPair('ES256')),
    'no kid, with several keys': await sign(claims(), rs256, { alg: 'PS256', kid: undefined }).catch(
      () => 'x',
    ),
    'an access token as typ': await sign(claims(), es256, { typ: 'at+jwt' }),
    'a proof of possession as typ': await sign(claims(), es256, { typ: 'dpop+jwt' }),
    'a critical extension': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'ES256', kid: 'es', crit: ['x'], x: 1 })
      .sign(es256.privateKey, { crit: { x: true } }),
    'other claims': [tampered[0], encode(claims()), tampered[2]].join('.'),
    'no JWT': 'x',
    'a header that is no object': `${encode([])}.${encode(claims())}.x`,
  };
  for (const [name, assertion] of Object.entries(cases))
    expectRejected(t, await request(assertion, { client_id: clientId }), name);
});

t.test('a client with several methods in a request is rejected', async (t) => {
  const { clientId } = await createKeyed();
  const assertion = () => sign(claimsOf(clientId));
  const expectInvalid = (response: Response) =>
    t.match(response.json(), { error: 'invalid_request', status: 400 });
  expectInvalid(await request(await assertion(), { client_secret: 'x' }));
  expectInvalid(await request(await assertion(), { client_assertion_type: 'urn:x' }));
  expectInvalid(await request(await assertion(), { client_assertion_type: '' }));
  expectInvalid(await request('', { client_id: clientId }));
  const basic = await api.app.inject({
    method: 'POST',
    url: tokenEndpoint,
    headers: {
      authorization: `Basic ${btoa(`${clientId}:x`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type,
      client_assertion: await assertion(),
    }).toString(),
  });
  expectInvalid(basic);
});

t.test('client_id must be the client of the assertion', async (t) => {
  const [{ clientId }, other] = [await createKeyed(), await createKeyed()];
  expectRejected(t, await request(await sign(claimsOf(clientId)), { client_id: other.clientId }), 'another');
  expectRejected(t, await request(await sign(claimsOf('unknown'))), 'unknown');
});

t.test('keys replace the secret, and a client with a secret has no assertions', async (t) => {
  const keyed = await createKeyed();
  const form = { grant_type: 'client_credentials', client_id: keyed.clientId };
  const withSecret = await api.postForm(tokenEndpoint, { ...form, client_secret: keyed.clientSecret });
  t.match(withSecret.json(), { error: 'invalid_client', status: 401 });
  t.match((await api.postForm(tokenEndpoint, form)).json(), { error: 'invalid_client', status: 401 });
  const { application } = await createTenant(database);
  expectRejected(t, await request(await sign(claimsOf(application.clientId))), 'a client with a secret');
});

t.test('an assertion is used once, also in another process', async (t) => {
  const other = await buildTestApp(t, { database });
  const { clientId } = await createKeyed();
  const client_assertion = await sign(claimsOf(clientId));
  t.equal((await request(client_assertion)).statusCode, 200);
  expectRejected(t, await request(client_assertion), 'a replay');
  const form = { grant_type: 'client_credentials', client_assertion_type, client_assertion };
  t.equal((await other.postForm(tokenEndpoint, form)).json().error, 'invalid_client');
});

t.test('the same jti of another client is another assertion', async (t) => {
  const jti = randomUUID();
  for (const { clientId } of [await createKeyed(), await createKeyed()])
    t.equal((await request(await sign(claimsOf(clientId, { jti })))).statusCode, 200);
});

t.test('of 100 concurrent uses of an assertion exactly one succeeds', async (t) => {
  const { clientId } = await createKeyed();
  const assertion = await sign(claimsOf(clientId));
  const responses = await Promise.all(Array.from({ length: 100 }, () => request(assertion)));
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 401).length, 99);
});

t.test('works at the introspection and revocation endpoints', async (t) => {
  const { clientId } = await createKeyed();
  const token = (await request(await sign(claimsOf(clientId)))).json().access_token;
  const post = async (path: string) =>
    api.postForm(path, { token, client_assertion_type, client_assertion: await sign(claimsOf(clientId)) });
  t.equal((await post('/v1/oauth/introspect')).json().active, true);
  t.equal((await api.postForm('/v1/oauth/revoke', { token, client_id: clientId })).statusCode, 401);
  t.equal((await post('/v1/oauth/revoke')).statusCode, 200);
  t.equal((await post('/v1/oauth/introspect')).json().active, false);
});

t.test(
  'a refresh without an assertion is rejected, whatever the setting for secrets, and rotates nothing',
  async (t) => {
    const scene = await createScene(database, { clientType: 'confidential' });
    const { refreshToken: refresh_token } = await grantTokens(api, scene);
    const { clientId: client_id, id } = scene.application;
    await database.prisma.applicationSecret.deleteMany({ where: { applicationId: id } });
    await database.prisma.application.update({
      where: { accountId_id: { accountId: scene.accountId, id } },
      data: { jwks: allKeys as unknown as Prisma.InputJsonObject },
    });
    const form = { grant_type: 'refresh_token', refresh_token, client_id };
    t.match((await api.postForm(tokenEndpoint, form)).json(), { error: 'invalid_client', status: 401 });
    const client_assertion = await sign(claimsOf(client_id));
    const signed = await api.postForm(tokenEndpoint, { ...form, client_assertion_type, client_assertion });
    t.equal(signed.statusCode, 200);
  },
);

t.test(
  'keys at a URL are cached, and a rotated key is found with one request in a minute',
  needsOpenssl,
  async (t) => {
    const server = await startDocumentServer(t);
    server.document = { keys: [await jwkOf(es256, 'old')] };
    const { clientId } = await createKeyed({ jwksUri: `${server.origin}/keys.json` });
    const use = async (kid: string, pair = es256) =>
      (await request(await sign(claimsOf(clientId), pair, { kid }), { client_id: clientId })).statusCode;
    t.same(await Promise.all([use('old'), use('old'), use('old')]), [200, 200, 200]);
    t.equal(server.requests.length, 1, 'concurrent requests share one');
    const next = await generateKeyPair('ES256');
    server.document = { keys: [await jwkOf(es256, 'old'), await jwkOf(next, 'new')] };
    t.equal(await use('new', next), 401);
    t.equal(server.requests.length, 1);
    clock.advanceSeconds(60);
    t.equal(await use('new', next), 200);
    t.equal(await use('other'), 401);
    t.equal(await use('old'), 200);
    t.equal(server.requests.length, 2);
  },
);

t.test('keys at a URL serve for a day while it cannot be read, and no longer', needsOpenssl, async (t) => {
  const server = await startDocumentServer(t);
  server.document = { keys: [await jwkOf(es256, 'es')] };
  const { clientId } = await createKeyed({ jwksUri: `${server.origin}/keys.json` });
  const use = async () => (await request(await sign(claimsOf(clientId)))).statusCode;
  t.equal(await use(), 200);
  server.respond = (response) => response.writeHead(503).end();
  clock.advanceSeconds(301);
  t.equal(await use(), 200);
  clock.advanceSeconds(86_400);
  t.equal(await use(), 401);
});

t.test('rejects a key set with a private key, a redirect, and a private address', needsOpenssl, async (t) => {
  const server = await startDocumentServer(t);
  const statusWith = async (jwksUri: string) => {
    const { clientId } = await createKeyed({ jwksUri });
    return (await request(await sign(claimsOf(clientId)))).statusCode;
  };
  server.document = { keys: [{ ...(await exportJWK(es256.privateKey)), kid: 'es' }] };
  t.equal(await statusWith(`${server.origin}/private.json`), 401);
  server.document = { keys: [await jwkOf(es256, 'es')] };
  server.respond = (response) => response.writeHead(302, { location: server.url }).end();
  t.equal(await statusWith(`${server.origin}/redirect.json`), 401);
  t.equal(server.requests.length, 2);
  for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', '169.254.169.254'])
    t.equal(await statusWith(`https://${host}/keys.json`), 401, host);
});
