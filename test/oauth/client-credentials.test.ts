import type { LightMyRequestResponse } from 'fastify';
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { randomId } from '../../src/database/ids.js';
import { hashSecret } from '../../src/oauth/client-authentication.js';
import { createApplication, createTenant, type TestApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';

// So many failures from one address would be cut short otherwise.
const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const address = '/v1/oauth/token';

async function setUp(): Promise<TestApplication> {
  return (await createTenant(api.database)).application;
}

/** The complete form of a good request. */
function formOf({ clientId, clientSecret }: TestApplication): Record<string, string> {
  return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
}

function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

const grantOnly = { grant_type: 'client_credentials' };

const statuses: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  unauthorized_client: 400,
  invalid_client: 401,
};

/** Expects a refusal as RFC 6749 section 5.2 and the catalogue of errors have it. */
function refused(
  t: Test,
  response: LightMyRequestResponse,
  code: string,
  {
    parameter,
    challenge = false,
    label = '',
  }: { parameter?: string; challenge?: boolean; label?: string } = {},
): void {
  const body = response.json();
  t.equal(response.statusCode, statuses[code], `${label} ${response.body}`);
  t.equal(body.error, code, label);
  t.equal(body.code, code, label);
  t.equal(response.headers['content-type']?.toString().split(';')[0], 'application/json');
  t.equal(response.headers['cache-control'], 'no-store');
  t.equal(response.headers['x-request-id'], body.request_id);
  t.match(body.error_description, /^[ !#-[\]-~]+$/, 'in the characters of RFC 6749');
  t.notOk('access_token' in body);
  if (challenge) t.match(response.headers['www-authenticate'], /^Basic realm="[^"]+"/, label);
  else t.notOk('www-authenticate' in response.headers, label);
  if (parameter !== undefined) {
    t.ok(
      body.errors?.some((error: { parameter?: string }) => error.parameter === parameter),
      `${label} names ${parameter}`,
    );
  }
}

t.test('issues a token to a client that sends its secret in the form', async (t) => {
  const response = await api.postForm(address, formOf(await setUp()));
  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  t.equal(response.headers['cache-control'], 'no-store');
  const body = response.json();
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'scope', 'token_type']);
  t.equal(body.token_type, 'Bearer');
  t.equal(body.expires_in, 3600);
  t.equal(body.scope, 'reports:read reports:write user:read user:write');
  t.equal((await api.get('/v1/employees', body.access_token)).statusCode, 200);
});

t.test('issues a token to a client that sends its secret by HTTP Basic', async (t) => {
  const application = await setUp();
  const { clientId, clientSecret } = application;
  const encoded = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  const headers = [
    basic(clientId, clientSecret),
    basic(encoded(clientId), encoded(clientSecret)),
    { authorization: basic(clientId, clientSecret).authorization?.replace('Basic', 'basic') ?? '' },
    { authorization: basic(clientId, clientSecret).authorization?.replace('Basic ', 'BASIC   ') ?? '' },
  ];
  for (const header of headers) {
    const response = await api.postForm(address, grantOnly, header);
    t.equal(response.statusCode, 200, JSON.stringify(header));
  }
  const both = await api.postForm(
    address,
    { ...grantOnly, client_id: clientId },
    basic(clientId, clientSecret),
  );
  t.equal(both.statusCode, 200, 'the same client_id may be in the form');
  const empty = await api.postForm(
    address,
    { ...grantOnly, client_id: '', client_secret: '' },
    basic(clientId, clientSecret),
  );
  t.equal(empty.statusCode, 200, 'empty members of the form count as missing');
});

