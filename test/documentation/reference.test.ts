import { chaptersOf, rawOperation, slugOf, webhooksOf } from '../../scripts/docs/reference/nodes.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const base = 'http://api.test';
const api = await buildTestApp(t);

async function read(url: string) {
  const response = await api.injectUnchecked({ url });
  t.equal(response.statusCode, 200, url);
  return response;
}

const pages = [
  '/docs',
  '/docs/search',
  '/docs/search?q=employee',
  ...chaptersOf(contract).map(({ name }) => `/docs/guides/${slugOf(name)}`),
  ...webhooksOf(contract).map(([name]) => `/docs/webhooks/${name}`),
  ...[...contract.operations.keys()].map((id) => `/docs/operations/${id}`),
];

t.test('every link of the reference leads to a page and every fragment to a place in it', async (t) => {
  const bodies = new Map<string, string>();
  const bodyOf = async (url: string) => {
    const known = bodies.get(url) ?? (await read(url)).body;
    bodies.set(url, known);
    return known;
  };
  const targets = new Set<string>();
  for (const url of pages) {
    for (const [, href = ''] of (await bodyOf(url)).matchAll(/ href="([^"]+)"/g)) {
      if (href.startsWith('#')) targets.add(`${url}${href}`);
      else if (href.startsWith('/')) targets.add(href);
      else if (href.startsWith(base)) targets.add(href.slice(base.length));
      else t.match(href, /^https:\/\//, `${url}: ${href}`);
    }
  }
  for (const target of targets) {
    if (target.startsWith('/people')) continue;
    const [url = '', fragment] = target.replaceAll('&amp;', '&').split('#');
    const body = await bodyOf(url);
    if (fragment !== undefined) t.ok(body.includes(` id="${fragment}"`), target);
  }
});

t.test('each page has a unique title', async (t) => {
  const titles = new Set<string>();
  for (const url of pages) titles.add(/<title>([^<]+)/.exec((await read(url)).body)?.[1] ?? '');
  t.equal(titles.size, pages.length);
});

t.test(
  'names of operations are separate words from their requests in a browser without styles',
  async (t) => {
    for (const url of ['/docs', '/docs/guides/reports', '/docs/search?q=csv']) {
      const text = (await read(url)).body.replaceAll(/<\/?(a|code|span|wbr)\b[^>]*>/g, '');
      t.match(text, 'Export a report as CSV GET /v1/reports/{report_id}/results.csv', url);
    }
  },
);

t.test('the start page has three ways to begin, each with a guide', async (t) => {
  const { body } = await read('/docs');
  const [ways = ''] = /<ul class="beginnings">[\s\S]*?<\/ul>/.exec(body) ?? [];
  const links = [...ways.matchAll(/<h3><a href="http:\/\/api\.test([^"]+)">([^<]+)/g)];
  t.same(
    links.map(([, href, text]) => [href, text]),
    [
      ['/docs/guides/getting-started', 'Call the API in five minutes'],
      ['/docs/guides/authentication', 'Let users sign in with OAuth'],
      ['/docs/guides/webhooks', 'Receive events'],
    ],
  );
});

t.test('a list that must be empty is described as an empty array', async (t) => {
  for (const extension of ['', '.md']) {
    const { body } = await read(`/docs/operations/createReport${extension}`);
    t.match(body, 'an empty array');
    t.notMatch(body, 'at most 0 items');
  }
});

for (const operation of contract.operations.values()) {
  t.test(`the page of ${operation.id} names every parameter, status and code`, async (t) => {
    const { body } = await read(`/docs/operations/${operation.id}`);
    const markdown = (await read(`/docs/operations/${operation.id}.md`)).body;
    t.match(body, `<h1>${rawOperation(contract, operation).summary}</h1>`);
    for (const [, name] of markdown.matchAll(/^ *- `([^`]+)` \(/gm)) {
      const shown = name?.replaceAll('<', '&lt;');
      t.match(body, `<code>${shown}</code>`);
    }
    for (const status of operation.responses.keys()) {
      t.ok(body.includes(status < 400 ? `>Response ${status}</h2>` : `<div>${status}</div>`), String(status));
    }
    for (const [, name] of markdown.matchAll(/\/errors\/([a-z-]+)\)/g)) t.match(body, `/errors/${name}"`);
    t.notMatch(body, 'http://localhost:3000');
  });
}

t.test('a search shows its query as text, and never fails', async (t) => {
  for (const [query, shown] of [
    ['q=%3Cscript%3Ealert(1)%3C%2Fscript%3E', '&lt;script>alert(1)&lt;/script>'],
    ['q=%22%20onfocus%3D1', '&quot; onfocus=1'],
    [`q=${'a'.repeat(5000)}`, `“${'a'.repeat(100)}”`],
    ['q=a&q=b', 'Enter one or more words.'],
    ['q=', 'Enter one or more words.'],
    ['q=%20%09', 'Enter one or more words.'],
    ['q=.*%5B(', 'No page contains'],
    ['q=%00', ''],
    ['q=%EF%BF', ''],
    ['other=1', 'Enter one or more words.'],
  ] as const) {
    const { body } = await read(`/docs/search?${query}`);
    t.ok(body.includes(shown), `${query} shows ${shown}`);
    t.notMatch(body, /<script>alert|" onfocus/);
  }
});

t.test('a search lists pages with the words in their names first', async (t) => {
  const { body } = await read('/docs/search?q=REPORT%20create');
  const [list = ''] = /<ul class="operations">[\s\S]*?<\/ul>/.exec(body) ?? [];
  const links = [...list.matchAll(/href="[^"]*\/([^"/]+)"/g)].map(([, name]) => name);
  t.equal(links[0], 'createReport');
  t.ok(links.length > 3);
  t.match((await read('/docs/search?q=events_expired')).body, '/errors/events-expired"');
});

t.test('pages of the reference load scripts of this server only', async (t) => {
  for (const url of ['/docs', '/docs/operations/getReport', '/docs/search?q=a']) {
    const { headers, body } = await read(url);
    const policy = String(headers['content-security-policy']);
    t.match(policy, "default-src 'none'");
    t.match(policy, "script-src 'self'");
    t.notMatch(policy, /unsafe|https?:/);
    t.notMatch(body, /<script(?! src="\/assets\/)|<style| style="| on[a-z]+="/);
  }
});

t.test('links to errors have the configured prefix', async (t) => {
  const other = await buildTestApp(t, {
    database: api.database,
    environment: { ERRORS_URL: 'https://help.acme.example/problems' },
  });
  const { body } = await other.injectUnchecked({ url: '/docs/operations/getEmployee' });
  t.match(body, 'href="https://help.acme.example/problems/not-found"');
  const { body: markdown } = await other.injectUnchecked({ url: '/docs/operations/getEmployee.md' });
  t.match(markdown, '](https://help.acme.example/problems/not-found)');
  t.notMatch(markdown, 'api.test/errors/');
});

t.test('unknown pages of the reference are not found', async (t) => {
  for (const url of [
    ...['/docs/operations/unknown', '/docs/operations/listemployees', '/docs/operations/unknown.md'],
    ...[
      '/docs/operations/',
      '/docs/guides/__proto__',
      '/docs/guides/__proto__.md',
      '/docs/',
      '/docs/llms.txt',
    ],
  ]) {
    const response = await api.injectUnchecked({ url });
    t.equal(response.statusCode, 404, url);
  }
});
