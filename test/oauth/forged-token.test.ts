import { createHmac } from 'node:crypto';
import { decodeJwt, exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { signCompact } from '../../src/oauth/tokens/jws.js';
import { openTestDatabase } from '../support/database/database.js';
import { bearerCalls, encode, refused } from '../support/oauth/bearer-calls.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp, testSecret } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const { setUp, call, goodClaims, signed } = bearerCalls(api);

t.test('rejects a token with the payload or signature of another token', async (t) => {
  const [ours, theirs] = [await setUp(), await setUp()];
  const [header, payload, signature] = ours.token.split('.');
  const [otherHeader, otherPayload, otherSignature] = theirs.token.split('.');
  for (const token of [
    `${header}.${otherPayload}.${signature}`,
    `${header}.${payload}.${otherSignature}`,
    `${otherHeader}.${otherPayload}.${signature}`,
    `${header}.${encode({ ...decodeJwt(ours.token), scope: 'reports:write' })}.${signature}`,
    `${header}.${encode({ ...decodeJwt(ours.token), exp: 9_999_999_999 })}.${signature}`,
  ]) {
    refused(t, await call(`Bearer ${token}`), 'invalid_token');
  }
});

t.test('rejects alg none in every spelling', async (t) => {
  const { application } = await setUp();
  const { kid } = api.signingKeys.current;
  const payload = encode(goodClaims(application));
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, undefined]) {
    for (const signature of ['', 'x', 'AA']) {
      const token = `${encode({ alg, typ: 'at+jwt', kid })}.${payload}.${signature}`;
      refused(t, await call(`Bearer ${token}`), 'invalid_token', `${alg} ${signature}`);
    }
  }
});

t.test('rejects an HMAC with the public key as its secret', async (t) => {
  const { application } = await setUp();
  const [jwk] = (await api.get('/.well-known/jwks.json')).json().keys;
  const pem = await exportSPKI((await importJWK(jwk, 'ES256', { extractable: true })) as CryptoKey);
  for (const alg of ['HS256', 'HS384', 'HS512'] as const) {
    for (const secret of [
      pem,
      pem.trim(),
      JSON.stringify(jwk),
      jwk.x,
      Buffer.from(jwk.x, 'base64url'),
      '',
      testSecret,
    ]) {
      const content = `${encode({ alg, typ: 'at+jwt', kid: jwk.kid })}.${encode(goodClaims(application))}`;
      const hmac = createHmac(alg.replace('HS', 'sha'), secret).update(content).digest('base64url');
      refused(t, await call(`Bearer ${content}.${hmac}`), 'invalid_token', alg);
    }
  }
});

t.test('rejects a token that was signed with an unknown key', async (t) => {
  const { application } = await setUp();
  const { kid } = api.signingKeys.current;
  for (const alg of ['ES256', 'RS256', 'ES384', 'EdDSA']) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    for (const header of [
      { kid },
      { kid: 'another' },
      {},
      { kid, jwk: await import('jose').then(({ exportJWK }) => exportJWK(publicKey)) },
      { kid, jku: 'http://evil.test/jwks.json', x5u: 'http://evil.test/x' },
    ]) {
      const token = await new SignJWT(goodClaims(application))
        .setProtectedHeader({ alg, typ: 'at+jwt', ...header })
        .sign(privateKey);
      refused(t, await call(`Bearer ${token}`), 'invalid_token', `${alg} ${JSON.stringify(header)}`);
    }
  }
});

t.test('rejects a valid signature over a header other than that of an access token', async (t) => {
  const { application } = await setUp();
  const claims = goodClaims(application);
  for (const header of [
    ...[{ typ: 'JWT' }, { typ: undefined }, { typ: 'at' }, { typ: 'logout+jwt' }, { typ: 'application/jwt' }],
    ...[{ kid: undefined }, { kid: '' }, { kid: 'unknown' }, { kid: "' OR true --" }, { kid: '\u0000' }],
    ...[{ kid: '__proto__' }, { kid: 'x'.repeat(1000) }, { crit: ['exp'], exp: 1 }],
  ]) {
    const token = await signed(claims, header).catch(() => undefined);
    if (token === undefined) continue;
    refused(t, await call(`Bearer ${token}`), 'invalid_token', JSON.stringify(header));
  }
});

