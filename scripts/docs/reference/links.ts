import type { Contract, OperationId, ProblemCode } from '../../../src/platform/contract/contract.js';
import { chaptersOf, operationsOf, slugOf } from './nodes.js';

/**
 * Addresses of the documents of operations, chapters and webhooks, as URLs of the server in the contract. Each exists in
 * Markdown and as a page.
 */
export class DocumentLinks {
  /** URL of the server; no trailing slash. */
  readonly base: string;
  readonly #extension: '' | '.md';
  /** Documents by the fragments that link to them in the texts of the contract. */
  #byFragment: ReadonlyMap<string, string> | undefined;
  readonly #contract: Contract;

  constructor(contract: Contract, format: 'markdown' | 'page') {
    this.base = contract.document.servers[0].url;
    this.#extension = format === 'markdown' ? '.md' : '';
    this.#contract = contract;
  }

  guide(name: string): string {
    return `${this.base}/docs/guides/${slugOf(name)}${this.#extension}`;
  }

  operation(id: OperationId): string {
    return `${this.base}/docs/operations/${id}${this.#extension}`;
  }

  webhook(name: string): string {
    return `${this.base}/docs/webhooks/${name}${this.#extension}`;
  }

  /** Page of an error, which is the `type` of its problem documents. */
  error(code: ProblemCode): string {
    return `${this.base}/errors/${code.replaceAll('_', '-')}`;
  }

  /**
   * Text of the contract, with complete URLs instead of fragments.
   *
   * @throws {Error} when a link leads to neither an operation nor a chapter
   */
  rewriteLinks(text: string): string {
    return text.trim().replaceAll(/\]\((#?\/[^)]*)\)/g, (_, link: string) => {
      const target = link.startsWith('/') ? `${this.base}${link}` : this.#fragments().get(link);
      if (target === undefined) throw new Error(`The contract links to ${link}, which does not exist`);
      return `](${target})`;
    });
  }

  #fragments(): ReadonlyMap<string, string> {
    this.#byFragment ??= new Map(
      chaptersOf(this.#contract).flatMap((chapter) => [
        [`#/${slugOf(chapter.name)}`, this.guide(chapter.name)] as const,
        ...operationsOf(this.#contract, chapter).map(
          ({ id }) => [`#/${chapter.name}/${id}`.toLowerCase(), this.operation(id)] as const,
        ),
      ]),
    );
    return this.#byFragment;
  }
}
