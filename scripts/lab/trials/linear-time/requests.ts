import { loadContract } from '../../../../src/platform/contract/contract.js';
import { authorizePath, Browser, hiddenFields } from '../../kit/http/browser.js';
import { type HttpRequest, jsonOf, type Send } from '../../kit/http/client.js';
import { postForm } from '../../kit/http/requests.js';
import { type Account, allScopes } from '../accounts.js';
import { isHeaderText, type Reader } from './measure.js';

const contract = loadContract();

/** Characters of the largest URL, header and body, less some for the text around them. */
const headerSize = 15 * 1024;
const bodySize = 64 * 1024 - 256;

const applicationsPath = '/people/settings/oauth_applications';
const auditLogPath = '/people/settings/audit_log';
const formType = 'application/x-www-form-urlencoded';

/** What the requests of an account need. */
interface Scene {
  readonly account: Account;
  readonly bearer: Readonly<Record<string, string>>;
  /** The cookies of a browser in which the owner is signed in. */
  readonly cookie: string;
  readonly csrfToken: string;
  readonly send: (request: HttpRequest) => Promise<unknown>;
}

const percentEncoded = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, headerSize);

/** Parsers of the same part of a request. */
function readersOf(
  parts: Record<string, (text: string) => HttpRequest>,
  { send, ...shared }: Omit<Reader, 'name' | 'read'> & Pick<Scene, 'send'>,
): Reader[] {
  return Object.entries(parts).map(([name, request]) => ({
    ...shared,
    name,
    read: (text) => send(request(text)),
  }));
}

function paths({ bearer, cookie, send }: Scene): Reader[] {
  const addresses = {
    'id of an employee': (text: string) => ({
      path: `/v1/employees/${percentEncoded(text)}`,
      headers: bearer,
    }),
    'unknown path': (text: string) => ({ path: `/${text.replaceAll(/[?#\s]/g, 'x')}` }),
    'unknown page': (text: string) => ({
      path: `/people/${percentEncoded(text)}`,
      headers: { cookie, accept: 'text/html' },
    }),
    'error page': (text: string) => ({ path: `/errors/${percentEncoded(text)}` }),
  };
  return readersOf(addresses, { send, size: headerSize });
}

