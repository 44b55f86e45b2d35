import { describeWebhook } from '../reference/describer.js';
import type { DocumentedOperation } from '../reference/nodes.js';
import { RequestAndResponses } from './bodies.js';
import type { ReferenceContext } from './context.js';
import { ReferenceCrumbs, ReferencePage } from './frame.js';
import { Prose } from './markdown.js';
import { Schemas } from './schemas.js';

/** `/docs/webhooks/<name>`: a request that the server sends. */
export function WebhookPage({
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
