import { decodeJwt } from 'jose';
import { openTestDatabase } from '../support/database/database.js';
import { bearerCalls, encode, refused } from '../support/oauth/bearer-calls.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { withoutThreads } from '../support/server/threads.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const { setUp, call, goodClaims, signed } = bearerCalls(api);

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

t.test('accepts a token in the Authorization header only', async (t) => {
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

t.test('rejects text that is not a token', async (t) => {
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

t.test('rejects a token that is truncated anywhere', async (t) => {
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

t.test('a token is valid up to its last second, and expired from the second of exp on', async (t) => {
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
  refused(t, await local.get('/v1/employees', cached), 'token_expired', 'long after expiry');
});

t.test('rejects the tokens of a deleted application at the next request', async (t) => {
  const { token, application } = await setUp();
  t.equal((await call(`Bearer ${token}`)).statusCode, 200);
  await database.prisma.application.deleteMany({ where: { id: application.id } });
  refused(t, await call(`Bearer ${token}`), 'invalid_token');
});

t.test('checks the route first, then the token, then the scope, then the request', async (t) => {
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

t.test('each of many concurrent requests with valid and invalid tokens gets its own response', async (t) => {
  const tenants = await Promise.all(Array.from({ length: 2 }, () => setUp()));
  const revoked = await setUp();
  const { jti = '' } = decodeJwt(revoked.token);
  await database.prisma.revokedAccessToken.create({
    data: { jti, accountId: revoked.accountId, expiresAt: new Date('2030-01-01') },
  });
  const vanished = await setUp();
  await database.prisma.application.deleteMany({ where: { id: vanished.application.id } });
  const weak = await api.token(tenants[0]?.application ?? vanished.application, 'user:read');

  const calls = Array.from({ length: 42 }, (_, index) => {
    const tenant = tenants[index % tenants.length];
    const bad = [revoked.token, vanished.token, weak, 'garbage'][index % 7];
    const token = bad ?? tenant?.token ?? '';
    const expected = [401, 401, 403, 401][index % 7] ?? 200;
    return { token, expected, own: bad === undefined ? (tenant?.employeeIds ?? []) : [] };
  });
  const responses = await Promise.all(calls.map(({ token }) => api.get('/v1/employees', token)));
  const wrong = responses.filter(({ statusCode }, index) => statusCode !== calls[index]?.expected);
  t.same(
    wrong.map(({ body }) => body),
    [],
  );
  const mixedUp = responses.filter(
    (response, index) =>
      response.statusCode === 200 &&
      JSON.stringify(response.json().data.map(({ id }: { id: string }) => id)) !==
        JSON.stringify(calls[index]?.own),
  );
  t.same(mixedUp.length, 0, 'each account sees its own rows');
});

t.test('a token is issued and verified while all threads of the process wait', async (t) => {
  const { application } = await createTenant(database);
  await withoutThreads(t, async () => {
    let status: number | undefined;
    void api
      .token(application)
      .then((token) => call(`Bearer ${token}`))
      .then(({ statusCode }) => {
        status = statusCode;
      });
    await until(() => status !== undefined);
    t.equal(status, 200);
  });
});
