import type { Contract, ProblemCode, ProblemKind } from '../../../platform/contract/contract.js';
import type { DocumentLinks } from '../reference/links.js';
import { blocks, documentOf, item } from '../reference/text.js';

/** The catalogue of all errors. */
export function errorsText({ problems }: Contract, links: DocumentLinks): string {
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
