import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { address, formOf, newApplication, refused } from '../support/oauth/token-requests.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

// Otherwise the failure limit of the address would reject the requests.
const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });

t.test('issues a token to a client that sends its secret in the form', async (t) => {
  const response = await api.postForm(address, formOf(await newApplication(api)));
  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  t.equal(response.headers['cache-control'], 'no-store');
  const body = response.json();
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'scope', 'token_type']);
  t.equal(body.token_type, 'Bearer');
  t.equal(body.expires_in, 3600);
  t.equal(body.scope, Object.keys(contract.scopes).join(' '));
  t.equal((await api.get('/v1/employees', body.access_token)).statusCode, 200);
});

t.test('issues a JWT access token of RFC 9068 that the published keys verify', async (t) => {
  const application = await newApplication(api);
  const response = await api.postForm(address, { ...formOf(application), scope: 'user:read reports:read' });
  const token: string = response.json().access_token;
  t.equal(response.json().scope, 'user:read reports:read');

  const header = decodeProtectedHeader(token);
  t.same(Object.keys(header).sort(), ['alg', 'kid', 'typ']);
  t.equal(header.typ, 'at+jwt');
  t.equal(header.alg, 'ES256');
  const { keys } = (await api.get('/.well-known/jwks.json')).json();
  const key: JWK = keys.find(({ kid }: JWK) => kid === header.kid);
  t.ok(key);
  t.notOk('d' in key, 'the private part is not published');
  const { payload } = await jwtVerify(token, await importJWK(key, 'ES256'), { currentDate: api.clock() });
  const issuedAt = Math.floor(api.clock().getTime() / 1000);
  t.match(payload.jti, /^[a-z0-9]{20,}$/);
  const { jti: _, ...claims } = payload;
  t.same(claims, {
    iss: 'http://api.test',
    aud: 'http://api.test',
    sub: application.clientId,
    client_id: application.clientId,
    scope: 'user:read reports:read',
    iat: issuedAt,
    exp: issuedAt + 3600,
  });
});

t.test('every token is unique', async (t) => {
  const application = await newApplication(api);
  const tokens = await Promise.all(Array.from({ length: 20 }, () => api.token(application)));
  t.equal(new Set(tokens).size, 20);
  t.equal(new Set(tokens.map((token) => token.split('.')[1])).size, 20);
});

t.test('grants the requested scopes, each once, and all configured ones without a scope', async (t) => {
  const { accountId } = await createTenant(api.database);
  const application = await createApplication(api.database, accountId, {
    scopes: ['reports:read', 'user:read'],
  });
  const scopeOf = async (scope?: string) => {
    const response = await api.postForm(address, {
      ...formOf(application),
      ...(scope !== undefined && { scope }),
    });
    t.equal(response.statusCode, 200, scope ?? 'no scope');
    return response.json().scope;
  };
  t.equal(await scopeOf(), 'reports:read user:read');
  t.equal(await scopeOf(''), 'reports:read user:read');
  t.equal(await scopeOf('user:read'), 'user:read');
  t.equal(await scopeOf('reports:read reports:read'), 'reports:read');
  t.equal(await scopeOf(' user:read  reports:read '), 'user:read reports:read');

  const narrow = await api.token(application, 'user:read');
  t.equal((await api.get('/v1/employees', narrow)).statusCode, 403);
});

t.test('rejects a scope that the application does not have, or that does not exist', async (t) => {
  const { accountId } = await createTenant(api.database);
  const application = await createApplication(api.database, accountId, { scopes: ['reports:read'] });
  const scopes = [
    ...[
      'reports:write',
      'reports:read reports:write',
      'admin',
      'reports',
      'reports:',
      '*',
      'REPORTS:READ',
      ' ',
      '   ',
    ],
    ...[
      'reports:read,user:read',
      'reports:read\treports:write',
      'reports:read\nuser:read',
      'openid',
      'ä',
      '"',
      '\\',
    ],
    ...['__proto__', 'constructor', 'reports:read\u00a0'],
  ];
  for (const scope of scopes) {
    const response = await api.postForm(address, { ...formOf(application), scope });
    refused(t, response, 'invalid_scope', { label: JSON.stringify(scope) });
  }
});

t.test('rejects password, implicit, device and unknown grants', async (t) => {
  const application = await newApplication(api);
  const grants = [
    ...[
      'password',
      'implicit',
      'token',
      'urn:ietf:params:oauth:grant-type:device_code',
      'device_code',
      'Client_Credentials',
    ],
    ...[
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'urn:ietf:params:oauth:grant-type:token-exchange',
      '__proto__',
    ],
    ...['client_credentials ', 'constructor', 'toString', 'x'.repeat(255), '1', 'null', 'ä'],
  ];
  for (const grant_type of grants) {
    const form = { ...formOf(application), username: 'a', password: 'b', device_code: 'c', grant_type };
    refused(t, await api.postForm(address, form), 'unsupported_grant_type', { label: grant_type });
  }
});

t.test('a response to a token request has no secret', async (t) => {
  const application = await newApplication(api);
  for (const form of [
    { ...formOf(application), scope: 'none' },
    { ...formOf(application), grant_type: 'password' },
    { ...formOf(application), client_id: 'x' },
  ]) {
    t.notMatch((await api.postForm(address, form)).body, application.clientSecret);
  }
});
