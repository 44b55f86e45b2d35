import type { FastifyInstance } from 'fastify';
import { Precompressed } from '../../../platform/http/precompressed.js';
import { Layout, renderPage } from '../../../platform/pages/layout.js';
import { pageHeaders } from '../../../platform/pages/security-headers.js';
import { DocumentationFooter } from '../pages/documentation-footer.js';
import { DocumentationHeader } from '../pages/documentation-header.js';
import { type Changelog, readChangelog } from './changelog.js';
import { changelogFeed } from './feed.js';

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
