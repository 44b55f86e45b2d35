import type { InjectOptions } from 'fastify';
import type { Response } from '../../support/contract/conformance.js';
import { createRandom } from '../../support/input/random.js';
import { createScene, grantTokens } from '../../support/oauth/users.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp, contract } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const injected = 400;
const sent = 240;

/** The same requests in every run. */
const { upTo, chance, pick } = createRandom(20260301);

const words = [
  '',
  '9'.repeat(400),
  'x'.repeat(300),
  "' OR true --",
  '%0d%0aX-Evil: 1',
  ...'0 1 -1 1e309 0x10 NaN null true a active'.split(' '),
  ...'__proto__ constructor toString hasOwnProperty ../../etc/passwd <script> {{7*7}}'.split(' '),
  ...'%00 %ff % %zz %ED%A0%80 %F0%9F%98%80 %E2%80%AE + %2B %2525 ; ,'.split(' '),
  ...'2026-01-01T00:00:00Z last_name,-email AAAA W10 * \\ " \' {} [] {{x}} \u{1F600} é'.split(' '),
];

const names = [
  '',
  ...(contract.operations.get('listEmployees')?.queryParameters.keys() ?? []),
  ...'page page[] page[number][] filter x access_token grant_type client_id scope'.split(' '),
];

const paths = [...contract.operations.values()].map(({ path }) => path);
/** Paths with a parameter. */
const templates = paths.filter((path) => path.includes('{'));
const unstorable = ['%00', 'a%00', '%ED%A0%80', '%EF%BF%BE', 'x'.repeat(9000)];
const plain = '/errors /errors/not-found /openapi/v1.yaml /healthz /v2/employees / /v1//employees /*'.split(
  ' ',
);

function path(): string {
  const template = chance(0.3) ? pick(templates) : chance(0.8) ? pick(paths) : pick(plain);
  const filled = template.replaceAll(/\{[^}]*\}/g, () => pick(chance(0.2) ? unstorable : words));
  return chance(0.1) ? `${filled}/${pick(words)}` : filled;
}

