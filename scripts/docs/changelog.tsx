import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentationFooter, DocumentationHeader } from '../../src/features/documentation/frame.js';
import type { Contract } from '../../src/platform/contract/contract.js';
import { apiId } from '../../src/platform/contract/contract.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { Layout, renderPage } from '../../src/platform/pages/layout.js';
import { type Changelog, type ChangelogSection, renderChangelog } from './changelog-sections.js';

/** A released version. */
type Release = ChangelogSection & { readonly version: string; readonly date: string };

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
 * The page of the changelog, and its feed, by path.
 *
 * @throws {Error} when a link leads to a file that the server does not publish
 */
export function changelogDocuments(contract: Contract): Map<string, string> {
  const text = readFileSync(path.join(packageRoot, 'CHANGELOG.md'), 'utf8');
  const changelog = renderChangelog(text, contract);
  return new Map([
    ['/changelog.html', renderPage(<ChangelogPage changelog={changelog} />)],
    ['/changelog.atom', changelogFeed(changelog, contract.document.servers[0].url)],
  ]);
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
