import type { ComponentChildren } from 'preact';
import { HeaderStart, Layout } from '../../platform/pages/layout.js';

/** A document that the server publishes beside the reference. */
export interface ListedDocument {
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

/** The contract in the formats of tools. */
export const contractFormats = [
  { path: '/openapi/v1.yaml', title: 'OpenAPI 3.1, YAML', description: 'The contract, with comments.' },
  { path: '/openapi/v1.json', title: 'OpenAPI 3.1, JSON', description: 'The contract.' },
  {
    path: '/openapi/v1-3.0.json',
    title: 'OpenAPI 3.0, JSON',
    description: 'The contract for tools that do not support OpenAPI 3.1.',
  },
  {
    path: '/openapi/v1.arazzo.yaml',
    title: 'Arazzo workflows',
    description: 'Common uses of the API, request by request.',
  },
  {
    path: '/openapi/v1.postman_collection.json',
    title: 'Postman collection',
    description: 'Every operation as a request with examples, for Postman and Bruno.',
  },
] as const satisfies readonly ListedDocument[];

/** Documents for readers. */
export const readerDocuments = [
  { path: '/llms.txt', title: 'Markdown', description: 'All guides and operations, for language models.' },
  { path: '/changelog', title: 'Changelog', description: 'What has changed in each version.' },
  { path: '/changelog.atom', title: 'Changelog feed', description: 'Released versions, as an Atom feed.' },
] as const satisfies readonly ListedDocument[];

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

/** The method of an operation, or `webhook`, with a redundant colour. */
export function Method({ name }: { name: string }) {
  return <span class={`badge method ${name.toLowerCase()}`}>{name}</span>;
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
  isSearch = false,
  markdown,
  copies = false,
  children,
}: {
  /** List of all chapters and their operations, as HTML. */
  contents: string;
  title: string;
  /** A sentence for search engines. */
  description?: string;
  /** The words of the last search. */
  query?: string;
  /** Whether the page shows the results of the search. Other pages show them beside their text. */
  isSearch?: boolean;
  /** URL of the same text in Markdown. */
  markdown?: string;
  /** Whether the page has buttons that copy. */
  copies?: boolean;
  children: ComponentChildren;
}) {
  return (
    <Layout
      title={`${title} · API reference`}
      description={description}
      wide
      styles={['pico.css', 'site.css', 'reference.css']}
      script={copies ? ['reference.js', 'copy.js'] : 'reference.js'}
      header={<DocumentationHeader current="/docs" />}
      footer={<DocumentationFooter />}
    >
      <div class="reference">
        <SearchForm query={query} />
        <article data-search={isSearch || undefined}>
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
