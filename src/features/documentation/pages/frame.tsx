import type { ComponentChildren } from 'preact';
import { Layout } from '../../../platform/pages/layout.js';
import { Contents } from './contents.js';
import type { ReferenceContext } from './context.js';
import { DocumentationFooter } from './documentation-footer.js';
import { DocumentationHeader } from './documentation-header.js';
import { SearchForm } from './search-form.js';

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