function queryParameters({ account, bearer, cookie, send }: Scene): Reader[] {
  const readers: Record<string, (text: string) => HttpRequest> = {
    'query of a list': (text) => ({ path: `/v1/employees?${text.replaceAll('#', 'x')}`, headers: bearer }),
    'query of the authorization': (text) => ({ path: `/v1/oauth/authorize?${text.replaceAll('#', 'x')}` }),
    'query of a page': (text) => ({ path: `/people?${text.replaceAll('#', 'x')}`, headers: { cookie } }),
  };
  const { clientId, redirectUri } = account.application;
  const parameters: Record<string, string> = Object.fromEntries(
    new URL(authorizePath({ clientId, redirectUri, scope: 'reports:read', verifier: 'x' }), 'http://x')
      .searchParams,
  );
  for (const name of Object.keys(parameters)) {
    readers[`authorize ${name}`] = (text) => ({
      path: `/v1/oauth/authorize?${new URLSearchParams({ ...parameters, [name]: text })}`.slice(
        0,
        headerSize,
      ),
      headers: { cookie },
    });
  }
  // The code that reads a parameter depends on its name and schema, not on the operation.
  const seen = new Set<string>();
  for (const { id, method, path, scopes, queryParameters } of contract.operations.values()) {
    if (scopes === null || method !== 'GET') continue;
    for (const [name, parameter] of queryParameters) {
      const key = `${name} ${JSON.stringify(parameter)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      readers[`${id} ${name}`] = (text) => ({
        path: `${path.replace(/\{.*\}/, 'x')}?${name}=${percentEncoded(text)}`,
        headers: bearer,
      });
    }
  }
  for (const name of ['q', 'sort', 'page']) {
    readers[`directory ${name}`] = (text) => ({
      path: `/people?${name}=${percentEncoded(text)}`,
      headers: { cookie },
    });
  }
  for (const name of ['type', 'after']) {
    readers[`audit log ${name}`] = (text) => ({
      path: `${auditLogPath}?${name}=${percentEncoded(text)}`,
      headers: { cookie },
    });
  }
  readers['sign-in return_to'] = (text) => ({ path: `/sign_in?return_to=${percentEncoded(text)}` });
  return readersOf(readers, { send, size: headerSize, shapes: 'some' });
}

function headers({ bearer, cookie, send }: Scene): Reader[] {
  const readers: Record<string, (text: string) => HttpRequest> = {
    'authorization: Bearer': (text) => ({
      path: '/v1/employees',
      headers: { authorization: `Bearer ${text}` },
    }),
    'authorization: Basic': (text) => ({
      method: 'POST',
      path: '/v1/oauth/token',
      headers: { authorization: `Basic ${text}`, 'content-type': formType },
      body: 'grant_type=client_credentials',
    }),
    'accept of a page': (text) => ({ path: '/people/x', headers: { accept: text, cookie } }),
    'accept-encoding': (text) => ({ path: '/docs', headers: { 'accept-encoding': text } }),
    'cookie: session': (text) => ({ path: '/people', headers: { cookie: `session=${text}` } }),
    preflight: (text) => ({
      method: 'OPTIONS',
      path: '/v1/employees',
      headers: {
        'access-control-request-method': text,
        'access-control-request-headers': text,
        origin: text,
      },
    }),
    'content-type': (text) => ({
      method: 'POST',
      path: '/v1/reports',
      headers: { ...bearer, 'content-type': text },
      body: '{}',
    }),
    'content-type parameters': (text) => ({
      method: 'POST',
      path: '/v1/reports',
      headers: { ...bearer, 'content-type': `application/json; ${text}` },
      body: '{}',
    }),
  };
  for (const name of [
    'authorization',
    'accept',
    'cookie',
    'x-request-id',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'user-agent',
    'host',
    'traceparent',
  ]) {
    readers[name] = (text) => ({ path: '/v1/employees', headers: { ...bearer, [name]: text } });
  }
  for (const name of ['if-match', 'idempotency-key']) {
    readers[name] = (text) => ({
      method: name === 'if-match' ? 'PATCH' : 'POST',
      path: name === 'if-match' ? '/v1/reports/x' : '/v1/reports',
      headers: { ...bearer, [name]: text },
      body: '{"title":"x"}',
    });
  }
  return readersOf(readers, { send, size: headerSize, shapes: 'some', accepts: isHeaderText });
}

function forms({ account, cookie, csrfToken, send }: Scene): Reader[] {
  const post = (path: string, body: string, accept = 'text/html') => ({
    method: 'POST' as const,
    path,
    headers: { 'content-type': formType, cookie, accept },
    body,
  });
  const { clientId: client_id, clientSecret: client_secret = '' } = account.application;
  const grants = {
    client_credentials: { client_id, client_secret, scope: '' },
    authorization_code: {
      client_id,
      client_secret,
      code: 'x',
      redirect_uri: account.application.redirectUri,
      code_verifier: 'x'.repeat(43),
    },
    refresh_token: { client_id, client_secret, refresh_token: 'x', scope: '' },
  };
  const readers: Record<string, (text: string) => HttpRequest> = {
    'form of the token endpoint': (text) => post('/v1/oauth/token', text),
    'form of the sign-in page': (text) => post('/sign_in', text),
    'form of the consent page': (text) => post('/v1/oauth/authorize', text),
    'form of the revocation endpoint': (text) => post('/v1/oauth/revoke', text),
    grant_type: (text) => post('/v1/oauth/token', `client_id=x&grant_type=${text}`),
    token: (text) =>
      post('/v1/oauth/revoke', `client_id=${client_id}&client_secret=${client_secret}&token=${text}`),
    csrf_token: (text) => post('/sign_in', `csrf_token=${text}`),
  };
  for (const [grant_type, fields] of Object.entries(grants)) {
    for (const name of Object.keys(fields)) {
      const others = new URLSearchParams({ grant_type, ...fields, [name]: '' });
      readers[`${grant_type} ${name}`] = (text) => post('/v1/oauth/token', `${others}&${name}=${text}`);
    }
  }
  for (const name of ['name', 'redirect_uris', 'scopes', 'client_type', 'action', 'nonce']) {
    const others = new URLSearchParams({ csrf_token: csrfToken, name: 'x', client_type: 'confidential' });
    others.delete(name);
    readers[`application ${name}`] = (text) => post(applicationsPath, `${others}&${name}=${text}`);
  }
  // Each attempt hashes a password.
  const attempt = readersOf(
    Object.fromEntries(
      ['email', 'password', 'return_to'].map((name) => {
        const others = new URLSearchParams({ csrf_token: csrfToken, email: 'x', password: 'x' });
        others.delete(name);
        return [`sign-in ${name}`, (text: string) => post('/sign_in', `${others}&${name}=${text}`)];
      }),
    ),
    {
      send,
      size: bodySize,
      shapes: 'own',
      units: ['@', '/', 'a/../', '%CC%81%CC%96', ' ', 'é'],
      texts: [`//${'\u0301'.repeat(16_000)}${'\u0316'.repeat(16_000)}`],
    },
  );
  return [...readersOf(readers, { send, size: bodySize, shapes: 'some' }), ...attempt];
}

