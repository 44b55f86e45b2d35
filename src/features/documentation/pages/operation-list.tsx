import { Badge } from '../../../platform/pages/badge.js';
import { type Chapter, operationsOf, rawOperation, webhooksIn } from '../reference/nodes.js';
import type { ReferenceContext } from './context.js';

/** The operations and webhooks of a chapter. */
export function OperationList({ context, chapter }: { context: ReferenceContext; chapter: Chapter }) {
  const { contract, links } = context;
  return (
    <ul class="operations">
      {operationsOf(contract, chapter).map((operation) => (
        <li key={operation.id} id={`/${chapter.name}/${operation.id}`.toLowerCase()}>
          <a href={links.operation(operation.id)}>{rawOperation(contract, operation).summary}</a>{' '}
          <span>
            <Badge>{operation.method}</Badge> <code>{operation.path}</code>
          </span>
        </li>
      ))}
      {webhooksIn(contract, chapter).map(([name, { summary }]) => (
        <li key={name}>
          <a href={links.webhook(name)}>{summary}</a>{' '}
          <span>
            <Badge>webhook</Badge> <code>{name}</code>
          </span>
        </li>
      ))}
    </ul>
  );
}