t.test(
  'rejects a valid signature with a critical extension, another algorithm or another spelling',
  async (t) => {
    const { application } = await setUp();
    const { kid, privateKey } = api.signingKeys.current;
    const sign = (header: object) =>
      signCompact({ alg: 'ES256', typ: 'at+jwt', kid, ...header }, goodClaims(application), privateKey);
    t.equal((await call(`Bearer ${sign({})}`)).statusCode, 200);
    for (const header of [
      { crit: ['exp'], exp: 1 },
      { crit: [] },
      { alg: 'none' },
      { alg: 'ES384' },
      { kid: 1 },
    ]) {
      refused(t, await call(`Bearer ${sign(header)}`), 'invalid_token', JSON.stringify(header));
    }
    for (const suffix of ['=', '==', '.', '.x', '~', 'A']) {
      refused(t, await call(`Bearer ${sign({})}${suffix}`), 'invalid_token', suffix);
    }
    for (const prefix of ['.', 'e30.', 'x']) {
      refused(t, await call(`Bearer ${prefix}${sign({})}`), 'invalid_token', prefix);
    }
  },
);

t.test('rejects a valid signature over claims other than those of an access token', async (t) => {
  const { application } = await setUp();
  const good = goodClaims(application);
  const variants: Record<string, unknown>[] = [
    ...['http://api.test/', 'http://API.test', 'https://api.test', 'http://evil.test', '', null, 1].map(
      (iss) => ({ iss }),
    ),
    ...['http://api.test/', 'http://evil.test', ['http://evil.test'], [], '', null].map((aud) => ({ aud })),
    ...['iss', 'aud', 'sub', 'client_id', 'scope', 'iat', 'exp', 'jti'].map((name) => ({
      [name]: undefined,
    })),
    ...['soon', null, '9999999999'].map((exp) => ({ exp })),
    { client_id: 'unknown' },
    { client_id: "' OR true --" },
    { nbf: Number(good.exp) - 1 },
  ];
  for (const variant of variants) {
    const token = await signed({ ...good, ...variant } as JWTPayload);
    refused(t, await call(`Bearer ${token}`), 'invalid_token', JSON.stringify(variant));
  }
});

t.test('accepts a token of 4,096 characters, and rejects a longer one', async (t) => {
  const { application } = await setUp();
  const ofLength = async (length: number) => {
    const claims = goodClaims(application);
    const rest = (await signed({ ...claims, pad: '' })).length;
    // Base64url has four characters for three bytes.
    return signed({ ...claims, pad: 'x'.repeat(Math.floor(((length - rest) * 3) / 4)) });
  };
  const longest = await ofLength(4096);
  t.equal(longest.length, 4096);
  t.equal((await call(`Bearer ${longest}`)).statusCode, 200);
  const longer = await ofLength(4098);
  t.ok(longer.length > 4096 && longer.length < 4100, `${longer.length} characters`);
  refused(t, await call(`Bearer ${longer}`), 'invalid_token');
});

t.test('an expired and forged token is invalid, not expired', async (t) => {
  const { application } = await setUp();
  const now = Math.floor(api.clock().getTime() / 1000);
  const [header, payload] = (await signed({ ...goodClaims(application), exp: now - 1 })).split('.');
  refused(t, await call(`Bearer ${header}.${payload}.${'A'.repeat(86)}`), 'invalid_token');
});

t.test('rejects a token of a server with another address', async (t) => {
  const other = await buildTestApp(t, { database, environment: { BASE_URL: 'http://other.test' } });
  const { token, application } = await setUp();
  refused(t, await other.get('/v1/employees', token), 'invalid_token');
  refused(t, await api.get('/v1/employees', await other.token(application)), 'invalid_token');
});

t.test('rejects a token of a server with another database', async (t) => {
  const other = await buildTestApp(t);
  const { application } = await createTenant(other.database);
  refused(t, await api.get('/v1/employees', await other.token(application)), 'invalid_token');
});
