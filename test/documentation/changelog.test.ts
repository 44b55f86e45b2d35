import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  contractFormats,
  documentationLinks,
  readerDocuments,
} from '../../src/features/documentation/frame.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const source = readFileSync(path.join(packageRoot, 'CHANGELOG.md'), 'utf8');
const headings = [...source.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
const released = [...source.matchAll(/^## (\S+) \((\d{4}-\d\d-\d\d)\)$/gm)];

/** Text of HTML. */
function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}

async function read(url: string) {
  const response = await api.injectUnchecked({ url });
  t.equal(response.statusCode, 200, url);
  return response;
}

t.test('the page has every section and sentence of CHANGELOG.md, and no script', async (t) => {
  const { body, headers } = await read('/changelog');
  t.match(headers['content-type'], /^text\/html/);
  t.notMatch(body, /<script/);
  t.match(body, /<title>Changelog/);
  t.match(body, /<link rel="alternate" type="application\/atom\+xml"[^>]* href="\/changelog\.atom"/);
  t.not(headings.length, 0);
  for (const heading of headings) t.ok(textOf(body).includes(heading), heading);
  const written = source
    .replaceAll(/^#+ .*$/gm, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^- /gm, '')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const shown = textOf(body).replaceAll('*', '');
  for (const sentence of written.split(/(?<=[.:;]) /)) t.ok(shown.includes(sentence), sentence);
});

t.test('the page links operations and error codes to pages that exist', async (t) => {
  const { body } = await read('/changelog');
  const links = [...body.matchAll(/ href="(\/(?:docs\/operations|errors)\/[^"]+)"><code>/g)].map(
    ([, link = '']) => link,
  );
  t.ok(links.includes('/docs/operations/listEvents'));
  t.ok(links.includes('/errors/events-expired'));
  for (const link of new Set(links)) await read(link);
});

t.test('the feed has an entry for each released version, with absolute links', async (t) => {
  const { body, headers } = await read('/changelog.atom');
  t.match(headers['content-type'], /^application\/atom\+xml/);
  const entries = body.split('<entry>').slice(1);
  t.equal(entries.length, released.length);
  for (const [index, [, version, date]] of released.entries()) {
    t.match(entries[index], `<title>Version ${version}</title>`);
    t.match(entries[index], `<updated>${date}T00:00:00Z</updated>`);
    t.match(entries[index], `href="http://api.test/changelog#${version}"`);
  }
  t.notMatch(body, /href=&quot;\//);
  t.match(body, 'rel="self" type="application/atom+xml" href="http://api.test/changelog.atom"');
});

t.test('the feed is well-formed', async (t) => {
  const { body } = await read('/changelog.atom');
  const open: string[] = [];
  for (const [, closing, name = '', empty] of body.matchAll(/<(\/?)([a-z]+)(?: [^<>]*?)?(\/?)>/g)) {
    if (closing === '/') t.equal(open.pop(), name);
    else if (empty !== '/') open.push(name);
  }
  t.same(open, []);
  t.notMatch(body, /&(?!amp;|lt;|gt;|quot;)/);
});

t.test('the ids of the feed do not depend on the URL of the server', async (t) => {
  const other = await buildTestApp(t, {
    database: api.database,
    environment: { BASE_URL: 'https://api.acme.example' },
  });
  const idsOf = (body: string) => [...body.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id]) => id);
  const ids = idsOf((await read('/changelog.atom')).body);
  t.equal(new Set(ids).size, released.length + 1);
  for (const id of ids)
    t.match(id, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  // Feed readers show a version again when its id changes.
  t.equal(ids.at(-1), 'urn:uuid:158070fc-fe97-527c-a73f-8f742621efb5');
  t.same(idsOf((await other.injectUnchecked({ url: '/changelog.atom' })).body), ids);
});

t.test('all pages of the documentation link to every document', async (t) => {
  for (const url of ['/docs', '/docs/operations/getReport', '/errors', '/errors/not-found', '/changelog']) {
    const { body } = await read(url);
    for (const { path: document } of [...contractFormats, ...readerDocuments]) {
      t.match(body, `href="${document}"`, `${url}: ${document}`);
    }
  }
});

t.test('all pages of the documentation have the same navigation', async (t) => {
  const expected = documentationLinks.map(([href, label]) => `${href} ${label}`);
  for (const url of ['/docs', '/errors', '/changelog']) {
    const { body } = await read(url);
    const [, nav = ''] = /<nav aria-label="Documentation">([\s\S]*?)<\/nav>/.exec(body) ?? [];
    const links = [...nav.matchAll(/<a href="([^"]+)"[^>]*>([^<]+)</g)];
    t.same(
      links.map(([, href, label]) => `${href} ${label}`),
      expected,
      url,
    );
    const [, current] = /<a href="([^"]+)" aria-current/.exec(nav) ?? [];
    t.equal(current, url);
  }
});