function jsonBodies({ bearer, send }: Scene): Reader[] {
  const post = (body: string, { path = '/v1/reports', method = 'POST' as 'POST' | 'PATCH' } = {}) => ({
    method,
    path,
    headers: { ...bearer, 'content-type': 'application/json' },
    body,
  });
  const update = (body: string) => post(body, { path: '/v1/users/me', method: 'PATCH' });
  const readers: Record<string, (text: string) => HttpRequest> = { 'JSON body': (text) => post(text) };
  // Half of the characters, because JSON escapes may double the size.
  const json = (value: unknown) => JSON.stringify(value).slice(0, bodySize);
  const filter = { field: 'email', operator: 'eq', value: 'x' };
  const members: Record<string, (text: string) => object> = {
    title: (text) => ({ title: text }),
    description: (text) => ({ title: 'x', description: text }),
    columns: (text) => ({ title: 'x', columns: [text] }),
    sort: (text) => ({ title: 'x', sort: [text] }),
    group_by: (text) => ({ title: 'x', group_by: [text] }),
    'filters field': (text) => ({ title: 'x', filters: [{ ...filter, field: text }] }),
    'filters operator': (text) => ({ title: 'x', filters: [{ ...filter, operator: text }] }),
    'filters value': (text) => ({ title: 'x', filters: [{ ...filter, value: text }] }),
    'filters value of a date-time': (text) => ({
      title: 'x',
      filters: [{ field: 'updated_at', operator: 'eq', value: text }],
    }),
    'member name': (text) => ({ title: 'x', [text]: 1 }),
  };
  for (const [name, make] of Object.entries(members)) readers[name] = (text) => post(json(make(text)));
  for (const name of Object.keys(contract.document.components.schemas.UserUpdateRequest?.properties ?? {})) {
    readers[name] = (text) => update(json({ [name]: text }));
    readers[`${name}, nearly correct`] = (text) =>
      update(json({ [name]: `${name === 'picture' ? 'https://' : '+1'}${text}` }));
  }
  return readersOf(readers, { send, size: bodySize - 256, shapes: 'some' });
}

function listsAndMembers({ bearer, send }: Scene): Reader[] {
  const list = (member: string, item: (index: number) => unknown) => {
    const items: string[] = [];
    for (let index = 0, length = 0; length < bodySize - 100; index += 1) {
      const text = JSON.stringify(item(index));
      length += text.length + 1;
      items.push(text);
    }
    return member === ''
      ? `{"title":"x",${items
          .slice(0, -1)
          .map((item, index) => `"${index}":${item}`)
          .join(',')
          .slice(0, bodySize - 100)
          .replace(/,[^,]*$/, '')}}`
      : `{"title":"x","${member}":[${items.slice(0, -1).join(',')}]}`;
  };
  const values = (value: (index: number) => unknown) => ({
    field: 'email',
    operator: 'in',
    value: Array.from({ length: 100 }, (_, index) => value(index)),
  });
  const normal = JSON.stringify({
    title: 'x',
    filters: Array.from({ length: 20 }, () => values((index) => `${index}@${'x'.repeat(20)}`)),
  });
  const items: Record<string, (index: number) => unknown> = {
    'the same text': () => 'email',
    'different texts': (index) => String(index),
    numbers: (index) => index,
    'empty lists': () => [],
    'empty objects': () => ({}),
    'objects with different members': (index) => ({ [index]: index }),
    nothing: () => null,
    'different lists': (index) => [index],
  };
  const texts = ['columns', 'filters', 'sort', 'group_by', 'unknown', ''].flatMap((member) =>
    Object.values(items).map((item) => list(member, item)),
  );
  texts.push(
    JSON.stringify({
      title: 'x',
      filters: [{ field: 'email', operator: 'in', value: JSON.parse(list('value', String)).value }],
    }),
    JSON.stringify({
      title: 'x',
      filters: [{ field: 'email', operator: 'in', value: JSON.parse(list('value', () => '')).value }],
    }),
    `{"title":${'['.repeat(32_000)}${']'.repeat(32_000)}}`,
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    `{"title":${'9'.repeat(bodySize - 100)}}`,
    `{${'"title":"x",'.repeat(5_000)}"title":"x"}`,
    `{"title":"${'\\u0041'.repeat(10_000)}"}`,
    `{"title":"x"${' '.repeat(bodySize - 100)}}`,
    `{${'"__proto__"   :1,'.repeat(3_500)}"title":"x"}`,
    `{"title":"x","a":"${'__proto__\\"  '.repeat(4_500)}"}`,
  );
  return [
    {
      name: 'lists and members',
      size: normal.length,
      shapes: 'own',
      normal,
      texts,
      read: (body) =>
        send({
          method: 'POST',
          path: '/v1/reports',
          headers: { ...bearer, 'content-type': 'application/json' },
          body,
        }),
    },
  ];
}

