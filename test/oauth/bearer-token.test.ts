import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import {
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import t, { type Test } from 'tap';
import { openTestDatabase } from '../support/database/database.js';
import {
  createApplication,
  createTenant,
  makeEmployees,
  type TestApplication,
} from '../support/records/tenant.js';
import { buildTestApp, testSecret } from '../support/server/app.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });

async function setUp() {
  const tenant = await createTenant(database, { employees: makeEmployees(2) });
  return { ...tenant, token: await api.token(tenant.application) };
}

const call = (authorization?: string) =>
  api.app.inject({
    url: '/v1/employees',
    headers: authorization === undefined ? {} : { authorization },
  });

const challenges = {
  unauthorized: /^Bearer realm="[^"]+"$/,
  invalid_token: /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"\\]+"$/,
  token_expired: /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"\\]+"$/,
};

function refused(t: Test, response: LightMyRequestResponse, code: keyof typeof challenges, label = ''): void {
  t.equal(response.statusCode, 401, `${label} ${response.body}`);
  t.equal(response.json().code, code, label);
  t.equal(response.headers['content-type'], 'application/problem+json');
  t.match(response.headers['www-authenticate'], challenges[code], label);
  t.notOk('errors' in response.json());
}

/** Claims of a token that would be accepted. */
function goodClaims({ clientId }: TestApplication): JWTPayload {
  const now = Math.floor(api.clock().getTime() / 1000);
  return {
    iss: 'http://api.test',
    aud: 'http://api.test',
    sub: clientId,
    client_id: clientId,
    scope: 'reports:read',
    iat: now,
    exp: now + 3600,
    jti: randomUUID(),
  };
}

/** A token with a genuine signature. */
function signed(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
  const { kid, privateKey } = api.signingKeys.current;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
    .sign(privateKey);
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

t.test('accepts a genuine token, with the scheme in any letter case', async (t) => {
  const { token, application } = await setUp();
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    t.equal((await call(`${scheme} ${token}`)).statusCode, 200, scheme);
  }
  t.equal(
    (await call(`Bearer ${await signed(goodClaims(application))}`)).statusCode,
    200,
    'the forger of this test',
  );
});

t.test('a request without a bearer token is unauthorized, and the challenge names no error', async (t) => {
  const { token } = await setUp();
  for (const authorization of [
    undefined,
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    'Digest x',
    token,
    `Token ${token}`,
    `Bearer:${token}`,
    `Bearer=${token}`,
    `Bearer\t${token}`.slice(0, 6),
  ]) {
    refused(t, await call(authorization), 'unauthorized', JSON.stringify(authorization));
  }
});

t.test('a token is taken from the Authorization header alone', async (t) => {
  const { token } = await setUp();
  refused(t, await api.get(`/v1/employees?access_token=${token}`), 'unauthorized');
  refused(t, await api.get('/v1/employees', undefined, { cookie: `access_token=${token}` }), 'unauthorized');
  refused(t, await api.get('/v1/employees', undefined, { 'x-access-token': token }), 'unauthorized');
  const body = await api.app.inject({
    method: 'PATCH',
    url: '/v1/users/me',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `access_token=${token}`,
  });
  refused(t, body, 'unauthorized');
});

