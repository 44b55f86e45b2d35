import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../platform/contract/contract.js';
import { Precompressed } from '../../../platform/http/precompressed.js';
import { type Page, renderPage } from '../../../platform/pages/layout.js';
import { pageHeaders } from '../../../platform/pages/security-headers.js';
import type { Localise } from '../published.js';
import { chaptersOf, webhooksOf } from '../reference/nodes.js';
import { referenceContext } from './context.js';
import { GuidePage } from './guide-page.js';
import { OperationPage } from './operation-page.js';
import { OverviewPage } from './overview-page.js';
import { ReferenceSearch } from './search.js';
import { searchLength } from './search-form.js';
import { SearchPage } from './search-page.js';
import { WebhookPage } from './webhook-page.js';

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
