import type { ProblemCode } from '../../../platform/contract/contract.js';
import { operationText, webhookText } from '../markdown/operation.js';
import { chaptersOf, rawOperation, webhooksOf } from '../reference/nodes.js';
import type { ReferenceContext } from './frame.js';

/** A page that can be found. */
export interface Found {
  readonly title: string;
  /** What kind of page it is. */
  readonly kind: string;
  readonly url: string;
}

interface Entry extends Found {
  /** Title and names, in lower case. */
  readonly names: string;
  /** Complete text, in lower case. */
  readonly text: string;
}

/** Finds pages of the reference by the words in them. */
export class ReferenceSearch {
  readonly #entries: readonly Entry[];

  constructor({ contract, links }: ReferenceContext) {
    const entry = (found: Found, names: string, text: string): Entry => ({
      ...found,
      names: `${found.title} ${names}`.toLowerCase(),
      text: text.toLowerCase(),
    });
    this.#entries = [
      ...chaptersOf(contract).map(({ name, description }) =>
        entry({ title: name, kind: 'Guide', url: links.guide(name) }, '', `${name} ${description}`),
      ),
      ...[...contract.operations.values()].map((operation) =>
        entry(
          {
            title: rawOperation(contract, operation).summary,
            kind: `${operation.method} ${operation.path}`,
            url: links.operation(operation.id),
          },
          `${operation.id} ${operation.method} ${operation.path}`,
          operationText(contract, operation, links),
        ),
      ),
      ...webhooksOf(contract).map(([name, webhook]) =>
        entry(
          { title: webhook.summary, kind: 'Webhook', url: links.webhook(name) },
          name,
          webhookText(contract, webhook, links),
        ),
      ),
      ...Object.entries(contract.problems).map(([code, { status, title, description, causes, resolution }]) =>
        entry(
          { title: code, kind: `Error ${status} ${title}`, url: links.error(code as ProblemCode) },
          title,
          [description, ...causes, resolution].join(' '),
        ),
      ),
    ];
  }

  /** Pages that contain all words; those with the words in their names first. */
  find(query: string): readonly Found[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const containsAll = (text: string) => words.every((word) => text.includes(word));
    const named = this.#entries.filter(({ names }) => containsAll(names));
    const others = this.#entries.filter((entry) => !named.includes(entry) && containsAll(entry.text));
    return [...named, ...others];
  }
}
