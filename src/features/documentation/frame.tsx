import type { ComponentChildren } from 'preact';
import { HeaderStart, Layout } from '../../platform/pages/layout.js';
import { contractFormats, readerDocuments } from './document-list.js';

export const documentationLinks = [
  ['/docs', 'Reference'],
  ['/console', 'Console'],
  ['/errors', 'Errors'],
  ['/changelog', 'Changelog'],
  ['/openapi/v1.yaml', 'YAML'],
  ['/openapi/v1.json', 'JSON'],
  ['/people/settings/oauth_applications', 'Your applications'],
] as const;

export function DocumentationHeader({ current }: { current: (typeof documentationLinks)[number][0] }) {
  return (
    <>
      <HeaderStart href="/docs" name="People API" />
      <nav aria-label="Documentation">
        <ul>
          {documentationLinks.map(([href, label]) => (
            <li key={href}>
              <a href={href} {...(href === current && { 'aria-current': true })}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}

/** Footer of a page of the documentation: all other documents. */
export function DocumentationFooter() {
  return (
    <nav aria-label="Documents">
      <ul>
        {[...contractFormats, ...readerDocuments].map(({ path, title }) => (
          <li key={path}>
            <a href={path}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Greatest length of a search, in characters. */
export const searchLength = 100;

function SearchForm({ query }: { query: string }) {
  return (
    <search>
      <form class="search" action="/docs/search">
        <div>
          <label for="q">Search the reference</label>
          <input type="search" id="q" name="q" value={query} maxLength={searchLength} required />
        </div>
        <button type="submit" class="quiet">
          Search
        </button>
      </form>
    </search>
  );
}

/** A page of the reference. The contents follow the text, and are beside it on wide screens. */
export function ReferencePage({
  contents,
  title,
  description = '',
  query = '',
  markdown,
  script,
  children,
}: {
  /** List of all chapters and their operations, as HTML. */
  contents: string;
  title: string;
  /** A sentence for search engines. */
  description?: string;
  /** The words of the last search. */
  query?: string;
  /** URL of the same text in Markdown. */
  markdown?: string;
  script?: 'copy.js';
  children: ComponentChildren;
}) {
  return (
    <Layout
      title={`${title} · API reference`}
      description={description}
      wide
      styles={['pico.css', 'site.css', 'reference.css']}
      script={script}
      header={<DocumentationHeader current="/docs" />}
      footer={<DocumentationFooter />}
    >
      <div class="reference">
        <SearchForm query={query} />
        <article>
          {children}
          {markdown !== undefined && (
            <p class="hint">
              <a href={markdown}>This page in Markdown</a>
            </p>
          )}
        </article>
        <nav
          class="contents"
          aria-label="Contents of the reference"
          dangerouslySetInnerHTML={{ __html: contents }}
        />
      </div>
    </Layout>
  );
}

/** Path from the start of the reference to a page. */
export function ReferenceCrumbs({ chapter }: { chapter?: { readonly name: string; readonly url: string } }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <ol>
        <li>
          <a href="/docs">Reference</a>
        </li>
        {chapter !== undefined && (
          <li>
            <a href={chapter.url}>{chapter.name}</a>
          </li>
        )}
      </ol>
    </nav>
  );
}
