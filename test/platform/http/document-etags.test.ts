import { buildTestApp } from '../../support/server/app.js';
import { publishedDocuments } from '../../support/server/documents.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);
const encodings = ['br', 'gzip', 'identity'] as const;

/** The entity tag of `/docs` in an encoding. */
async function tagOf(encoding: string, url = '/docs'): Promise<string> {
  const { headers } = await api.injectUnchecked({ url, headers: { 'accept-encoding': encoding } });
  return String(headers.etag);
}

const tags = {
  br: await tagOf('br'),
  gzip: await tagOf('gzip'),
  identity: await tagOf('identity'),
};

for (const url of publishedDocuments) {
  t.test(`sends ${url} with a strong tag for each encoding, and 304 to a client that has it`, async (t) => {
    const seen = new Set<string>();
    for (const encoding of encodings) {
      const accepted = { 'accept-encoding': encoding };
      const first = await api.injectUnchecked({ url, headers: accepted });
      t.equal(first.statusCode, 200);
      t.equal(first.headers['content-encoding'], encoding === 'identity' ? undefined : encoding);
      const etag = String(first.headers.etag);
      t.match(etag, /^"[\w-]{22}"$/);
      seen.add(etag);

      const headers = { ...accepted, 'if-none-match': etag };
      for (const method of ['GET', 'HEAD'] as const) {
        const again = await api.injectUnchecked({ method, url, headers });
        t.equal(again.statusCode, 304, method);
        t.equal(again.body, '');
        for (const name of ['etag', 'cache-control', 'vary', 'access-control-allow-origin']) {
          t.equal(again.headers[name], first.headers[name], name);
        }
        for (const name of ['content-type', 'content-encoding']) t.notOk(again.headers[name], name);
      }

      const head = await api.injectUnchecked({ method: 'HEAD', url, headers: accepted });
      t.equal(head.body, '');
      for (const name of ['etag', 'content-encoding', 'content-length', 'content-type']) {
        t.equal(head.headers[name], first.headers[name], `HEAD: ${name}`);
      }
    }
    t.equal(seen.size, encodings.length);
  });
}

/** An If-None-Match header of a client that accepts Brotli, and the status that it gets. */
const cases: [title: string, header: string, status: number][] = [
  ['the tag', tags.br, 304],
  ['the weak form of the tag', `W/${tags.br}`, 304],
  ['several tags', `"a", W/"b" ,${tags.br}`, 304],
  ['a tag that contains a comma', `"a,b", ${tags.br}`, 304],
  ['any version', '*', 304],
  ['the tag of another encoding', tags.gzip, 200],
  ['the tags of all other encodings', `${tags.gzip}, ${tags.identity}`, 200],
  ['another tag', '"a"', 200],
  ['the tag without quotes', tags.br.replaceAll('"', ''), 200],
  ['a prefix of the tag', `${tags.br.slice(0, -2)}"`, 200],
  ['nothing', '', 200],
  ['a quoted asterisk', '"*"', 200],
];

for (const [title, header, status] of cases) {
  t.test(`responds with ${status} when If-None-Match has ${title}`, async (t) => {
    const headers = { 'accept-encoding': 'br', 'if-none-match': header };
    const response = await api.injectUnchecked({ url: '/docs', headers });
    t.equal(response.statusCode, status);
    t.equal(response.headers.etag, tags.br);
  });
}

t.test('the tag changes with the URL of the server', async (t) => {
  const other = await buildTestApp(t, {
    database: api.database,
    environment: { BASE_URL: 'https://api.acme.example' },
  });
  for (const url of ['/docs', '/openapi/v1.yaml']) {
    const { headers } = await other.injectUnchecked({ url });
    t.not(headers.etag, await tagOf('identity', url), url);
  }
});

t.test('concurrent first requests get the same bytes', async (t) => {
  const other = await buildTestApp(t, { database: api.database });
  const requests = Array.from({ length: 5 }, () =>
    other.injectUnchecked({ url: '/openapi/v1.json', headers: { 'accept-encoding': 'br' } }),
  );
  const responses = await Promise.all(requests);
  t.equal(new Set(responses.map(({ rawPayload }) => rawPayload.toString('base64'))).size, 1);
});