function query(): string {
  const pairs = Array.from({ length: upTo(4) }, () => `${pick([...names, ...words])}=${pick(words)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function deep(levels: number): string {
  return chance(0.5)
    ? '['.repeat(levels) + ']'.repeat(levels)
    : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

function json(): string {
  return pick([
    () => JSON.stringify({ title: pick(words), columns: [pick(words)], filters: [{ field: pick(words) }] }),
    () => JSON.stringify({ title: 'a\u0000b', description: '\ud800', [pick(words)]: pick(words) }),
    () => '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}},"title":"t"}',
    () => deep(upTo(5000)),
    () => `{"title":${'9'.repeat(upTo(1000) + 1)}}`,
    () => '{"title":1e999999}',
    () => '{"title":"x","title":"y"}',
    () => '"\\ud800\\u0000"',
    () => '[1,2,',
    () => 'null',
    () => '',
    () => '\ufeff{}',
    () => JSON.stringify({ given_name: 'x'.repeat(upTo(70_000)) }),
  ])();
}

function form(): string {
  const parameters = 'grant_type client_id client_secret scope token code refresh_token'.split(' ');
  const fields = [...parameters, ...words];
  const values = ['client_credentials', 'refresh_token', 'authorization_code', 'password', ...words];
  return Array.from({ length: upTo(7) }, () => `${pick(fields)}=${pick(values)}`).join('&');
}

function body(): string | Buffer {
  return chance(0.1)
    ? Buffer.from(Array.from({ length: upTo(300) }, () => upTo(256)))
    : chance(0.5)
      ? json()
      : form();
}

const contentTypes = [
  '',
  'application/json; charset=utf-8',
  'application/json; charset=utf-7',
  ...'application/json application/x-www-form-urlencoded text/plain text/csv multipart/form-data'.split(' '),
  ...'application/vnd.api+json x */* a/b;c="'.split(' '),
];

function headers(tokens: readonly string[]): Record<string, string> {
  const chosen: Record<string, string> = {};
  if (chance(0.7)) {
    const scheme = pick(['Bearer', 'bearer', 'Basic', 'Digest', 'Bearer Bearer']);
    chosen.authorization = `${chance(0.8) ? 'Bearer' : scheme} ${pick([...tokens, ...tokens, ...tokens, 'x', 'a.b.c', 'Og=='])}`;
  }
  if (chance(0.6)) chosen['content-type'] = pick(contentTypes);
  if (chance(0.3))
    chosen.accept = pick(['text/csv', 'text/html', 'application/problem+json', '*/*;q=0', ',,,', 'x']);
  if (chance(0.2)) chosen['x-request-id'] = pick(['ok', '<b>', 'x'.repeat(200), '']);
  if (chance(0.2)) chosen['if-match'] = pick(['"a"', '*', 'W/', '"', 'x'.repeat(2000)]);
  if (chance(0.2)) chosen['idempotency-key'] = pick(['k', '', 'x'.repeat(300), '\t', 'k k']);
  if (chance(0.2))
    chosen.cookie = pick(['a=b', '=', ';;;', 'session=x; session=y', '__proto__=1', 'x'.repeat(5000)]);
  if (chance(0.2)) chosen.origin = pick(['http://evil.test', 'null', '*', '']);
  if (chance(0.1)) chosen['access-control-request-method'] = pick(['GET', 'PATCH', 'x']);
  if (chance(0.1)) chosen['x-forwarded-for'] = pick(['1.2.3.4', '::1', 'x'.repeat(500)]);
  if (chance(0.1)) chosen.range = 'bytes=0-1,5-3';
  if (chance(0.05)) chosen['content-encoding'] = 'gzip';
  return chosen;
}

const methods = ['GET', 'GET', 'GET', 'POST', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'] as const;

const api = await buildTestApp(t, {
  recorded: false,
  environment: { RATE_LIMIT_FAILURES: '0', RATE_LIMIT_API: '0', RATE_LIMIT_TOKEN: '0' },
});
const { application, employeeIds } = await createTenant(api.database, { employees: makeEmployees(20) });
const stranger = await createTenant(api.database, {
  employees: makeEmployees(20, { department: 'Elsewhere' }),
});
const tokens = [await api.token(application), await api.token(application, 'user:read')];

/** The error of a response; `undefined` for a valid one. */
function objection(response: Response, isHead: boolean): string | undefined {
  const { statusCode, headers, body } = response;
  if (statusCode >= 500) return `status ${statusCode}`;
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(String(headers['x-request-id'] ?? ''))) return 'no X-Request-Id';
  if (stranger.employeeIds.some((id) => body.includes(id)) || body.includes('Elsewhere'))
    return 'a foreign record';
  if ('x-evil' in headers) return 'an injected header line';
  if (statusCode < 400 || isHead) return undefined;
  const mediaType = String(headers['content-type']).split(';')[0] ?? '';
  if (mediaType === 'text/html') return undefined;
  if (!['application/problem+json', 'application/json'].includes(mediaType)) return `media type ${mediaType}`;
  const problem = JSON.parse(body);
  if (problem.status !== statusCode) return 'another status in the body';
  if (problem.request_id !== headers['x-request-id']) return 'another request id in the body';
  if (contract.problems[problem.code as 'not_found']?.status !== statusCode) return `code ${problem.code}`;
  if (mediaType === 'application/json' && typeof problem.error !== 'string')
    return 'no error for OAuth clients';
  return undefined;
}

t.test(`responds to ${injected} hostile requests without a 5xx`, async (t) => {
  const objections: string[] = [];
  // Another test compares responses with the contract.
  for (let batch = 0; batch < injected / 20; batch++) {
    const requests: InjectOptions[] = Array.from({ length: 20 }, () => {
      const method = pick(methods);
      const withBody = method !== 'GET' && method !== 'HEAD' && chance(0.8);
      return {
        method,
        url: `${path()}${query()}`,
        headers: headers(tokens),
        ...(withBody && { payload: body() }),
      };
    });
    const responses = await Promise.all(requests.map((request) => api.injectUnchecked(request)));
    responses.forEach((response, index) => {
      const found = objection(response, requests[index]?.method === 'HEAD');
      if (found !== undefined) {
        objections.push(
          `${found}: ${JSON.stringify(requests[index]).slice(0, 600)} -> ${response.body.slice(0, 300)}`,
        );
      }
    });
  }
  t.same(
    objections.length,
    0,
    `${objections.length} violations, such as\n${objections.slice(0, 5).join('\n')}`,
  );
});

t.test(`responds to ${sent} hostile requests over the network without a 5xx or a timeout`, async (t) => {
  const port = await listen(api.app);
  const objections: string[] = [];
  for (let batch = 0; batch < sent / 40; batch++) {
    const requests = Array.from({ length: 40 }, () => {
      const payload = chance(0.5) ? Buffer.from(body()) : Buffer.alloc(0);
      const method = chance(0.95) ? pick(methods) : pick(['TRACE', 'PROPFIND', 'get', 'X\0', 'POST POST']);
      const lines = Object.entries(headers(tokens)).map(([name, value]) => `${name}: ${value}`);
      const length = chance(0.95) ? payload.length : pick([-1, payload.length + 5, 'x', 1e12]);
      const target = `${path()}${query()}`.replaceAll(' ', chance(0.8) ? '%20' : ' ');
      const head = [
        `${method} ${target} HTTP/1.1`,
        'Host: x',
        'Connection: close',
        `Content-Length: ${length}`,
        ...lines,
      ];
      if (chance(0.03)) head.push(`${pick(words)}: ${pick(words)}`);
      const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), payload]);
      if (chance(0.1)) bytes[upTo(bytes.length)] = upTo(256);
      return { bytes, isHead: method === 'HEAD' };
    });
    const responses = await Promise.all(
      requests.map(({ bytes, isHead }) => exchange(port, bytes, { half: true, head: isHead })),
    );
    responses.forEach((received, index) => {
      for (const response of received) {
        const found = objection(response, requests[index]?.isHead ?? false);
        if (found !== undefined) {
          objections.push(
            `${found}: ${requests[index]?.bytes.toString('latin1').slice(0, 600)} -> ${response.body.slice(0, 300)}`,
          );
        }
      }
    });
  }
  t.same(
    objections.length,
    0,
    `${objections.length} violations, such as\n${objections.slice(0, 5).join('\n')}`,
  );
});

t.test('hostile requests change no row', async (t) => {
  const response = await api.get('/v1/employees', tokens[0]);
  t.equal(response.statusCode, 200);
  t.same(
    response.json().data.map(({ id }: { id: string }) => id),
    employeeIds,
  );
  t.equal(({} as Record<string, unknown>).x, undefined, 'no prototype was changed');
  t.equal(await api.database.prisma.account.count(), 2);
});

t.test('a body of 64 KiB that is nested as deeply as possible is 400 in every operation', async (t) => {
  const ofApplication = await api.token(application, Object.keys(contract.scopes).join(' '));
  const scene = await createScene(api.database);
  const { accessToken: ofUser } = await grantTokens(api, scene, { scope: 'user:write' });
  const { bodyLimit = 0 } = api.app.initialConfig;
  const open = Math.floor(bodyLimit / 6);
  const bodies = [
    '['.repeat(bodyLimit / 2) + ']'.repeat(bodyLimit / 2),
    `${'{"a":'.repeat(open)}1${'}'.repeat(open)}`.slice(0, bodyLimit),
  ];
  for (const { method, path, body, scopes } of contract.operations.values()) {
    if (!body?.mediaTypes.includes('application/json')) continue;
    for (const payload of bodies) {
      const url = path.replaceAll(/\{[^}]*\}/g, 'x');
      const authorization = `Bearer ${scopes?.includes('user:write') ? ofUser : ofApplication}`;
      const headers = { authorization, 'content-type': 'application/json', 'if-match': '*' };
      const response = await api.injectUnchecked({ method: method as 'POST', url, headers, payload });
      t.equal(response.statusCode, 400, `${method} ${path}: ${response.body}`);
      t.match(response.body, /nested deeper than 32 levels/, `${method} ${path}`);
    }
  }
});