t.test('refuses what is no token at all', async (t) => {
  const { token } = await setUp();
  const [header = '', payload = '', signature = ''] = token.split('.');
  const texts = [
    ...[
      'x',
      '.',
      '..',
      '...',
      'a.b.c',
      'null',
      '{}',
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}..${signature}`,
    ],
    ...[
      `.${payload}.${signature}`,
      `${token}.`,
      `.${token}`,
      `${token}.${signature}`,
      `${token}${token}`,
      `${token} ${token}`,
    ],
    ...[
      `${header}.${payload}.${signature}=`,
      `"${token}"`,
      `${token},x`,
      'x'.repeat(5000),
      `${token}${'A'.repeat(4096)}`,
    ],
    ...[
      encode({ alg: 'ES256' }),
      `${encode(null)}.${payload}.${signature}`,
      `${encode([])}.${payload}.${signature}`,
    ],
    ...[
      `${header}.${encode(null)}.${signature}`,
      `${header}.${encode('x')}.${signature}`,
      `${header}.%.${signature}`,
    ],
    ...[
      `${header}.${payload}.${signature.replace(/^./, '-')}_`,
      `${header}.${payload}.${'A'.repeat(86)}`,
      `${token}\u00e9`,
    ],
  ];
  for (const text of texts) refused(t, await call(`Bearer ${text}`), 'invalid_token', text.slice(0, 80));
});

t.test('refuses a token that is cut short anywhere', async (t) => {
  const { token } = await setUp();
  const segments = token.split('.');
  for (const [index, segment] of segments.entries()) {
    for (const length of [0, 1, Math.floor(segment.length / 2), segment.length - 2, segment.length - 1]) {
      const cut = segments.with(index, segment.slice(0, length)).join('.');
      refused(t, await call(`Bearer ${cut}`), 'invalid_token', `segment ${index} cut to ${length}`);
    }
  }
  for (let length = 1; length < token.length; length += 37) {
    refused(t, await call(`Bearer ${token.slice(0, length)}`), 'invalid_token', `cut to ${length}`);
  }
});

t.test('refuses a token whose payload or signature belongs to another', async (t) => {
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

t.test('refuses alg none, in whatever spelling', async (t) => {
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

t.test('refuses an HMAC that was made with the public key as its secret', async (t) => {
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

t.test('refuses a token that was signed with a key that is not ours', async (t) => {
  const { application } = await setUp();
  const { kid } = api.signingKeys.current;
  for (const alg of ['ES256', 'RS256', 'PS256', 'ES384', 'EdDSA']) {
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
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const token = await new SignJWT(goodClaims(application))
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
    .sign(privateKey);
  refused(t, await call(`Bearer ${token}`), 'invalid_token');
});

t.test('refuses a genuine signature over a header that is not that of our access tokens', async (t) => {
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

t.test('refuses a genuine signature over claims that are not those of our access tokens', async (t) => {
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

t.test('a token is good up to its last second, and expired from the second of exp on', async (t) => {
  const local = await buildTestApp(t, { database });
  const { application } = await createTenant(database);
  const cached = await local.token(application);
  const fresh = await local.token(application);
  t.equal((await local.get('/v1/employees', cached)).statusCode, 200);

  local.clock.advanceSeconds(3599);
  t.equal((await local.get('/v1/employees', cached)).statusCode, 200, 'one second before');
  local.clock.advanceSeconds(0.999);
  t.equal((await local.get('/v1/employees', cached)).statusCode, 200, 'a millisecond before');
  local.clock.advanceSeconds(0.001);
  for (const token of [cached, fresh]) {
    refused(t, await local.get('/v1/employees', token), 'token_expired', 'at exp');
  }
  local.clock.advanceSeconds(1_000_000);
  refused(t, await local.get('/v1/employees', cached), 'token_expired', 'long after');
});

t.test('the lifetime of tokens is that of the configuration', async (t) => {
  const local = await buildTestApp(t, { database, environment: { ACCESS_TOKEN_TTL: '60' } });
  const { application } = await createTenant(database);
  const { clientId: client_id, clientSecret: client_secret } = application;
  const response = await local.postForm('/v1/oauth/token', {
    grant_type: 'client_credentials',
    client_id,
    client_secret,
  });
  t.equal(response.json().expires_in, 60);
  local.clock.advanceSeconds(60);
  refused(t, await local.get('/v1/employees', response.json().access_token), 'token_expired');
});

t.test('an expired token that is forged as well is invalid, not expired', async (t) => {
  const { application } = await setUp();
  const now = Math.floor(api.clock().getTime() / 1000);
  const [header, payload] = (await signed({ ...goodClaims(application), exp: now - 1 })).split('.');
  refused(t, await call(`Bearer ${header}.${payload}.${'A'.repeat(86)}`), 'invalid_token');
});

t.test('a revoked token is refused at the next request, though it was accepted before', async (t) => {
  const { token, application, accountId } = await setUp();
  const other = await api.token(application);
  t.equal((await call(`Bearer ${token}`)).statusCode, 200);
  const { jti = '', exp = 0 } = decodeJwt(token);
  await database.prisma.revokedAccessToken.create({
    data: { jti, accountId, expiresAt: new Date(exp * 1000) },
  });
  for (let attempt = 0; attempt < 3; attempt++) refused(t, await call(`Bearer ${token}`), 'invalid_token');
  t.equal((await call(`Bearer ${other}`)).statusCode, 200, 'another token of the application still counts');
});

t.test('the tokens of a deleted application are refused at the next request', async (t) => {
  const { token, application } = await setUp();
  t.equal((await call(`Bearer ${token}`)).statusCode, 200);
  await database.prisma.application.deleteMany({ where: { id: application.id } });
  refused(t, await call(`Bearer ${token}`), 'invalid_token');
});

t.test('a scope that is taken from the application is gone from its tokens at once', async (t) => {
  const { token, application } = await setUp();
  t.equal((await call(`Bearer ${token}`)).statusCode, 200);
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { scopes: ['user:read'] },
  });
  t.equal((await call(`Bearer ${token}`)).statusCode, 403);
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { scopes: ['reports:read'] },
  });
  t.equal((await call(`Bearer ${token}`)).statusCode, 200);
});

t.test('a scope that the application gains later is not in tokens that it has', async (t) => {
  const { accountId } = await createTenant(database);
  const application = await createApplication(database, accountId, { scopes: ['user:read'] });
  const token = await api.token(application);
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { scopes: ['user:read', 'reports:read'] },
  });
  t.equal((await call(`Bearer ${token}`)).statusCode, 403);
});

t.test('a token without the scope is refused with 403 that names it', async (t) => {
  const { application } = await setUp();
  for (const [url, method, scope] of [
    ['/v1/employees', 'GET', 'reports:read'],
    ['/v1/employees/unknown', 'GET', 'reports:read'],
    ['/v1/reports', 'GET', 'reports:read'],
    ['/v1/reports', 'POST', 'reports:write'],
    ['/v1/reports/unknown', 'DELETE', 'reports:write'],
    ['/v1/report_columns', 'GET', 'reports:read'],
    ['/v1/users/me', 'GET', 'user:read'],
    ['/v1/users/me', 'PATCH', 'user:write'],
  ] as const) {
    const others = ['reports:read', 'reports:write', 'user:read', 'user:write'].filter(
      (name) => name !== scope,
    );
    const token = await api.token(application, others.join(' '));
    const response = await api.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } });
    const label = `${method} ${url}`;
    t.equal(response.statusCode, 403, label);
    const problem = response.json();
    t.equal(problem.code, 'insufficient_scope');
    t.equal(problem.title, 'Insufficient Scope');
    t.equal(problem.type, 'http://api.test/errors/insufficient-scope');
    t.ok(problem.detail.includes(scope), label);
    const challenge = String(response.headers['www-authenticate']);
    t.match(challenge, /^Bearer realm="[^"]+", error="insufficient_scope", /);
    t.ok(challenge.includes(`scope="${scope}"`), challenge);
  }
});

t.test('a scope counts by its whole name only', async (t) => {
  const { application } = await setUp();
  for (const scope of [
    'reports',
    'reports:readx',
    'xreports:read',
    'reports:read,user:read',
    'REPORTS:READ',
    '',
    '*',
  ]) {
    const response = await call(`Bearer ${await signed({ ...goodClaims(application), scope })}`);
    t.equal(response.statusCode, 403, scope);
  }
});

t.test(
  'a token of one process is accepted by every other on the same database, and so is its revocation',
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

t.test('a token of a server with another address is refused', async (t) => {
  const other = await buildTestApp(t, { database, environment: { BASE_URL: 'http://other.test' } });
  const { token, application } = await setUp();
  refused(t, await other.get('/v1/employees', token), 'invalid_token');
  refused(t, await api.get('/v1/employees', await other.token(application)), 'invalid_token');
});

t.test('a token of a server with another database is refused', async (t) => {
  const other = await buildTestApp(t);
  const { application } = await createTenant(other.database);
  refused(t, await api.get('/v1/employees', await other.token(application)), 'invalid_token');
});

/** Rotates the keys in another process, which lives on. */
async function rotateElsewhere(t: Test, seconds: number) {
  const other = await buildTestApp(t, { database });
  other.clock.advanceSeconds(seconds);
  const kid = await other.signingKeys.rotate({ tokenTtlSeconds: 3600 });
  return { other, kid };
}

t.test(
  'a key that another process made is found when its first tokens arrive, however many at once',
  async (t) => {
    const running = await buildTestApp(t, { database });
    const { application } = await createTenant(database);
    const before = await running.token(application);
    running.clock.advanceSeconds(10);
    const { other, kid } = await rotateElsewhere(t, 10);
    const tokens = await Promise.all(Array.from({ length: 20 }, () => other.token(application)));
    t.equal(decodeProtectedHeader(tokens[0] ?? '').kid, kid);

    const answers = await Promise.all(tokens.map((token) => running.get('/v1/employees', token)));
    t.same(
      answers.map(({ statusCode }) => statusCode),
      tokens.map(() => 200),
      'each of twenty concurrent requests is accepted',
    );
    t.equal(
      (await running.get('/v1/employees', before)).statusCode,
      200,
      'tokens of the old key still count',
    );
    t.equal((await other.get('/v1/employees', before)).statusCode, 200, 'also in the other process');
    const { keys } = (await other.get('/.well-known/jwks.json')).json();
    const published = keys.map((key: { kid: string }) => key.kid);
    t.ok(published.includes(kid));
    t.ok(published.includes(decodeProtectedHeader(before).kid), 'the replaced key stays published');
  },
);

t.test('a process takes over, at its next look, the key that another one has made', async (t) => {
  const running = await buildTestApp(t, { database });
  const { application } = await createTenant(database);
  const { kid } = await rotateElsewhere(t, 20);
  running.clock.advanceSeconds(50);
  await running.signingKeys.reload();

  t.equal(decodeProtectedHeader(await running.token(application)).kid, kid, 'new tokens have the new key');
  const { keys } = (await running.get('/.well-known/jwks.json')).json();
  t.ok(
    keys.some((key: { kid: string }) => key.kid === kid),
    'the new key is published',
  );
});

t.test('tokens with made-up keys do not keep a new key from being found', async (t) => {
  const running = await buildTestApp(t, { database });
  const { application } = await createTenant(database);
  running.clock.advanceSeconds(40);
  const forged = await signed(goodClaims(application), { kid: 'made-up' });
  refused(t, await running.get('/v1/employees', forged), 'invalid_token');
  const { other } = await rotateElsewhere(t, 30);
  const token = await other.token(application);
  // The database is asked at most once a second for unknown keys.
  running.clock.advanceSeconds(1);
  t.equal((await running.get('/v1/employees', token)).statusCode, 200);
});

t.test('judges the route first, then the token, then the scope, then the request', async (t) => {
  const { token, application } = await setUp();
  const weak = await api.token(application, 'user:read');
  const json = { 'content-type': 'application/json' };
  for (const [label, options, expected] of [
    ['no route, no token', { url: '/v1/unknown?page[size]=0' }, 'public-api-not-found'],
    [
      'no route, bad token',
      { url: '/v1/unknown', headers: { authorization: 'Bearer x' } },
      'public-api-not-found',
    ],
    ['wrong method, no token', { method: 'DELETE', url: '/v1/employees' }, 'public-api-not-found'],
    [
      'no route, malformed body',
      { method: 'POST', url: '/v1/unknown', headers: json, payload: '{' },
      'public-api-not-found',
    ],
    [
      'no route, a body that is too large',
      { method: 'POST', url: '/v1/unknown', headers: json, payload: JSON.stringify('x'.repeat(70_000)) },
      'public-api-not-found',
    ],
    ['no token, bad parameter', { url: '/v1/employees?page[size]=0&x=1' }, 'unauthorized'],
    ['no token, malformed query', { url: '/v1/employees?x=%ff' }, 'unauthorized'],
    [
      'bad token, bad parameter',
      { url: '/v1/employees?x=1', headers: { authorization: 'Bearer x' } },
      'invalid_token',
    ],
    [
      'no token, malformed body',
      { method: 'POST', url: '/v1/reports', headers: json, payload: '{' },
      'unauthorized',
    ],
    [
      'no token, a body that is too large',
      { method: 'POST', url: '/v1/reports', headers: json, payload: JSON.stringify('x'.repeat(70_000)) },
      'unauthorized',
    ],
    [
      'no token, another media type',
      { method: 'POST', url: '/v1/reports', headers: { 'content-type': 'text/x' }, payload: '{' },
      'unauthorized',
    ],
    ['no token, unknown record', { url: '/v1/employees/unknown' }, 'unauthorized'],
    [
      'scope missing, bad parameter',
      { url: '/v1/employees?page[size]=0', headers: { authorization: `Bearer ${weak}` } },
      'insufficient_scope',
    ],
    [
      'scope missing, malformed body',
      {
        method: 'POST',
        url: '/v1/reports',
        headers: { ...json, authorization: `Bearer ${weak}` },
        payload: '{',
      },
      'insufficient_scope',
    ],
    [
      'scope missing, unknown record',
      { url: '/v1/employees/unknown', headers: { authorization: `Bearer ${weak}` } },
      'insufficient_scope',
    ],
    [
      'bad parameter, unknown record',
      { url: '/v1/employees/unknown?x=1', headers: { authorization: `Bearer ${token}` } },
      'invalid_request',
    ],
  ] as const) {
    const response = await api.app.inject(options);
    t.equal(response.json().code, expected, label);
    if (expected !== 'invalid_request')
      t.notOk('errors' in response.json(), `${label}: nothing was validated`);
  }
});

t.test('of many requests at once, with good and bad tokens, each gets its own answer', async (t) => {
  const tenants = await Promise.all(Array.from({ length: 4 }, () => setUp()));
  const revoked = await setUp();
  const { jti = '' } = decodeJwt(revoked.token);
  await database.prisma.revokedAccessToken.create({
    data: { jti, accountId: revoked.accountId, expiresAt: new Date('2030-01-01') },
  });
  const vanished = await setUp();
  await database.prisma.application.deleteMany({ where: { id: vanished.application.id } });
  const weak = await api.token(tenants[0]?.application ?? vanished.application, 'user:read');

  const calls = Array.from({ length: 420 }, (_, index) => {
    const tenant = tenants[index % tenants.length];
    const bad = [revoked.token, vanished.token, weak, 'garbage'][index % 7];
    const token = bad ?? tenant?.token ?? '';
    const expected = [401, 401, 403, 401][index % 7] ?? 200;
    return { token, expected, own: bad === undefined ? (tenant?.employeeIds ?? []) : [] };
  });
  const answers = await Promise.all(calls.map(({ token }) => api.get('/v1/employees', token)));
  const wrong = answers.filter(({ statusCode }, index) => statusCode !== calls[index]?.expected);
  t.same(
    wrong.map(({ body }) => body),
    [],
  );
  const mixedUp = answers.filter(
    (answer, index) =>
      answer.statusCode === 200 &&
      JSON.stringify(answer.json().data.map(({ id }: { id: string }) => id)) !==
        JSON.stringify(calls[index]?.own),
  );
  t.same(mixedUp.length, 0, 'everybody sees the own account');
});
