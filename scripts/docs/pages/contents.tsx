import { renderToString } from 'preact-render-to-string';
import type { Contract } from '../../../src/platform/contract/contract.js';
import type { DocumentLinks } from '../reference/links.js';
import { chaptersOf, operationsOf, rawOperation, webhooksIn } from '../reference/nodes.js';

/** What the pages of the reference are rendered from. */
export interface ReferenceContext {
  readonly contract: Contract;
  /** Links to pages of the reference. */
  readonly links: DocumentLinks;
}

/**
 * Navigation of the reference, as HTML: every chapter with its operations.
 *
 * @param current URL of the page; absent for a page that is not in the contents
 */
export function renderContents({ contract, links }: ReferenceContext, current?: string): string {
  const link = (href: string, text: string) => (
    <a href={href} {...(href === current && { 'aria-current': 'page' as const })}>
      {text}
    </a>
  );
  return renderToString(
    <ul>
      {chaptersOf(contract).map((chapter) => (
        <li key={chapter.name}>
          {link(links.guide(chapter.name), chapter.name)}
          <ul>
            {operationsOf(contract, chapter).map((operation) => (
              <li key={operation.id}>
                {link(links.operation(operation.id), rawOperation(contract, operation).summary)}
              </li>
            ))}
            {webhooksIn(contract, chapter).map(([name, { summary }]) => (
              <li key={name}>{link(links.webhook(name), summary)}</li>
            ))}
          </ul>
        </li>
      ))}
    </ul>,
  );
}
