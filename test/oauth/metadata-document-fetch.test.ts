import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { MetadataDocumentError } from '../../src/oauth/clients/metadata-document.js';
import { freshForSeconds, MetadataDocumentFetcher } from '../../src/oauth/clients/metadata-document-fetch.js';
import { needsOpenssl, startDocumentServer } from '../support/oauth/document-server.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const fetcher = new MetadataDocumentFetcher({ allowLocal: true });
const json = { 'content-type': 'application/json' };

/** The error of a request. */
const failure = (address: string, signal?: AbortSignal) =>
  fetcher.fetch(address, signal && { signal }).then(
    () => undefined,
    (error: unknown) => error as Error,
  );

const unreadable = 'The metadata document of the application cannot be read.';

t.test('a document is fetched with one request, and is fresh as its server says', needsOpenssl, async (t) => {
  const server = await startDocumentServer(t);
  for (const [cacheControl, expected] of [
    [undefined, 300],
    ['max-age=3600', 3600],
  ] as const) {
    server.headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
    const { document, freshForSeconds } = await fetcher.fetch(server.url);
    t.match(document, {
      clientId: server.url,
      name: 'Planner',
      clientUri: `${server.origin}/`,
      scopes: null,
    });
    t.equal(freshForSeconds, expected);
  }
  const [request] = server.requests;
  t.match(request, { method: 'GET', url: '/oauth/client.json' });
  t.match(request?.headers, { accept: 'application/json', 'accept-encoding': 'identity' });
  t.same(
    Object.keys(request?.headers ?? {}).sort(),
    ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
    'no cookies or credentials',
  );
  t.equal(server.requests.length, 2);
});

t.test(
  'a response that is not 200 is an error, redirects are not followed, and nothing is retried',
  needsOpenssl,
  async (t) => {
    const server = await startDocumentServer(t);
    const statuses = [201, 203, 204, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 429, 500, 503];
    for (const [index, status] of statuses.entries()) {
      server.respond = (response) =>
        response
          .writeHead(status, { 'content-type': 'application/json', location: server.url, 'retry-after': '0' })
          .end([204, 304].includes(status) ? undefined : JSON.stringify(server.document));
      const error = await failure(server.url);
      t.ok(error instanceof MetadataDocumentError);
      t.equal(
        error?.message,
        status >= 300 && status < 400
          ? `${unreadable} Its server responded with a redirect (${status}).`
          : `${unreadable} Its server responded with status ${status}, not 200.`,
      );
      t.equal(server.requests.length, index + 1);
    }
  },
);

t.test('only JSON that is not compressed is read', needsOpenssl, async (t) => {
  const server = await startDocumentServer(t);
  const text = JSON.stringify(server.document);
  const respond = (headers: Record<string, string>, body: string | Buffer = text) => {
    server.respond = (response) => response.writeHead(200, headers).end(body);
    return failure(server.url);
  };
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset=x',
    'application/oauth-client+json',
    'application/vnd.example.client-v1+json ; q=1',
  ])
    t.equal(await respond({ 'content-type': type }), undefined, type);
  for (const type of [
    '',
    'text/html',
    'text/json',
    'text/plain',
    'application/jsonp',
    'application/json5',
    'application/x-json',
    'application/+json',
    'application/octet-stream',
    'image/svg+json',
    'text/html, application/json',
    'application/json, text/html',
  ])
    t.match(
      await respond({ 'content-type': type }),
      { message: `${unreadable} Its Content-Type must be application/json, or application/*+json.` },
      type,
    );
  t.match(await respond({}), { message: /Content-Type must be/ });
  t.equal(await respond({ ...json, 'content-encoding': 'identity' }), undefined);
  for (const encoding of ['gzip', 'br', 'deflate', 'x', 'identity, gzip'])
    t.match(
      await respond({ ...json, 'content-encoding': encoding }, gzipSync(text)),
      { message: `${unreadable} It must not be compressed.` },
      encoding,
    );
});

