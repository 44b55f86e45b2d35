import type { ReferenceContext } from './context.js';
import { ReferenceCrumbs, ReferencePage } from './frame.js';
import type { Found } from './search.js';

/** `/docs/search?q=`: pages that contain all words of a search. */
export function SearchPage({
  context,
  query,
  found,
}: {
  context: ReferenceContext;
  query: string;
  found: readonly Found[];
}) {
  const number = found.length === 1 ? 'One page contains' : `${found.length} pages contain`;
  return (
    <ReferencePage context={context} title={query === '' ? 'Search' : `Search: ${query}`} query={query}>
      <ReferenceCrumbs context={context} />
      <h1>Search</h1>
      {query === '' ? (
        <p>Enter one or more words.</p>
      ) : (
        <p role="status">
          {found.length === 0 ? 'No page contains' : number} all words of “{query}”.
        </p>
      )}
      <ul class="operations">
        {found.map(({ title, kind, url }) => (
          <li key={url}>
            <a href={url}>{title}</a>{' '}
            <span>
              <code>{kind}</code>
            </span>
          </li>
        ))}
      </ul>
    </ReferencePage>
  );
}
