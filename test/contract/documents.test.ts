import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { contractFile, type ProblemCode } from '../../src/platform/contract/contract.js';
import { problemSlug } from '../../src/platform/problems/problem.js';
import { Conformance } from '../support/contract/conformance.js';
import { attributesOf } from '../support/records/employee-attributes.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const codes = Object.keys(contract.problems) as ProblemCode[];

t.test('the catalogue of errors has one row for each code', async (t) => {
  const { 'x-extensible-enum': values = [] } = contract.document.components.schemas.ProblemCode ?? {};
  t.same([...(values as string[])].sort(), codes.toSorted());
  for (const code of codes) {
    const { status, title, description, resolution } = contract.problems[code];
    t.ok(status >= 400 && status < 600, code);
    for (const text of [title, description, resolution]) t.match(text, /\S/, code);
  }
});

t.test('webhook endpoints select from the types of events that exist', async (t) => {
  const { Event, EventTypeInput } = contract.document.components.schemas;
  t.same(EventTypeInput?.enum, Event?.properties?.type?.['x-extensible-enum']);
});

t.test('the documented codes have their status and title', async (t) => {
  const promised: [ProblemCode, number, string][] = [
    ['invalid_request', 400, 'Invalid Request'],
    ['invalid_scope', 400, 'Invalid Scope'],
    ['invalid_target', 400, 'Invalid Target'],
    ['unsupported_grant_type', 400, 'Unsupported Grant Type'],
    ['unauthorized_client', 400, 'Unauthorized Client'],
    ['invalid_client', 401, 'Invalid Client'],
    ['invalid_grant', 401, 'Invalid Grant'],
    ['unauthorized', 401, 'Unauthorized'],
    ['invalid_token', 401, 'Invalid Token'],
    ['token_expired', 401, 'Token Expired'],
    ['insufficient_scope', 403, 'Insufficient Scope'],
    ['user_context_required', 403, 'User Context Required'],
    ['not_found', 404, 'Not Found'],
    ['public-api-not-found', 404, 'Not Found'],
    ['precondition_failed', 412, 'Precondition Failed'],
    ['idempotency_key_in_use', 409, contract.problems.idempotency_key_in_use.title],
    ['quota_exceeded', 409, 'Quota Exceeded'],
    ['idempotency_key_reused', 422, contract.problems.idempotency_key_reused.title],
    ['payload_too_large', 413, contract.problems.payload_too_large.title],
    ['unsupported_media_type', 415, contract.problems.unsupported_media_type.title],
    ['rate_limit_exceeded', 429, 'Too Many Requests'],
    ['internal_error', 500, contract.problems.internal_error.title],
    ['service_unavailable', 503, contract.problems.service_unavailable.title],
  ];
  for (const [code, status, title] of promised) {
    t.match(contract.problems[code], { status, title }, code);
  }
});

