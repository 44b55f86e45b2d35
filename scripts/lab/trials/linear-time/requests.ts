import { loadContract } from '../../../../src/platform/contract/contract.js';
import { Browser } from '../../kit/http/browser.js';
import type { HttpRequest, Send } from '../../kit/http/client.js';
import { get, postForm, sendJson } from '../../kit/http/requests.js';
import { type Account, requestToken } from '../accounts.js';
import { isHeaderText, type Reader } from './measure.js';

const contract = loadContract();

/** Characters of the largest URL, header and body, less some for the text around them. */
const headerSize = 15 * 1024;
const bodySize = 64 * 1024 - 512;

const percentEncoded = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, headerSize);
const asQuery = (text: string) => text.replaceAll('#', 'x');

/** Requests by the name of the part that the server reads. */
type Requests = Record<string, (text: string) => HttpRequest>;

function paths(token: string): Requests {
  return {
    'id of an employee': (text) => get(`/v1/employees/${percentEncoded(text)}`, token),
    'unknown path': (text) => ({ path: `/${text.replaceAll(/[?#\s]/g, 'x')}` }),
    'error page': (text) => ({ path: `/errors/${percentEncoded(text)}` }),
  };
}

function queries(token: string, cookie: string): Requests {
  const requests: Requests = {
    'query of a list': (text) => get(`/v1/employees?${asQuery(text)}`, token),
    'query of the authorization': (text) => ({ path: `/v1/oauth/authorize?${asQuery(text)}` }),
    'query of a page': (text) => ({ path: `/people?${asQuery(text)}`, headers: { cookie } }),
    'directory q': (text) => ({ path: `/people?q=${percentEncoded(text)}`, headers: { cookie } }),
  };
  // The code that reads a parameter depends on its name and schema, not on the operation.
  const seen = new Set<string>();
  for (const { id, method, path, scopes, queryParameters } of contract.operations.values()) {
    if (scopes === null || method !== 'GET') continue;
    for (const [name, parameter] of queryParameters) {
      const key = `${name} ${JSON.stringify(parameter)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const start = `${path.replace(/\{.*\}/, 'x')}?${name}=`;
      requests[`${id} ${name}`] = (text) => get(start + percentEncoded(text), token);
    }
  }
  return requests;
}

function headers(token: string): Requests {
  const requests: Requests = {
    'authorization: Bearer': (text) => get('/v1/employees', text),
    'authorization: Basic': (text) =>
      postForm('/v1/oauth/token', { grant_type: 'client_credentials' }, { authorization: `Basic ${text}` }),
    'cookie: session': (text) => ({ path: '/people', headers: { cookie: `session=${text}` } }),
    'accept-encoding': (text) => ({ path: '/docs', headers: { 'accept-encoding': text } }),
    preflight: (text) => ({
      method: 'OPTIONS',
      path: '/v1/employees',
      headers: {
        'access-control-request-method': text,
        'access-control-request-headers': text,
        origin: text,
      },
    }),
  };
  for (const name of [
    'authorization',
    'accept',
    'cookie',
    'x-request-id',
    'x-forwarded-for',
    'host',
    'traceparent',
  ])
    requests[name] = (text) => get('/v1/employees', token, { [name]: text });
  for (const name of ['content-type', 'idempotency-key'])
    requests[name] = (text) => sendJson('POST', '/v1/reports', token, { title: 'x' }, { [name]: text });
  return requests;
}

function bodies(token: string): Requests {
  const form = (path: string) => (text: string) => ({ ...postForm(path, {}), body: text });
  const json = (value: unknown) => ({
    ...sendJson('POST', '/v1/reports', token, {}),
    body: typeof value === 'string' ? value : JSON.stringify(value).slice(0, bodySize),
  });
  const filter = { field: 'email', operator: 'eq', value: 'x' };
  return {
    'form of the token endpoint': form('/v1/oauth/token'),
    'form of the sign-in page': form('/sign_in'),
    'JSON body': json,
    title: (text) => json({ title: text }),
    sort: (text) => json({ title: 'x', sort: [text] }),
    'filters value': (text) => json({ title: 'x', filters: [{ ...filter, value: text }] }),
    'member name': (text) => json({ title: 'x', [text]: 1 }),
  };
}

/** Bodies with long lists, many members and deep values, compared with a valid report of the same size. */
function lists(token: string): Omit<Reader, 'read'> & { readonly request: (text: string) => HttpRequest } {
  const many = (item: (index: number) => unknown) => Array.from({ length: 6_000 }, (_, index) => item(index));
  const filter = (value: unknown) => ({ field: 'email', operator: 'in', value });
  const normal = JSON.stringify({
    title: 'x',
    filters: Array.from({ length: 20 }, () =>
      filter(Array.from({ length: 100 }, (_, index) => `${index}@${'x'.repeat(20)}`)),
    ),
  });
  const items = [
    () => 'email',
    String,
    (index: number) => index,
    () => [],
    (index: number) => ({ [index]: index }),
  ];
  return {
    name: 'lists and members',
    size: normal.length,
    shapes: 'own',
    normal,
    texts: [
      ...items.flatMap((item) => [
        ...['columns', 'filters', 'sort', 'group_by', 'unknown'].map((name) => ({ [name]: many(item) })),
        { filters: [filter(many(item))] },
        Object.fromEntries(many(item).map((value, index) => [index, value])),
      ]),
    ]
      .map((value) => JSON.stringify({ title: 'x', ...value }))
      .concat([
        `{"title":${'['.repeat(32_000)}${']'.repeat(32_000)}}`,
        `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
        `{"title":${'9'.repeat(bodySize - 100)}}`,
        `{${'"title":"x",'.repeat(5_000)}"title":"x"}`,
        `{"title":"${'\\u0041'.repeat(10_000)}"}`,
        `{${'"__proto__"   :1,'.repeat(3_500)}"title":"x"}`,
        `{"title":"x","a":"${'__proto__\\"  '.repeat(4_500)}"}`,
      ]),
    request: (body) => ({ ...sendJson('POST', '/v1/reports', token, {}), body }),
  };
}

