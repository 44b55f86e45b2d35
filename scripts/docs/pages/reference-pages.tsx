import { ReferenceCrumbs, ReferencePage } from '../../../src/features/documentation/frame.js';
import type { Contract } from '../../../src/platform/contract/contract.js';
import { type Page, renderPage } from '../../../src/platform/pages/layout.js';
import { describeWebhook } from '../reference/describer.js';
import { DocumentLinks } from '../reference/links.js';
import {
  type Chapter,
  chaptersOf,
  type DocumentedOperation,
  operationsOf,
  webhooksIn,
  webhooksOf,
} from '../reference/nodes.js';
import { RequestAndResponses, Schemas } from './bodies.js';
import { type ReferenceContext, renderContents } from './contents.js';
import { firstSentence, Prose } from './markdown.js';
import { OperationPage } from './operation-page.js';
import { OperationList, OverviewPage } from './overview-page.js';

/** `/docs/guides/<name>`: a chapter of the contract, with links to its operations. */
function GuidePage({ context, chapter }: { context: ReferenceContext; chapter: Chapter }) {
  const { contract, links } = context;
  const url = links.guide(chapter.name);
  const isEmpty = operationsOf(contract, chapter).length === 0 && webhooksIn(contract, chapter).length === 0;
  return (
    <ReferencePage
      contents={renderContents(context, url)}
      title={chapter.name}
      description={firstSentence(chapter.description)}
      markdown={`${url}.md`}
    >
      <ReferenceCrumbs />
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
    <ReferencePage
      contents={renderContents(context, url)}
      title={title}
      description={firstSentence(text)}
      markdown={`${url}.md`}
    >
      <ReferenceCrumbs chapter={{ name: chapter, url: links.guide(chapter) }} />
      <h1>{title}</h1>
      <p>A request that the server sends to the URL of a webhook endpoint with the method POST.</p>
      <Prose text={text} />
      <RequestAndResponses {...description} />
      <Schemas schemas={schemas} />
    </ReferencePage>
  );
}

/** The pages of the reference by path: one for each chapter, operation and webhook of the contract. */
export function referencePages(contract: Contract): Map<string, string> {
  const links = new DocumentLinks(contract, 'page');
  const context = { contract, links };
  const pages = new Map<string, string>();
  add(`${links.base}/docs`, <OverviewPage context={context} />);
  for (const chapter of chaptersOf(contract)) {
    add(links.guide(chapter.name), <GuidePage context={context} chapter={chapter} />);
  }
  for (const operation of contract.operations.values()) {
    add(links.operation(operation.id), <OperationPage context={context} operation={operation} />);
  }
  for (const [name, webhook] of webhooksOf(contract)) {
    add(links.webhook(name), <WebhookPage context={context} name={name} webhook={webhook} />);
  }
  return pages;

  function add(url: string, page: Page): void {
    pages.set(`${url.slice(links.base.length)}.html`, renderPage(page));
  }
}