t.test(
  'at most 5,120 bytes of a document are read, whatever its server announces',
  needsOpenssl,
  async (t) => {
    const server = await startDocumentServer(t);
    const ofSize = (size: number) => JSON.stringify(server.document).padEnd(size);
    const tooLarge = { message: `${unreadable} It has more than 5120 bytes.` };
    server.respond = (response) => response.writeHead(200, json).end(ofSize(5120));
    t.equal(await failure(server.url), undefined);
    server.respond = (response) => response.writeHead(200, json).end(ofSize(5121));
    t.match(await failure(server.url), tooLarge);
    server.respond = (response) => {
      // Without a length.
      response.writeHead(200, json).write(ofSize(5120));
      response.end(' ');
    };
    t.match(await failure(server.url), tooLarge);
    let [status, sent, isClosed] = [200, 0, false];
    server.respond = (response) => {
      [sent, isClosed] = [0, false];
      response.writeHead(status, json).on('close', () => {
        isClosed = true;
      });
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const write = () => {
        while (!response.destroyed && sent < 200 * 2 ** 20) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    };
    for (const [next, error] of [
      [200, tooLarge],
      // Nor is the body of an error read.
      [500, { message: /status 500/ }],
    ] as const) {
      status = next;
      t.match(await failure(server.url), error);
      await until(() => isClosed);
      t.ok(sent < 20 * 2 ** 20, `${sent} bytes`);
    }
  },
);

t.test('hostile JSON is an error, or read as any other document', needsOpenssl, async (t) => {
  const server = await startDocumentServer(t);
  const respond = (body: string | Buffer) => {
    server.respond = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    return failure(server.url);
  };
  const text = JSON.stringify(server.document);
  const notJson = { message: 'The metadata document of the application is not JSON in UTF-8.' };
  for (const body of [
    '',
    ' ',
    '{',
    `${text}${text}`,
    `${text.slice(0, -1)},}`,
    `/**/${text}`,
    '['.repeat(5120),
    '{"a":'.repeat(1024),
    Buffer.from(text, 'utf16le'),
    Buffer.concat([Buffer.from('{"client_name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    Buffer.from([0xff, 0xfe]),
  ])
    t.match(await respond(body), notJson, String(body).slice(0, 20));
  t.match(await respond(`${'['.repeat(2560)}${']'.repeat(2560)}`), {
    message: 'The document must be a JSON object.',
  });
  const nested = `${'['.repeat(2000)}${']'.repeat(2000)}`;
  t.equal(await respond(text.replace('{', `{"a":${nested},`)), undefined, 'an unknown member is not read');
  t.match(await respond(text.replace('{', `{"jwks":${nested},`)), { message: 'jwks must be an object.' });
  t.equal(await respond(`\ufeff${text}`), undefined, 'a byte order mark is ignored');
  t.match(await respond(text.replace('"Planner"', '"\\ud800"')), {
    message: /^client_name must be valid Unicode/,
  });
  t.match(
    await respond(text.replace('}', ',"client_id":"https://victim.example/a"}')),
    { message: /^client_id must be the URL/ },
    'the last one of members with the same name counts',
  );
  t.match(await respond(text.replace('{', '{"__proto__":{"client_secret":"x"},')), undefined);
});

t.test(
  'a response takes at most five seconds in all, and the caller can abort it',
  needsOpenssl,
  async (t) => {
    const limits: { milliseconds: number; expire: () => void }[] = [];
    t.intercept(AbortSignal, 'timeout', {
      value: (milliseconds: number) => {
        const controller = new AbortController();
        const expire = () => controller.abort(new DOMException('The time limit expired', 'TimeoutError'));
        limits.push({ milliseconds, expire });
        return controller.signal;
      },
    });
    const server = await startDocumentServer(t);
    /** Ends a request by an action when the server has received it, and waits until its connection is closed. */
    const stall = async (
      end: () => void,
      respond: (response: ServerResponse) => void,
      signal?: AbortSignal,
    ): Promise<Error | undefined> => {
      let [isReceived, isClosed] = [false, false];
      server.respond = (response) => {
        isReceived = true;
        response.on('close', () => {
          isClosed = true;
        });
        respond(response);
      };
      const failed = failure(server.url, signal);
      await until(() => isReceived);
      end();
      const error = await failed;
      await until(() => isClosed);
      return error;
    };
    const stalled: Record<string, (response: ServerResponse) => void> = {
      'no response': () => {},
      'headers only': (response) => response.writeHead(200, json).flushHeaders(),
      'a part of the document': (response) => void response.writeHead(200, json).write('{"client_id":'),
    };
    for (const [label, respond] of Object.entries(stalled)) {
      const error = await stall(() => limits.at(-1)?.expire(), respond);
      t.equal(error?.message, `${unreadable} There was no complete response within 5 seconds.`, label);
    }
    t.ok(limits.every(({ milliseconds }) => milliseconds === 5000));
    const controller = new AbortController();
    const reason = new Error('The client disconnected');
    const error = await stall(
      () => controller.abort(reason),
      () => {},
      controller.signal,
    );
    t.equal(error, reason, 'this is not an error of the document');
    const count = server.requests.length;
    t.equal(await failure(server.url, controller.signal), reason);
    t.equal(server.requests.length, count, 'an aborted request is not sent');
  },
);

t.test('a failed connection is an error that says why', needsOpenssl, async (t) => {
  const untrusted = await startDocumentServer(t, { trusted: false });
  t.equal((await failure(untrusted.url))?.message, `${unreadable} The TLS certificate is not trusted.`);
  const other = await startDocumentServer(t, { certified: 'other.localhost' });
  t.equal((await failure(other.url))?.message, `${unreadable} The TLS certificate is for another host.`);
  t.same([untrusted.requests.length, other.requests.length], [0, 0]);
  const server = await startDocumentServer(t);
  server.respond = (response) => response.destroy();
  t.equal((await failure(server.url))?.message, `${unreadable} The connection was closed.`);
  server.respond = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' }).write('{');
    setImmediate(() => response.destroy());
  };
  t.equal((await failure(server.url))?.message, `${unreadable} The connection was closed.`);
  t.equal(server.requests.length, 2, 'nothing is retried');
  t.equal(
    (await failure('https://client.localhost:1/client.json'))?.message,
    `${unreadable} The connection was refused.`,
  );
});

t.test('a document is fresh from 5 minutes to 24 hours, as for a shared cache', async (t) => {
  for (const [cacheControl, expected] of [
    [undefined, 300],
    ['', 300],
    ['public', 300],
    ['max-age=0', 300],
    ['max-age=299', 300],
    ['max-age=301', 301],
    ['MAX-AGE=3600', 3600],
    ['max-age="3600"', 3600],
    ['public, max-age=3600, must-revalidate', 3600],
    ['max-age=86400', 86_400],
    ['max-age=86401', 86_400],
    [`max-age=${'9'.repeat(500)}`, 86_400],
    ['max-age=600, s-maxage=3600', 3600],
    ['s-maxage=0, max-age=3600', 300],
    ['s-maxage=x, max-age=3600', 300],
    ['max-age=3600, no-store', 300],
    ['no-cache, max-age=3600', 300],
    ['No-Cache="set-cookie", max-age=3600', 300],
    ['private, max-age=3600', 300],
    ['max-age=3600, max-age=7200', 300],
    ['max-age=-1', 300],
    ['max-age=1e5', 300],
    ['max-age=3600.5', 300],
    ['max-age', 300],
    ['x-max-age=3600', 300],
    ['x="max-age=3600"', 300],
    ['x="a\\", max-age=7200", max-age=3600', 3600],
    [`${' '.repeat(1000)}max-age=3600`, 300],
  ] as const)
    t.equal(
      freshForSeconds(cacheControl === undefined ? {} : { 'cache-control': cacheControl }),
      expected,
      cacheControl ?? 'no header',
    );
  const aged = (age: string) => freshForSeconds({ 'cache-control': 'max-age=3600', age });
  t.same(['600', '7200', 'x', '-5'].map(aged), [3000, 300, 3600, 3600], 'the age of the response counts');
});
