import { Browser } from '../../support/browser/browser.js';
import { isProblem } from '../../support/contract/problem-documents.js';
import { openTestDatabase } from '../../support/database/database.js';
import { buildTestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const port = await listen(api.app);

/** What browsers send for a page. */
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

async function request(target: string, accept: string | undefined, method = 'GET') {
  const headers = `Host: x\r\nContent-Length: 0\r\n${accept === undefined ? '' : `Accept: ${accept}\r\n`}`;
  const [response] = await exchange(port, `${method} ${target} HTTP/1.1\r\n${headers}\r\n`, {
    expect: 1,
    head: method === 'HEAD',
  });
  if (response === undefined) throw new Error(`No response to ${target}`);
  return response;
}

function isPage(t: Test, response: Awaited<ReturnType<typeof request>>, status: number, label: string): void {
  const { statusCode, headers, body } = response;
  t.equal(statusCode, status, label);
  t.equal(headers['content-type'], 'text/html; charset=utf-8', label);
  t.equal(headers.vary, 'Accept', label);
  t.equal(headers['cache-control'], 'no-store', label);
  t.ok(body.includes(`request <code>${headers['x-request-id']}</code>`), label);
  t.match(body, /<a href="\/">[\s\S]*<a href="\/docs">/, label);
}

t.test('a browser gets a page for an unknown path and method outside of the API', async (t) => {
  for (const [method, path, text] of [
    ['GET', '/foo', 'There is no page at this address.'],
    ['GET', '/docs/operations/foo?q=<script>', 'There is no page at this address.'],
    ['GET', '/vendor/x', 'There is no page at this address.'],
    ['GET', '/mcpx', 'There is no page at this address.'],
    ['GET', '/openapi/v2.yaml', 'There is no page at this address.'],
    ['POST', '/docs', 'No route matches POST /docs.'],
    ['DELETE', '/errors', 'No route matches DELETE /errors.'],
  ] as const) {
    const response = await request(path, browserAccept, method);
    isPage(t, response, 404, path);
    t.ok(response.body.includes(`<p>${text}</p>`), path);
    t.ok(response.body.includes('Error <code>public-api-not-found</code>'), path);
  }
  const head = await request('/foo', browserAccept, 'HEAD');
  t.equal(head.statusCode, 404);
  t.equal(head.headers['content-type'], 'text/html; charset=utf-8');
  t.equal(head.headers.vary, 'Accept');
  t.equal(head.body, '');
});

t.test('a browser gets a page for a malformed path and for a failure outside of the API', async (t) => {
  isPage(t, await request('/%zz', browserAccept), 400, '/%zz');
  const closed = await openTestDatabase(t);
  const { app } = await buildTestApp(t, { database: closed });
  app.get('/fails', async () => {
    throw new Error('internal');
  });
  const page = await new Browser(app).open('/fails');
  t.equal(page.statusCode, 500);
  t.match(page.headers['content-type'], /^text\/html/);
  t.notMatch(page.body, 'internal<');
});

t.test('paths of the API, of every version and of metadata get the problem document', async (t) => {
  const paths = '/v1/foo /v1 /V1/x //v1/employees /v1%2Femployees /v2/employees /v0 /v1beta/employees'.split(
    ' ',
  );
  for (const path of [...paths, '/.well-known/foo', '/.well-known', '/mcp/foo']) {
    const plain = await request(path, undefined);
    const asked = await request(path, browserAccept);
    isProblem(t, asked, 'public-api-not-found', path);
    t.equal(asked.headers.vary, undefined, path);
    const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: '' });
    t.strictSame(withoutId(asked.body), withoutId(plain.body), path);
  }
  isProblem(t, await request('/v1/%zz', browserAccept), 'invalid_request', '/v1/%25zz');
  isProblem(t, await request('/v1/employees', browserAccept), 'unauthorized', '/v1/employees');
});

t.test('a client that does not ask for HTML gets the problem document', async (t) => {
  for (const accept of [
    undefined,
    '*/*',
    'text/*',
    'application/json, text/plain, */*',
    'application/problem+json',
    'text/html;q=0',
    'text/html;q=0.5, application/json',
    'text/html;q=0.9, application/problem+json',
    'nonsense',
  ]) {
    const response = await request('/foo', accept);
    isProblem(t, response, 'public-api-not-found', '/foo', String(accept));
    t.equal(response.headers.vary, 'Accept', 'a cache does not give it to a browser');
  }
  for (const accept of ['text/html', 'TEXT/HTML', 'application/json;q=0.9, text/html']) {
    isPage(t, await request('/foo', accept), 404, accept);
  }
});
