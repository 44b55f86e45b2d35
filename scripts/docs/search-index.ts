import type { SearchIndex } from '../../src/features/documentation/search.js';
import type { Contract, ProblemCode, ProblemKind } from '../../src/platform/contract/contract.js';
import { operationText, webhookText } from './markdown/operation.js';
import { renderContents } from './pages/contents.js';
import { DocumentLinks } from './reference/links.js';
import { chaptersOf, rawOperation, webhooksOf } from './reference/nodes.js';

/** The pages of the reference and of errors, with the words by which they are found. */
export function searchIndex(contract: Contract): SearchIndex {
  const links = new DocumentLinks(contract, 'page');
  const problems = Object.entries(contract.problems) as [ProblemCode, ProblemKind][];
  const pages = [
    ...chaptersOf(contract).map(({ name, description }) => {
      return {
        title: name,
        kind: 'Guide',
        url: links.guide(name),
        names: '',
        text: `${name} ${description}`,
      };
    }),
    ...[...contract.operations.values()].map((operation) => {
      const { id, method, path } = operation;
      const kind = `${method} ${path}`;
      const text = operationText(contract, operation, links);
      const title = rawOperation(contract, operation).summary;
      return { title, kind, url: links.operation(id), names: `${id} ${kind}`, text };
    }),
    ...webhooksOf(contract).map(([name, webhook]) => {
      const text = webhookText(contract, webhook, links);
      return { title: webhook.summary, kind: 'Webhook', url: links.webhook(name), names: name, text };
    }),
    ...problems.map(([code, { status, title, description, causes, resolution }]) => {
      const text = [description, ...causes, resolution].join(' ');
      return { title: code, kind: `Error ${status} ${title}`, url: links.error(code), names: title, text };
    }),
  ];
  return {
    contents: renderContents({ contract, links }),
    pages: pages.map((page) => ({
      ...page,
      names: `${page.title} ${page.names}`.toLowerCase(),
      text: page.text.toLowerCase(),
    })),
  };
}
