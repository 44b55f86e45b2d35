import type { Contract } from '../../../platform/contract/contract.js';
import { DocumentLinks } from '../reference/links.js';
import { chaptersOf, webhooksOf } from '../reference/nodes.js';
import { errorsText } from './errors.js';
import { guideText } from './guides.js';
import { llmsText } from './llms.js';
import { operationText, webhookText } from './operation.js';

/** The Markdown documents by path. They have the URLs of the contract and are written when they are requested. */
export function markdownDocuments(contract: Contract): Map<string, () => string> {
  const links = new DocumentLinks(contract, 'markdown');
  const pathOf = (url: string) => url.slice(links.base.length);
  return new Map<string, () => string>([
    ['/llms.txt', () => llmsText(contract, links)],
    ['/docs/errors.md', () => errorsText(contract, links)],
    ...chaptersOf(contract).map(
      (chapter) => [pathOf(links.guide(chapter.name)), () => guideText(contract, chapter, links)] as const,
    ),
    ...[...contract.operations.values()].map(
      (operation) =>
        [pathOf(links.operation(operation.id)), () => operationText(contract, operation, links)] as const,
    ),
    ...webhooksOf(contract).map(
      ([name, webhook]) =>
        [pathOf(links.webhook(name)), () => webhookText(contract, webhook, links)] as const,
    ),
  ]);
}
