import type { Contract } from '../../../platform/contract/contract.js';
import type { DocumentLinks } from '../reference/links.js';
import { type Chapter, operationsOf, rawOperation, webhooksIn } from '../reference/nodes.js';
import { code, documentOf, item, section } from '../reference/text.js';

/** A chapter of the reference, with links to its operations. */
export function guideText(contract: Contract, chapter: Chapter, links: DocumentLinks): string {
  const operations = operationsOf(contract, chapter).map((operation) => {
    const { summary } = rawOperation(contract, operation);
    const request = code(`${operation.method} ${operation.path}`);
    return item(`[${operation.id}](${links.operation(operation.id)}): ${request}. ${summary}.`);
  });
  const webhooks = webhooksIn(contract, chapter).map(([name, { summary }]) =>
    item(`[${summary}](${links.webhook(name)})`),
  );
  return documentOf(
    `# ${chapter.name}`,
    links.relink(chapter.description),
    section('## Operations', operations.join('\n')),
    section('## Webhooks', webhooks.join('\n')),
  );
}
