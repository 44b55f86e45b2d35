import type { Contract } from '../../../platform/contract/contract.js';
import { contractFormats, type ListedDocument, readerDocuments } from '../document-list.js';
import type { DocumentLinks } from '../reference/links.js';
import { type Chapter, chaptersOf, operationsOf, rawOperation, webhooksIn } from '../reference/nodes.js';
import { documentOf, item, section } from '../reference/text.js';

/**
 * The index of the Markdown documents.
 *
 * @see https://llmstxt.org
 */
export function llmsText(contract: Contract, links: DocumentLinks): string {
  const { title, description } = contract.document.info as { title: string; description: string };
  const [introduction = '', ...details] = links.relink(description).split('\n\n');
  const chapters = chaptersOf(contract);
  const link = ({ path, title, description }: ListedDocument) =>
    item(`[${title}](${links.base}${path}): ${description}`);
  return documentOf(
    `# ${title}`,
    `> ${introduction.replaceAll('\n', ' ')}`,
    ...details,
    section('## Guides', chapters.map((chapter) => guideItem(chapter, links)).join('\n')),
    ...chapters.map((chapter) => section(`## ${chapter.name}`, operationItems(contract, chapter, links))),
    section(
      '## Errors',
      link({
        path: '/docs/errors.md',
        title: 'Error catalogue',
        description: 'Every code, its causes and what to do.',
      }),
    ),
    section('## Contract', contractFormats.map(link).join('\n')),
    section(
      '## Optional',
      readerDocuments
        .filter(({ path }) => path !== '/llms.txt')
        .map(link)
        .join('\n'),
    ),
  );
}

function guideItem({ name, description }: Chapter, links: DocumentLinks): string {
  const [paragraph = ''] = links.relink(description).split('\n\n');
  const [sentence = ''] = paragraph.replaceAll('\n', ' ').split(/(?<=\.) /);
  return item(`[${name}](${links.guide(name)}): ${sentence.replace(/:$/, '.')}`);
}

function operationItems(contract: Contract, chapter: Chapter, links: DocumentLinks): string {
  const operations = operationsOf(contract, chapter).map((operation) => {
    const { summary } = rawOperation(contract, operation);
    const { id, method, path } = operation;
    return item(`[${summary}](${links.operation(id)}): \`${id}\`, \`${method} ${path}\``);
  });
  const webhooks = webhooksIn(contract, chapter).map(([name, { summary }]) =>
    item(`[${summary}](${links.webhook(name)}): a request that the server sends`),
  );
  return [...operations, ...webhooks].join('\n');
}
