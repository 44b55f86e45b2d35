import type { ComponentChildren } from 'preact';
import type { Contract } from '../../../platform/contract/contract.js';
import { Layout, Logo } from '../../../platform/pages/layout.js';
import { contractFormats, readerDocuments } from '../document-list.js';
import { DocumentLinks } from '../reference/links.js';
import { chaptersOf, operationsOf, rawOperation, webhooksIn } from '../reference/nodes.js';

/** What the pages of the reference are rendered from. */
export interface ReferenceContext {
  readonly contract: Contract;
  /** Links to pages of the reference. */
  readonly links: DocumentLinks;
}

export function referenceContext(contract: Contract): ReferenceContext {
  return { contract, links: new DocumentLinks(contract, 'page') };
}

/** Navigation of the reference: every chapter with its operations. */
function Contents({ context, current }: { context: ReferenceContext; current: string }) {
  const { contract, links } = context;
  const link = (href: string, text: string) => (
    <a href={href} {...(href === current && { 'aria-current': 'page' as const })}>
      {text}
    </a>
  );
  return (
    <nav class="contents" aria-label="Contents of the reference">
      <ul>
        {chaptersOf(contract).map((chapter) => (
          <li key={chapter.name}>
            {link(links.guide(chapter.name), chapter.name)}
            <ul>
              {operationsOf(contract, chapter).map((operation) => (
                <li key={operation.id}>
                  {link(links.operation(operation.id), rawOperation(contract, operation).summary)}
                </li>
              ))}
              {webhooksIn(contract, chapter).map(([name, { summary }]) => (
                <li key={name}>{link(links.webhook(name), summary)}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Navigation of the documentation. */
export const documentationLinks = [
  ['/docs', 'Reference'],
  ['/console', 'Console'],
  ['/errors', 'Errors'],
  ['/changelog', 'Changelog'],
  ['/openapi/v1.yaml', 'YAML'],
  ['/openapi/v1.json', 'JSON'],
  ['/people/settings/oauth_applications', 'Your applications'],
] as const;

/** Header of a page of the documentation. */
export function DocumentationHeader({ current }: { current: (typeof documentationLinks)[number][0] }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <a class="brand" href="/docs">
        <Logo /> People API
      </a>
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

/** Searches the reference. */
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
  context,
  title,
  current = '',
  text = '',
  query = '',
  markdown,
  script,
  children,
}: {
  context: ReferenceContext;
  title: string;
  /** URL of the page. */
  current?: string;
  /** What the page describes, in Markdown. */
  text?: string;
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
      description={firstSentence(text)}
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
        <Contents context={context} current={current} />
      </div>
    </Layout>
  );
}

/** The first sentence without marks, for search engines. */
function firstSentence(text: string): string {
  const [paragraph = ''] = text.split('\n\n');
  const words = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  const [sentence = ''] = words.replaceAll('\n', ' ').split(/(?<=\.) /);
  return sentence;
}

/** Path from the start of the reference to a page. */
export function ReferenceCrumbs({ context, chapter }: { context: ReferenceContext; chapter?: string }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <ol>
        <li>
          <a href="/docs">Reference</a>
        </li>
        {chapter !== undefined && (
          <li>
            <a href={context.links.guide(chapter)}>{chapter}</a>
          </li>
        )}
      </ol>
    </nav>
  );
}