/** Every part of a request that the server or its dependencies read. */
export async function requests({ application, owner }: Account, send: Send): Promise<Reader[]> {
  const browser = new Browser(send);
  await browser.signIn(owner);
  const { cookie } = browser.headers();
  const token = await requestToken(send, application);
  const read = (request: (text: string) => HttpRequest) => (text: string) =>
    send({ ...request(text), timeoutMs: 120_000 });
  const readers = (parts: Requests, shared: Pick<Reader, 'size' | 'accepts'>): Reader[] =>
    Object.entries(parts).map(([name, request]) => ({
      ...shared,
      name,
      shapes: 'some',
      read: read(request),
    }));
  const numbered = (text: string) => Object.fromEntries(text.split('a').map((_, index) => [`a${index}`, '']));
  const { request, ...list } = lists(token);
  return [
    ...readers({ ...paths(token), ...queries(token, cookie) }, { size: headerSize }),
    ...readers(headers(token), { size: headerSize, accepts: isHeaderText }),
    ...readers(bodies(token), { size: bodySize }),
    { ...list, read: read(request) },
    {
      // Ten times as many headers take ten times as long in linear time, and a hundred times in quadratic time.
      name: 'many headers',
      size: 2_000,
      shapes: 'own',
      normal: 'abbbbbbbbb',
      units: ['a'],
      read: read((text) => get('/v1/employees', token, numbered(text))),
    },
    {
      name: 'many cookies',
      size: headerSize,
      shapes: 'own',
      units: ['a=b; ', ';', '=', 'session=x; ', '__proto__=x; '],
      read: read((text) => ({ path: '/people', headers: { cookie: text } })),
    },
    ...patterns(),
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
