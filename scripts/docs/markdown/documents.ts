import {
  contractFormats,
  type ListedDocument,
  readerDocuments,
} from '../../../src/features/documentation/frame.js';
import type { Contract, ProblemCode, ProblemKind } from '../../../src/platform/contract/contract.js';
import { blocks, code, documentOf, item, section } from '../reference/description.js';
import { DocumentLinks } from '../reference/links.js';
import {
  type Chapter,
  chaptersOf,
  operationsOf,
  rawOperation,
  webhooksIn,
  webhooksOf,
} from '../reference/nodes.js';
import { operationText, webhookText } from './operation.js';

/** The catalogue of all errors. */
function errorsText({ problems }: Contract, links: DocumentLinks): string {
  const kinds = Object.entries(problems) as [ProblemCode, ProblemKind][];
  return documentOf(
    '# Errors',
    `Every error is a problem document (RFC 9457). See [Errors](${links.guide('Errors')}).`,
    ...kinds.map(([code, { status, title, description, causes, resolution }]) =>
      blocks(
        `## ${code}`,
        `Status ${status}, ${title}. Page: <${links.error(code)}>`,
        description,
        `Causes:\n\n${causes.map(item).join('\n')}`,
        `What to do: ${resolution}`,
      ),
    ),
  );
}

/** A chapter of the reference, with links to its operations. */
function guideText(contract: Contract, chapter: Chapter, links: DocumentLinks): string {
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
    links.rewriteLinks(chapter.description),
    section('## Operations', operations.join('\n')),
    section('## Webhooks', webhooks.join('\n')),
  );
}

/**
 * The index of the Markdown documents.
 *
 * @see https://llmstxt.org
 */
function llmsText(contract: Contract, links: DocumentLinks): string {
  const { title, description } = contract.document.info as { title: string; description: string };
  const [introduction = '', ...details] = links.rewriteLinks(description).split('\n\n');
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
  const [paragraph = ''] = links.rewriteLinks(description).split('\n\n');
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

/** The Markdown documents by path. */
export function markdownDocuments(contract: Contract): Map<string, string> {
  const links = new DocumentLinks(contract, 'markdown');
  const pathOf = (url: string) => url.slice(links.base.length);
  return new Map([
    ['/llms.txt', llmsText(contract, links)],
    ['/docs/errors.md', errorsText(contract, links)],
    ...chaptersOf(contract).map(
      (chapter) => [pathOf(links.guide(chapter.name)), guideText(contract, chapter, links)] as const,
    ),
    ...[...contract.operations.values()].map(
      (operation) =>
        [pathOf(links.operation(operation.id)), operationText(contract, operation, links)] as const,
    ),
    ...webhooksOf(contract).map(
      ([name, webhook]) => [pathOf(links.webhook(name)), webhookText(contract, webhook, links)] as const,
    ),
  ]);
}
