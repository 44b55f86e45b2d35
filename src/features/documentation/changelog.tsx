import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { apiId } from '../../platform/contract/api-id.js';
import { Precompressed } from '../../platform/http/precompressed.js';
import { packageRoot } from '../../platform/package-root.js';
import { Layout, renderPage } from '../../platform/pages/layout.js';
import { pageHeaders } from '../../platform/pages/security-headers.js';
import { DocumentationFooter, DocumentationHeader } from './pages/frame.js';

/** CHANGELOG.md as HTML. */
interface Changelog {
  readonly introduction: string;
  readonly sections: readonly ChangelogSection[];
}

/** A section of the changelog. Those about a version have its number. */
interface ChangelogSection {
  readonly id: string;
  readonly title: string;
  readonly version: string | null;
  /** Day of the release, such as `2026-11-22`; `null` for versions that are not released. */
  readonly date: string | null;
  readonly html: string;
}

/** A released version. */
type Release = ChangelogSection & { readonly version: string; readonly date: string };

/** Built by `scripts/changelog`. */
const file = path.join(packageRoot, 'dist', 'docs', 'changelog.json');

/** @throws {Error} when the changelog has not been built */
function readChangelog(): Changelog {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The released versions, newest first. */
function releasesOf({ sections }: Changelog): Release[] {
  return sections.filter((section): section is Release => section.version !== null && section.date !== null);
}

/**
 * The changelog as an Atom feed. Versions that are not released have no date yet and still change, so they are omitted.
 *
 * @see RFC 4287
 */
function changelogFeed(changelog: Changelog, baseUrl: string): string {
  const releases = releasesOf(changelog);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${idOf('changelog')}</id>
  <title>Changes of the People API</title>
  <updated>${timeOf(releases[0]?.date ?? '1970-01-01')}</updated>
  <author><name>People API</name></author>
  <link rel="self" type="application/atom+xml" href="${escapeXml(baseUrl)}/changelog.atom"/>
  <link rel="alternate" type="text/html" href="${escapeXml(baseUrl)}/changelog"/>
${releases.map((release) => entryOf(release, baseUrl)).join('')}</feed>
`;
}

function entryOf({ id, version, date, html }: Release, baseUrl: string): string {
  // A feed reader does not know the page that relative links refer to.
  const content = html.replaceAll(' href="/', ` href="${escapeXml(baseUrl)}/`);
  return `  <entry>
    <id>${idOf(version)}</id>
    <title>Version ${version}</title>
    <updated>${timeOf(date)}</updated>
    <link rel="alternate" type="text/html" href="${escapeXml(baseUrl)}/changelog#${id}"/>
    <content type="html">${escapeXml(content)}</content>
  </entry>
`;
}

/** A UUID of version 5: it depends on the name only, and remains the same when the URL of the server changes. */
function idOf(name: string): string {
  const namespace = Buffer.from(apiId.replaceAll('-', ''), 'hex');
  const hash = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const digits = hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return `urn:uuid:${digits}`;
}

function timeOf(date: string): string {
  return `${date}T00:00:00Z`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * `/changelog`, and its feed `/changelog.atom`.
 *
 * @throws {Error} when the changelog has not been built
 */
export async function changelogPages(app: FastifyInstance, { baseUrl }: { baseUrl: string }): Promise<void> {
  const changelog = readChangelog();
  const headers = { ...pageHeaders(), 'cache-control': 'public, max-age=300' };
  const page = new Precompressed(() => renderPage(<ChangelogPage changelog={changelog} />));
  app.get('/changelog', async (request, reply) =>
    page.send(request, reply.headers(headers).type('text/html; charset=utf-8')),
  );
  const feed = new Precompressed(() => changelogFeed(changelog, baseUrl));
  app.get('/changelog.atom', async (request, reply) =>
    feed.send(request, reply.headers(headers).type('application/atom+xml; charset=utf-8')),
  );
}

function ChangelogPage({ changelog: { introduction, sections } }: { changelog: Changelog }) {
  return (
    <Layout
      title="Changelog"
      header={<DocumentationHeader current="/changelog" />}
      feed={{ title: 'Changes of the People API', href: '/changelog.atom' }}
      footer={<DocumentationFooter />}
    >
      <h1>Changelog</h1>
      <Html html={introduction} />
      <p>
        Feed readers can subscribe to the <a href="/changelog.atom">Atom feed</a> of released versions.
      </p>
      {sections.map(({ id, title, html }) => (
        <section key={id} id={id}>
          <h2>
            <a href={`#${id}`}>{title}</a>
          </h2>
          <Html html={html} />
        </section>
      ))}
    </Layout>
  );
}

/** HTML of the build, which renders no HTML of the source. */
function Html({ html }: { html: string }) {
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
