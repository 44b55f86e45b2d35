import { createHash } from 'node:crypto';
import { apiId } from '../../../platform/contract/api-id.js';
import { type Changelog, type Release, releasesOf } from './changelog.js';

/**
 * The changelog as an Atom feed. Versions that are not released have no date yet and still change, so they are omitted.
 *
 * @see RFC 4287
 */
export function changelogFeed(changelog: Changelog, baseUrl: string): string {
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
