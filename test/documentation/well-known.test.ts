import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';

const baseUrl = 'http://api.test';
const catalogPath = '/.well-known/api-catalog';
const securityPath = '/.well-known/security.txt';

const contact = 'https://people.example/security?from=api';
const clock = createTestClock(new Date('2026-05-06T17:18:19Z'));
const api = await buildTestApp(t, { clock, environment: { SECURITY_CONTACT_URL: contact } });

interface Link {
  readonly href: string;
  readonly type: string;
}

t.test('the API catalog is a set of links, and each document has the type that its link names', async (t) => {
  const response = await api.injectUnchecked({ url: catalogPath });
  t.equal(response.statusCode, 200);
  t.equal(
    response.headers['content-type'],
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  t.equal(response.headers['access-control-allow-origin'], '*');
  const { linkset } = response.json<{ linkset: ({ anchor: string } & Record<string, Link[]>)[] }>();
  t.same(
    linkset.map(({ anchor }) => anchor),
    [`${baseUrl}/v1`, `${baseUrl}/mcp`],
  );
  for (const { anchor: _, ...relations } of linkset) {
    for (const { href, type } of Object.values(relations).flat()) {
      t.ok(href.startsWith(`${baseUrl}/`), href);
      const linked = await api.injectUnchecked({ url: href.slice(baseUrl.length) });
      t.equal(linked.statusCode, 200, href);
      t.equal(String(linked.headers['content-type']).split(';')[0], type, href);
    }
  }
});

t.test('HEAD of the catalog, the start page and the reference link to the contract', async (t) => {
  for (const url of [catalogPath, '/', '/docs']) {
    const { headers, body } = await api.injectUnchecked({ method: 'HEAD', url });
    t.equal(body, '');
    t.match(headers.link, '</openapi/v1.yaml>; rel="service-desc"; type="application/yaml"', url);
    t.match(headers.link, '</.well-known/api-catalog>; rel="api-catalog"', url);
  }
  for (const url of ['/docs/guides/reports', '/v1/employees']) {
    t.equal((await api.injectUnchecked({ url })).headers.link, undefined, url);
  }
});

t.test('security.txt has the contact, and expires 90 days after the day of the request', async (t) => {
  const response = await api.injectUnchecked({ url: securityPath });
  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'text/plain; charset=utf-8');
  t.equal(
    response.body,
    `Contact: ${contact}\nExpires: 2026-08-04T00:00:00.000Z\nCanonical: ${baseUrl}${securityPath}\n`,
  );
});

t.test('without a contact security.txt is not found', async (t) => {
  const other = await buildTestApp(t, { database: api.database });
  const response = await other.injectUnchecked({ url: securityPath, headers: { accept: 'text/html' } });
  t.equal(response.statusCode, 404);
  t.equal(response.json().code, 'public-api-not-found');
});
