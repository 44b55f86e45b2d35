import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../platform/contract/contract.js';
import { Precompressed } from '../../../platform/http/precompressed.js';
import { type Page, renderPage } from '../../../platform/pages/layout.js';
import { pageHeaders } from '../../../platform/pages/security-headers.js';
import type { Localise } from '../published.js';
import { describeWebhook } from '../reference/describer.js';
import {
  type Chapter,
  chaptersOf,
  type DocumentedOperation,
  operationsOf,
  webhooksIn,
  webhooksOf,
} from '../reference/nodes.js';
import { RequestAndResponses, Schemas } from './bodies.js';
import {
  type ReferenceContext,
  ReferenceCrumbs,
  ReferencePage,
  referenceContext,
  searchLength,
} from './frame.js';
import { Prose } from './markdown.js';
import { OperationPage } from './operation-page.js';
import { OperationList, OverviewPage } from './overview-page.js';
import { type Found, ReferenceSearch } from './search.js';

/** `/docs/guides/<name>`: a chapter of the contract, with links to its operations. */
function GuidePage({ context, chapter }: { context: ReferenceContext; chapter: Chapter }) {
  const { contract, links } = context;
  const url = links.guide(chapter.name);
  const isEmpty = operationsOf(contract, chapter).length === 0 && webhooksIn(contract, chapter).length === 0;
  return (
    <ReferencePage
      context={context}
      title={chapter.name}
      current={url}
      markdown={`${url}.md`}
      text={chapter.description}
    >
      <ReferenceCrumbs context={context} />
      <h1>{chapter.name}</h1>
      <Prose text={links.rewriteLinks(chapter.description)} />
      {!isEmpty && (
        <section id="operations">
          <h2>Operations</h2>
          <OperationList context={context} chapter={chapter} />
        </section>
      )}
    </ReferencePage>
  );
}

/** `/docs/webhooks/<name>`: a request that the server sends. */
function WebhookPage({
  context,
  name,
  webhook,
}: {
  context: ReferenceContext;
  name: string;
  webhook: DocumentedOperation;
}) {
  const { contract, links } = context;
  const description = describeWebhook(contract, webhook, links);
  const { title, text, chapter, schemas } = description;
  const url = links.webhook(name);
  return (
    <ReferencePage context={context} title={title} current={url} markdown={`${url}.md`} text={text}>
      <ReferenceCrumbs context={context} chapter={chapter} />
      <h1>{title}</h1>
      <p>A request that the server sends to the URL of a webhook endpoint with the method POST.</p>
      <Prose text={text} />
      <RequestAndResponses {...description} />
      <Schemas schemas={schemas} />
    </ReferencePage>
  );
}

/** `/docs/search?q=`: pages that contain all words of a search. */
function SearchPage({
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

/** `/docs`: the reference, with a page for each chapter, operation and webhook of the contract. */
export async function referencePages(
  app: FastifyInstance,
  { contract, localise }: { contract: Contract; localise: Localise },
): Promise<void> {
  const context = referenceContext(contract);
  const { links } = context;
  const headers = {
    ...pageHeaders({ script: true }),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=300',
  };
  publish(`${links.base}/docs`, () => <OverviewPage context={context} />);
  for (const chapter of chaptersOf(contract)) {
    publish(links.guide(chapter.name), () => <GuidePage context={context} chapter={chapter} />);
  }
  for (const operation of contract.operations.values()) {
    publish(links.operation(operation.id), () => <OperationPage context={context} operation={operation} />);
  }
  for (const [name, webhook] of webhooksOf(contract)) {
    publish(links.webhook(name), () => <WebhookPage context={context} name={name} webhook={webhook} />);
  }

  let search: ReferenceSearch | undefined;
  app.get('/docs/search', async (request, reply) => {
    const { q } = request.query as Readonly<Record<string, unknown>>;
    const query = typeof q === 'string' ? q.trim().slice(0, searchLength) : '';
    // The texts are written for the first search and not at start, which would take longer.
    search ??= new ReferenceSearch(context);
    const page = <SearchPage context={context} query={query} found={search.find(query)} />;
    return reply.headers(headers).send(localise(renderPage(page)));
  });

  function publish(url: string, page: () => Page): void {
    const content = new Precompressed(() => localise(renderPage(page())));
    app.get(url.slice(links.base.length), async (request, reply) =>
      content.send(request, reply.headers(headers)),
    );
  }
}