t.test('the page of a code has its status, title, causes, remedy and example', async (t) => {
  for (const code of codes) {
    const { causes, resolution, status, title } = contract.problems[code];
    const response = await api.app.inject({ url: `/errors/${problemSlug(code)}` });
    t.equal(response.statusCode, 200, code);
    t.match(response.headers['content-type'], /^text\/html(; charset=utf-8)?$/i, code);
    t.match(response.headers['content-security-policy'], /default-src 'none'/);
    const text = response.body
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    t.ok(causes.length > 0, `${code} has a cause`);
    for (const part of [code, title, String(status), ...causes, resolution])
      t.ok(text.includes(part.replaceAll('`', '')), `${code}: ${part}`);
    const example = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    const type = `http://api.test/errors/${problemSlug(code)}`;
    const members = { detail: /^\S/, instance: /^\//, request_id: /^\S/ };
    t.match(example, { type, title, status, code, ...members });
  }
});

t.test('the list of errors links to every page', async (t) => {
  const response = await api.app.inject({ url: '/errors' });
  t.equal(response.statusCode, 200);
  for (const code of codes) t.ok(response.body.includes(`href="/errors/${problemSlug(code)}"`), code);
});

t.test('an unknown code has no error page', async (t) => {
  for (const slug of ['unknown', 'invalid_request', 'Invalid-Request', 'not-found/', '__proto__', '']) {
    const response = await api.app.inject({ url: `/errors/${slug}` });
    t.equal(response.statusCode, 404, slug);
    t.equal(response.json().code, 'public-api-not-found');
  }
});

t.test('type URIs start with the configured prefix', async (t) => {
  const other = await buildTestApp(t, {
    database: api.database,
    environment: { ERRORS_URL: 'https://docs.test/problems/' },
  });
  const response = await other.get('/v1/employees');
  t.equal(response.json().type, 'https://docs.test/problems/unauthorized');
});

t.test('serves the same contract as YAML and as JSON', async (t) => {
  const yaml = await api.app.inject({ url: '/openapi/v1.yaml' });
  t.equal(yaml.statusCode, 200);
  t.match(yaml.headers['content-type'], /^application\/(yaml|openapi\+yaml)/);
  const json = await api.app.inject({ url: '/openapi/v1.json' });
  t.equal(json.statusCode, 200);
  t.match(json.headers['content-type'], /^application\/json/);
  t.same(json.json(), parse(yaml.body));
  for (const { headers } of [yaml, json]) t.equal(headers['access-control-allow-origin'], '*');
});

t.test(
  'the contract that a server publishes differs from the one on disk in its addresses, its contact, x-api-id and x-server only',
  async (t) => {
    const file = await readFile(contractFile, 'utf8');
    const other = await buildTestApp(t, {
      database: api.database,
      environment: {
        BASE_URL: 'https://api.acme.example',
        ERRORS_URL: 'https://help.acme.example/problems',
        API_CONTACT_URL: 'https://acme.example/contact/',
      },
    });
    for (const url of ['/openapi/v1.yaml', '/openapi/v1.json', '/docs/operations/createToken']) {
      const { body } = await other.app.inject({ url });
      t.notMatch(body, 'http://localhost:3000', url);
      t.match(body, 'https://api.acme.example/v1/oauth/token', url);
      t.match(body, 'https://help.acme.example/problems/rate-limit-exceeded', url);
    }
    const { body } = await other.app.inject({ url: '/openapi/v1.yaml' });
    const restored = body
      .replaceAll('https://help.acme.example/problems', 'http://localhost:3000/errors')
      .replaceAll('https://api.acme.example', 'http://localhost:3000');
    const added =
      /^ {2}x-api-id: "[0-9a-f-]{36}"\n {2}contact: \{"url":"https:\/\/acme\.example\/contact\/"\}\n/m;
    t.match(restored, added);
    const withoutServer = file.replaceAll(/^ +x-server: .*\n/gm, '');
    t.not(withoutServer, file);
    t.equal(restored.replace(added, ''), withoutServer);
    for (const url of ['/openapi/v1.json', '/openapi/v1-3.0.json'])
      t.notMatch((await other.app.inject({ url })).body, 'x-server', url);
    const { info } = (await other.app.inject({ url: '/openapi/v1.json' })).json();
    t.match(info, { 'x-api-id': /^[0-9a-f-]{36}$/, contact: { url: 'https://acme.example/contact/' } });
    t.notOk('contact' in (await api.app.inject({ url: '/openapi/v1.json' })).json().info);
  },
);

t.test('the metadata of the authorization server agrees with the contract', async (t) => {
  const metadata = (await api.get('/.well-known/oauth-authorization-server')).json();
  t.equal(metadata.issuer, 'http://api.test');
  for (const [member, id] of [
    ['authorization_endpoint', 'authorize'],
    ['token_endpoint', 'createToken'],
    ['revocation_endpoint', 'revokeToken'],
    ['introspection_endpoint', 'introspectToken'],
    ['pushed_authorization_request_endpoint', 'createPushedRequest'],
    ['jwks_uri', 'getJsonWebKeySet'],
    ['userinfo_endpoint', 'getUserInfo'],
    ['end_session_endpoint', 'getLogout'],
  ] as const) {
    t.equal(metadata[member], `http://api.test${contract.operations.get(id)?.path}`);
  }
  t.same(metadata.scopes_supported, Object.keys(contract.scopes));
  t.same(metadata.response_types_supported, ['code']);
  t.same(metadata.code_challenge_methods_supported, ['S256']);
  const { application } = await createTenant(api.database);
  for (const grant_type of metadata.grant_types_supported) {
    const form = { grant_type, client_id: application.clientId, client_secret: application.clientSecret };
    t.not((await api.postForm('/v1/oauth/token', form)).json().error, 'unsupported_grant_type', grant_type);
  }
  const documentation = metadata.service_documentation.replace('http://api.test', '');
  t.equal((await api.app.inject({ url: documentation })).statusCode, 200, 'its documentation can be read');
});

t.test('a malformed request to a public address gets the response that the contract declares', async (t) => {
  for (const path of [
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/v1/oauth/authorize',
    '/v1/oauth/logout',
  ]) {
    for (const query of ['?x=%ff', '?x=%00', '?x=1']) {
      await t.resolves(api.app.inject({ url: `${path}${query}` }), `${path}${query}`);
    }
  }
  await t.resolves(api.postForm('/v1/oauth/token?x=%ff', 'grant_type=x'));
});

t.test('the comparison of responses with the contract finds differences', async (t) => {
  const conformance = new Conformance(contract, 'http://api.test/errors');
  const request = { method: 'GET', url: '/v1/employees/x' };
  const id = {
    'x-request-id': 'a',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'x-request-id',
  };
  const headers = { ...id, 'content-type': 'application/json; charset=utf-8', etag: '"a"' };
  const problemHeaders = { ...id, 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  const attributes = makeEmployees(1).map(attributesOf)[0];
  const employee = { id: 'x', type: 'employees', attributes };
  const problem = {
    type: 'http://api.test/errors/not-found',
    title: 'Not Found',
    status: 404,
    detail: 'x',
    instance: '/v1/employees/x',
    code: 'not_found',
    request_id: 'a',
  };
  const faults = (statusCode: number, given: object, body: unknown) =>
    conformance.faults(request, {
      statusCode,
      headers: given as Record<string, unknown>,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  t.same(faults(200, headers, { data: employee }), []);
  t.same(faults(404, problemHeaders, problem), []);
  for (const [label, found] of [
    ['status', faults(418, headers, { data: employee })],
    ['media type', faults(200, { ...headers, 'content-type': 'text/html' }, { data: employee })],
    ['no request id', faults(200, { ...headers, 'x-request-id': '' }, { data: employee })],
    ['missing header', faults(200, { ...headers, etag: undefined }, { data: employee })],
    ['missing member', faults(200, headers, {})],
    ['extra member', faults(200, headers, { data: employee, extra: 1 })],
    ['extra inner member', faults(200, headers, { data: { ...employee, attributes: { salary: '1' } } })],
    ['wrong type', faults(200, headers, { data: { ...employee, id: 1 } })],
    ['not JSON', faults(200, headers, '{')],
    ['wrong title', faults(404, problemHeaders, { ...problem, title: 'x' })],
    ['wrong type URI', faults(404, problemHeaders, { ...problem, type: 'http://api.test/errors/x' })],
    ['wrong instance', faults(404, problemHeaders, { ...problem, instance: '/v1/employees/x?a=b' })],
    ['wrong request id', faults(404, problemHeaders, { ...problem, request_id: 'b' })],
    ['no detail', faults(404, problemHeaders, { ...problem, detail: '' })],
    ['a detail without its subject', faults(404, problemHeaders, { ...problem, detail: ' is required.' })],
    ['another code', faults(404, problemHeaders, { ...problem, code: 'unauthorized' })],
    ['extra problem member', faults(404, problemHeaders, { ...problem, stack: 'x' })],
    ['cacheable', faults(404, { ...problemHeaders, 'cache-control': 'public' }, problem)],
  ] as const) {
    t.ok(found.length > 0, label);
  }

  const refusal = {
    ...problem,
    type: 'http://api.test/errors/invalid-client',
    title: 'Invalid Client',
    status: 401,
    instance: '/v1/oauth/token',
    code: 'invalid_client',
    error: 'invalid_client',
    error_description: 'x',
  };
  const oauthFaults = (body: object) =>
    conformance.faults(
      { method: 'POST', url: '/v1/oauth/token' },
      { statusCode: 401, headers: problemHeaders, body: JSON.stringify(body) },
    );
  t.same(oauthFaults(refusal), []);
  for (const member of ['error', 'error_description', 'detail']) {
    t.ok(oauthFaults({ ...refusal, [member]: undefined }).length > 0, `an OAuth error without ${member}`);
  }
  t.ok(oauthFaults({ ...refusal, hint: 'x' }).length > 0, 'an OAuth error with an extra member');
});
