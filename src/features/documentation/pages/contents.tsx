import { chaptersOf, operationsOf, rawOperation, webhooksIn } from '../reference/nodes.js';
import type { ReferenceContext } from './context.js';

/** Navigation of the reference: every chapter with its operations. */
export function Contents({ context, current }: { context: ReferenceContext; current: string }) {
  const { contract, links } = context;
  const link = (href: string, text: string) => (
    <a href={href} {...(href === current && { 'aria-current': 'page' as const })}>
      {text}
    </a>
  );
  return (
    <nav class="contents" aria-label="Contents of the reference">
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
      </ul>
    </nav>
  );
}