t.test('the token is a JWT access token of RFC 9068 that the published keys verify', async (t) => {
  const application = await setUp();
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

t.test('every token is another one', async (t) => {
  const application = await setUp();
  const tokens = await Promise.all(Array.from({ length: 20 }, () => api.token(application)));
  t.equal(new Set(tokens).size, 20);
  t.equal(new Set(tokens.map((token) => token.split('.')[1])).size, 20);
});

t.test(
  'grants the scopes that are asked for, each once, and all that are configured when none is',
  async (t) => {
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
  },
);

t.test('refuses a scope that the application is not configured with, or that does not exist', async (t) => {
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

t.test('an unknown client and a wrong secret cannot be told apart', async (t) => {
  const application = await setUp();
  const secret = application.clientSecret;
  const attempts: Record<string, string>[] = [
    { ...formOf(application), client_secret: randomId(52) },
    { ...formOf(application), client_secret: secret.slice(0, -1) },
    { ...formOf(application), client_secret: `${secret}x` },
    { ...formOf(application), client_secret: secret.toUpperCase() },
    { ...formOf(application), client_secret: ` ${secret}` },
    { ...formOf(application), client_secret: hashSecret(secret).toString('hex') },
    { ...formOf(application), client_id: randomId() },
    { ...formOf(application), client_id: application.clientId.toUpperCase() },
    { ...formOf(application), client_id: `${application.clientId} ` },
    { ...formOf(application), client_id: application.id },
    { ...formOf(application), client_id: "' OR true --" },
    { ...formOf(application), client_id: 'a\u0000b' },
    { ...formOf(application), client_id: '😀' },
    { ...formOf(application), client_id: '%' },
    { ...formOf(application), client_id: randomId(), client_secret: randomId(52) },
  ];
  const seen = new Set<string>();
  for (const form of attempts) {
    const response = await api.postForm(address, form);
    if (form.client_id?.includes('\u0000') && response.statusCode === 400) continue;
    refused(t, response, 'invalid_client', { label: JSON.stringify(form) });
    const { request_id: _, ...rest } = response.json();
    seen.add(JSON.stringify(rest));
  }
  t.equal(seen.size, 1, 'there is one answer');

  const viaBasic = new Set<string>();
  for (const [id, password] of [
    [application.clientId, randomId(52)],
    [randomId(), secret],
    ['', secret],
    ['😀', secret],
    [encodeURIComponent('a\u0000b'), secret],
  ] as const) {
    const response = await api.postForm(address, grantOnly, basic(id, password));
    refused(t, response, 'invalid_client', { challenge: true, label: id });
    const { request_id: _, ...rest } = response.json();
    viaBasic.add(JSON.stringify(rest));
  }
  t.equal(viaBasic.size, 1);
});

t.test('a secret opens its own application only', async (t) => {
  const [first, second] = [await setUp(), await setUp()];
  refused(
    t,
    await api.postForm(address, { ...formOf(first), client_secret: second.clientSecret }),
    'invalid_client',
  );
});

t.test(
  'both secrets of an application work while a rotation is under way, and a deleted one does not',
  async (t) => {
    const { accountId } = await createTenant(api.database);
    const application = await createApplication(api.database, accountId);
    const newSecret = randomId(52);
    await api.database.prisma.applicationSecret.create({
      data: { id: randomId(), accountId, applicationId: application.id, secretHash: hashSecret(newSecret) },
    });
    for (const client_secret of [application.clientSecret, newSecret]) {
      t.equal((await api.postForm(address, { ...formOf(application), client_secret })).statusCode, 200);
    }
    await api.database.prisma.applicationSecret.deleteMany({
      where: { applicationId: application.id, secretHash: hashSecret(application.clientSecret) },
    });
    refused(t, await api.postForm(address, formOf(application)), 'invalid_client');
    t.equal(
      (await api.postForm(address, { ...formOf(application), client_secret: newSecret })).statusCode,
      200,
    );
    await api.database.prisma.application.deleteMany({ where: { id: application.id } });
    refused(
      t,
      await api.postForm(address, { ...formOf(application), client_secret: newSecret }),
      'invalid_client',
    );
  },
);

t.test('names a parameter that is missing or empty', async (t) => {
  const application = await setUp();
  for (const name of ['grant_type', 'client_id', 'client_secret']) {
    const { [name]: _, ...without } = formOf(application);
    refused(t, await api.postForm(address, without), 'invalid_request', { parameter: name, label: name });
    const empty = await api.postForm(address, { ...without, [name]: '' });
    refused(t, empty, 'invalid_request', { parameter: name, label: `${name} empty` });
  }
  refused(t, await api.postForm(address, grantOnly, basic(application.clientId, '')), 'invalid_request', {
    parameter: 'client_secret',
  });
  for (const empty of ['', '&', '&&&', '=', '=&=']) {
    const response = await api.postForm(address, empty);
    refused(t, response, 'invalid_request', { label: JSON.stringify(empty) });
  }
});

t.test('refuses a parameter that is sent twice, even when both are alike', async (t) => {
  const application = await setUp();
  const form = { ...formOf(application), scope: 'reports:read' };
  for (const [name, value] of Object.entries(form)) {
    for (const second of [value, 'other']) {
      const body = `${new URLSearchParams(form)}&${name}=${encodeURIComponent(second)}`;
      refused(t, await api.postForm(address, body), 'invalid_request', {
        parameter: name,
        label: `${name} twice`,
      });
    }
  }
});

t.test('ignores parameters that it does not know, in the form and in the address', async (t) => {
  const application = await setUp();
  const unknown = {
    resource: 'x',
    audience: 'y',
    __proto__x: '1',
    constructor: '2',
    'a[b]': '3',
    '': '4',
    toString: '5',
  };
  t.equal((await api.postForm(address, { ...formOf(application), ...unknown })).statusCode, 200);
  const proto = `${new URLSearchParams(formOf(application))}&__proto__=1&hasOwnProperty=2`;
  t.equal((await api.postForm(address, proto)).statusCode, 200);
  t.equal((await api.postForm(`${address}?x=1&grant_type=password`, formOf(application))).statusCode, 200);
});

t.test('takes nothing from the query string: credentials belong in the body', async (t) => {
  const application = await setUp();
  const response = await api.postForm(`${address}?${new URLSearchParams(formOf(application))}`, 'x=1');
  refused(t, response, 'invalid_request', { parameter: 'grant_type' });
});

t.test('refuses a secret by two ways at once, or two clients', async (t) => {
  const application = await setUp();
  const other = await setUp();
  const { clientId, clientSecret } = application;
  const header = basic(clientId, clientSecret);
  refused(t, await api.postForm(address, formOf(application), header), 'invalid_request', {
    parameter: 'client_secret',
  });
  refused(
    t,
    await api.postForm(address, { ...grantOnly, client_secret: 'other' }, header),
    'invalid_request',
    {
      parameter: 'client_secret',
    },
  );
  refused(
    t,
    await api.postForm(address, { ...grantOnly, client_id: other.clientId }, header),
    'invalid_request',
    {
      parameter: 'client_id',
    },
  );
});

t.test('refuses malformed HTTP Basic and asks for it again', async (t) => {
  const { clientId, clientSecret } = await setUp();
  const encode = (text: string | Buffer) => Buffer.from(text).toString('base64');
  const values = [
    ...[
      '!!!',
      '====',
      encode(clientId),
      encode(`${clientId}%:${clientSecret}`),
      encode(`${clientId}:%zz`),
      encode(':'),
    ],
    ...[encode(Buffer.from([0xff, 0xfe, 0x3a, 0xff])), encode(`:${clientSecret}`), encode(`${clientId}:%ff`)],
    ...[`${clientId}:${clientSecret}`, encode(`${clientId}\u0000:${clientSecret}`)],
  ];
  for (const value of values) {
    const response = await api.postForm(address, grantOnly, { authorization: `Basic ${value}` });
    refused(t, response, 'invalid_client', { challenge: true, label: value });
  }
});

t.test('a Basic header without anything in it is a failed authentication as well', async (t) => {
  for (const authorization of ['Basic', 'basic', 'Basic ']) {
    refused(t, await api.postForm(address, grantOnly, { authorization }), 'invalid_client', {
      challenge: true,
    });
  }
});

t.test('a form-encoded secret in HTTP Basic is compared after decoding', async (t) => {
  const { accountId } = await createTenant(api.database);
  const application = await createApplication(api.database, accountId);
  const secret = 'a+b c%20d:é&=😀';
  await api.database.prisma.applicationSecret.create({
    data: { id: randomId(), accountId, applicationId: application.id, secretHash: hashSecret(secret) },
  });
  const formEncoded = new URLSearchParams({ secret }).toString().slice('secret='.length);
  for (const encoded of [formEncoded, encodeURIComponent(secret)]) {
    const response = await api.postForm(address, grantOnly, basic(application.clientId, encoded));
    t.equal(response.statusCode, 200, encoded);
  }
  refused(t, await api.postForm(address, grantOnly, basic(application.clientId, 'a+b')), 'invalid_client', {
    challenge: true,
  });
});

t.test('a bearer token is no way for a client to authenticate', async (t) => {
  const application = await setUp();
  const header = { authorization: `Bearer ${await api.token(application)}` };
  refused(t, await api.postForm(address, grantOnly, header), 'invalid_request', { parameter: 'client_id' });
});

t.test('supports neither password, implicit and device grants nor any that is made up', async (t) => {
  const application = await setUp();
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

t.test('refuses client credentials to a public client', async (t) => {
  const { accountId } = await createTenant(api.database);
  const { clientId } = await createApplication(api.database, accountId, { clientType: 'public' });
  refused(t, await api.postForm(address, { ...grantOnly, client_id: clientId }), 'unauthorized_client');
  // A secret that is sent is always checked, and a public client has none.
  const withSecret = await api.postForm(address, {
    ...grantOnly,
    client_id: clientId,
    client_secret: 'anything',
  });
  refused(t, withSecret, 'invalid_client');
});

t.test('refuses any other content type than a form', async (t) => {
  const application = await setUp();
  const form = new URLSearchParams(formOf(application)).toString();
  const json = JSON.stringify(formOf(application));
  for (const [contentType, payload] of [
    ['application/json', json],
    ['application/json; charset=utf-8', json],
    ['application/json', '{'],
    ['application/json', ''],
    ['text/plain', form],
    ['multipart/form-data; boundary=x', form],
    ['application/xml', '<x/>'],
    ['application/x-www-form-urlencoded-x', form],
    ['application/octet-stream', form],
    ['nonsense', form],
    ['*/*', form],
    [';', form],
  ] as const) {
    const response = await api.postForm(address, payload, { 'content-type': contentType });
    refused(t, response, 'invalid_request', { label: `${contentType} ${payload.slice(0, 10)}` });
  }
  const untyped = await api.app.inject({ method: 'POST', url: address, payload: Buffer.from(form) });
  refused(t, untyped, 'invalid_request', { label: 'no content type' });
  refused(t, await api.app.inject({ method: 'POST', url: address }), 'invalid_request', { label: 'no body' });
});

t.test('takes the content type of forms in any letter case and with parameters', async (t) => {
  const application = await setUp();
  for (const contentType of [
    'application/x-www-form-urlencoded; charset=utf-8',
    'application/x-www-form-urlencoded;charset=UTF-8',
    'Application/X-WWW-Form-URLEncoded',
  ]) {
    const response = await api.postForm(address, formOf(application), { 'content-type': contentType });
    t.equal(response.statusCode, 200, contentType);
  }
});

t.test('refuses a form that is not percent-encoded UTF-8', async (t) => {
  const application = await setUp();
  const form = new URLSearchParams(formOf(application)).toString();
  for (const broken of ['%', '%4', '%zz', '%ff', '%C3%28', '%ED%A0%80', 'x=%E2%82']) {
    refused(t, await api.postForm(address, `${form}&scope=${broken}`), 'invalid_request', { label: broken });
    refused(t, await api.postForm(address, `${broken}&${form}`), 'invalid_request', { label: broken });
  }
});

t.test('refuses values that are too long to be right', async (t) => {
  const application = await setUp();
  for (const [name, longest] of [
    ['grant_type', 255],
    ['client_id', 255],
    ['client_secret', 255],
    ['scope', 1024],
  ] as const) {
    const form = { ...formOf(application), [name]: 'x'.repeat(longest + 1) };
    refused(t, await api.postForm(address, form), 'invalid_request', { parameter: name, label: name });
  }
});

t.test('answers a refusal as a problem document when Accept names that media type', async (t) => {
  const names = [
    'application/problem+json',
    'application/problem+json, application/json',
    'application/json;q=0.5, application/problem+json;q=0.9',
    'Application/Problem+JSON',
  ];
  const bad = { ...grantOnly, client_id: 'x', client_secret: 'y' };
  for (const accept of names) {
    const response = await api.postForm(address, bad, { accept });
    t.equal(response.headers['content-type'], 'application/problem+json', accept);
    t.equal(response.json().error, 'invalid_client', 'with the members of OAuth all the same');
  }
  for (const accept of [
    '*/*',
    'application/*',
    'application/json',
    'text/html',
    '',
    'application/problem+jsonx',
  ]) {
    const response = await api.postForm(address, bad, { accept });
    t.equal(response.headers['content-type'], 'application/json', JSON.stringify(accept));
  }
  const good = await api.postForm(address, formOf(await setUp()), { accept: 'application/problem+json' });
  t.equal(good.headers['content-type'], 'application/json; charset=utf-8', 'a token is no problem');
});

t.test('the description keeps to the characters of RFC 6749 whatever was sent', async (t) => {
  const application = await setUp();
  for (const text of [
    '"quoted"',
    'back\\slash',
    'ünïcödé',
    'tab\tline\r\nend',
    '\u0007',
    '😀',
    '\u007f',
    '\u2028',
  ]) {
    for (const form of [
      { ...formOf(application), scope: text },
      { ...formOf(application), grant_type: text },
    ]) {
      const { error_description: description } = (await api.postForm(address, form)).json();
      t.match(description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/, encodeURIComponent(text));
    }
  }
});

t.test('answers no other method than POST', async (t) => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const) {
    t.equal((await api.app.inject({ method, url: address })).statusCode, 404, method);
  }
});

t.test('a token request leaves no secret in an answer', async (t) => {
  const application = await setUp();
  for (const form of [
    { ...formOf(application), scope: 'none' },
    { ...formOf(application), grant_type: 'password' },
    { ...formOf(application), client_id: 'x' },
  ]) {
    t.notMatch((await api.postForm(address, form)).body, application.clientSecret);
  }
});