function headersAndPairs({ bearer, send }: Scene): Reader[] {
  const many = (text: string) => Object.fromEntries(text.split('a').map((_, index) => [`a${index}`, '']));
  return [
    {
      // Ten times as many headers take ten times as long in linear time, and a hundred times in quadratic time.
      name: 'many headers',
      size: 2_000,
      shapes: 'own',
      normal: 'abbbbbbbbb',
      units: ['a'],
      read: (text) => send({ path: '/v1/employees', headers: { ...many(text), ...bearer } }),
    },
    {
      name: 'many cookies',
      size: headerSize,
      shapes: 'own',
      units: ['a=b; ', ';', '=', 'session=x; ', '__proto__=x; '],
      read: (cookie) => send({ path: '/people', headers: { cookie } }),
    },
  ];
}

/** Every `pattern` of the contract, with the example of its schema. */
function* patternsIn(node: unknown): Iterable<{ pattern: string; example: string }> {
  if (typeof node !== 'object' || node === null) return;
  const { pattern, example, schema } = node as Record<string, unknown>;
  const inner = (schema as Record<string, unknown> | undefined)?.pattern;
  if (typeof pattern === 'string') yield { pattern, example: '' };
  if (typeof inner === 'string') yield { pattern: inner, example: String(example ?? '') };
  for (const value of Object.values(node)) yield* patternsIn(value);
}

function patterns(): Reader[] {
  const found = new Map([...patternsIn(contract.document)].map(({ pattern, example }) => [pattern, example]));
  return [...found].map(([pattern, example]): Reader => {
    const expression = new RegExp(pattern, 'u');
    const characters = [...new Set(['a', 'A', '0', ...pattern.replaceAll(/[A-Za-z0-9^$]/g, '')])];
    const pairs = characters.flatMap((one) => characters.map((other) => one + other));
    return {
      name: `pattern ${pattern.replaceAll('|', '¦').slice(0, 40)}`,
      size: headerSize,
      units: pairs,
      texts: characters.flatMap((character) =>
        ['', '!'].map((end) => example + character.repeat(headerSize) + end),
      ),
      read: (text) => expression.test(text),
    };
  });
}

/** Every part of a request that the server reads, and every pattern of the contract. */
export async function requests(account: Account, send: Send): Promise<Reader[]> {
  const browser = new Browser(send);
  await browser.signIn(account.owner);
  const page = await browser.open(`${applicationsPath}/new`);
  const { form, response } = await browser.allow(account.application, allScopes);
  if (form === undefined) throw new Error(`No code: ${response.status}`);
  const { access_token } = jsonOf(await send(postForm('/v1/oauth/token', form)));
  const scene: Scene = {
    account,
    bearer: { authorization: `Bearer ${access_token}` },
    cookie: browser.headers().cookie,
    csrfToken: hiddenFields(page.body.toString()).csrf_token ?? '',
    send: (request) => send({ ...request, timeoutMs: 120_000 }),
  };
  return [
    ...[paths, queryParameters, headers, forms, jsonBodies, listsAndMembers, headersAndPairs].flatMap(
      (read) => read(scene),
    ),
    ...patterns(),
  ];
}
