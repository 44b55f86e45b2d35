import { Problem, retryLater } from '../../../src/platform/problems/problem.js';
import { Browser } from '../../support/browser/browser.js';
import { isProblem } from '../../support/contract/problem-documents.js';
import { openTestDatabase } from '../../support/database/database.js';
import { createScene, createUser, signedInBrowser } from '../../support/oauth/users.js';
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
    ['GET', '/foo', 'There is no page at this address. Check it.'],
    ['GET', '/docs/operations/foo?q=<script>', 'There is no page at this address. Check it.'],
    ['GET', '/vendor/x', 'There is no page at this address. Check it.'],
    ['GET', '/mcpx', 'There is no page at this address. Check it.'],
    ['GET', '/openapi/v2.yaml', 'There is no page at this address. Check it.'],
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

const cookiesOf = ({ cookies }: Browser) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** The heading of an error page, and the sentences below it. */
function headingAndText(body: string): (string | undefined)[] {
  const [, heading, text] = /<h1>(.*?)<\/h1><p>(.*?)<\/p>/.exec(body) ?? [];
  return [heading, text];
}

t.test('error pages have a heading in sentence case, what happened, and what the user can do', async (t) => {
  const { app } = api;
  const member = await createUser(database, (await createScene(database)).accountId, { role: 'member' });
  const browser = await signedInBrowser(api, member);
  const shown = async (path: string) => headingAndText((await browser.open(path)).body);
  t.strictSame(await shown('/foo'), ['Page not found', 'There is no page at this address. Check it.']);
  t.strictSame(await shown('/people/employees/unknown'), [
    'Not found',
    'What you are looking for does not exist, or was deleted. Check the address of the page.',
  ]);
  t.strictSame(await shown('/people/settings/oauth_applications'), [
    'You have no access',
    'Only owners and administrators of the account can see this page. Ask one of them if you need it.',
  ]);
  t.strictSame(headingAndText((await browser.submit('/people/settings/account/profile', {})).body), [
    'This form has expired',
    'Go back, reload the page and submit the form again.',
  ]);
  t.match((await browser.open('/foo')).body, '<title>Page not found');
  const limited = await buildTestApp(t, { database });
  for (const [path, problem] of [
    ['/too_many', retryLater('rate_limit_exceeded', 'The limit of 5 requests a minute is exceeded.', 7)],
    ['/quota', new Problem('quota_exceeded', 'The account has 5 reports. Delete one of them.')],
    ['/fails', new Error('internal')],
  ] as const) {
    limited.app.get(path, async () => {
      throw problem;
    });
  }
  const failed = async (path: string) => headingAndText((await new Browser(limited.app).open(path)).body);
  t.strictSame(await failed('/too_many'), [
    'Too many requests',
    'The limit of 5 requests a minute is exceeded. Try again in 7 seconds.',
  ]);
  t.strictSame(await failed('/quota'), ['Quota exceeded', 'The account has 5 reports. Delete one of them.']);
  t.strictSame(await failed('/fails'), [
    'Something went wrong',
    'The server failed to process the request. Try again. If it fails again, ask for support and quote the request below.',
  ]);
  const problem = await app.inject({
    url: '/people/employees/unknown',
    headers: { cookie: cookiesOf(browser) },
  });
  t.equal(problem.json().title, 'Not Found', 'programs get the title of the contract');
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

t.test('errors of an application name it, what it sent, and who can help', async (t) => {
  const { application } = await createScene(database);
  const query = new URLSearchParams({
    client_id: application.clientId,
    redirect_uri: 'https://other.example/callback',
    response_type: 'code',
    scope: 'user:read',
    state: 'x',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  });
  const browser = new Browser(api.app);
  const { statusCode, body } = await browser.open(`/v1/oauth/authorize?${query}`);
  t.equal(statusCode, 400);
  t.equal(headingAndText(body)[0], 'The application sent an invalid request');
  t.match(body, /<dt>Redirect URI received<\/dt><dd><code>https:\/\/other\.example\/callback<\/code>/);
  const { name } = await database.prisma.application.findFirstOrThrow({ where: { id: application.id } });
  t.match(body, `<dt>Application</dt><dd><bdi>${name}</bdi>`);
  t.match(body, 'send this page to the developer of the application');
  query.set('client_id', 'unknown');
  const unknown = await browser.open(`/v1/oauth/authorize?${query}`);
  t.equal(headingAndText(unknown.body)[0], 'Unknown application');
});

t.test(
  'the sign-in page says that a session has ended, and only to the browser of the session',
  async (t) => {
    const { user } = await createScene(database);
    const browser = await signedInBrowser(api, user);
    await database.prisma.session.deleteMany({ where: { userId: user.id } });
    const { headers } = await browser.open('/people/settings/account');
    const ended = 'Your session has ended. Sign in to continue.';
    t.match((await browser.open(String(headers.location))).body, ended);
    t.notMatch((await new Browser(api.app).open(String(headers.location))).body, ended);
  },
);
