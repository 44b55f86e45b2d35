import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { packageRoot } from '../../platform/package-root.js';
import { renderPage } from '../../platform/pages/layout.js';
import { WrappedUrl } from '../../platform/pages/wrapped-text.js';
import { documentPageHeaders, type WithBaseUrl } from './documents.js';
import { Method, ReferenceCrumbs, ReferencePage, searchLength } from './frame.js';

/** Built by `scripts/docs`. */
export const searchIndexFile = path.join(packageRoot, 'dist', 'docs', 'search.json');

export interface SearchIndex {
  /** Contents of the reference, as HTML. */
  readonly contents: string;
  readonly pages: readonly IndexedPage[];
}

interface IndexedPage {
  readonly title: string;
  readonly kind: string;
  readonly url: string;
  /** Title and names, in lower case. */
  readonly names: string;
  /** Complete text, in lower case. */
  readonly text: string;
}

/** Pages that contain all words; those with the words in their names first. */
function find(pages: readonly IndexedPage[], query: string): readonly IndexedPage[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const containsAll = (text: string) => words.every((word) => text.includes(word));
  const named = pages.filter(({ names }) => containsAll(names));
  const others = pages.filter((page) => !named.includes(page) && containsAll(page.text));
  return [...named, ...others];
}

/** `/docs/search?q=`: pages of the reference that contain all words of a search. */
export async function searchRoute(
  app: FastifyInstance,
  { withBaseUrl }: { withBaseUrl: WithBaseUrl },
): Promise<void> {
  const headers = documentPageHeaders({ script: true });
  let index: SearchIndex | undefined;
  app.get('/docs/search', async (request, reply) => {
    const { q } = request.query as Readonly<Record<string, unknown>>;
    const query = typeof q === 'string' ? q.trim().slice(0, searchLength) : '';
    // Read for the first search and not at start, which would take longer.
    index ??= JSON.parse(readFileSync(searchIndexFile, 'utf8')) as SearchIndex;
    const { contents, pages } = index;
    const page = <SearchPage contents={contents} query={query} found={find(pages, query)} />;
    return reply.headers(headers).send(withBaseUrl(renderPage(page)));
  });
}

/** `GET /v1/employees` of an operation, or another kind. */
function Kind({ kind }: { kind: string }) {
  const [method = '', path] = kind.split(' ');
  if (!path?.startsWith('/')) return <code>{kind}</code>;
  return (
    <>
      <Method name={method} />{' '}
      <code>
        <WrappedUrl url={path} />
      </code>
    </>
  );
}

function SearchPage({
  contents,
  query,
  found,
}: {
  contents: string;
  query: string;
  found: readonly IndexedPage[];
}) {
  const number = found.length === 1 ? 'One page contains' : `${found.length} pages contain`;
  return (
    <ReferencePage
      contents={contents}
      title={query === '' ? 'Search' : `Search: ${query}`}
      query={query}
      isSearch
    >
      <ReferenceCrumbs />
      <h1>Search</h1>
      <p role="status">
        {query === ''
          ? 'Enter one or more words.'
          : `${found.length === 0 ? 'No page contains' : number} all words of “${query}”.`}
      </p>
      <ul class="operations">
        {found.map(({ title, kind, url }) => (
          <li key={url}>
            <a href={url}>{title}</a>{' '}
            <span>
              <Kind kind={kind} />
            </span>
          </li>
        ))}
      </ul>
    </ReferencePage>
  );
}
