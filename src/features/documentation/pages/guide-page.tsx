import { type Chapter, operationsOf, webhooksIn } from '../reference/nodes.js';
import type { ReferenceContext } from './context.js';
import { ReferenceCrumbs, ReferencePage } from './frame.js';
import { Prose } from './markdown.js';
import { OperationList } from './operation-list.js';

/** `/docs/guides/<name>`: a chapter of the contract, with links to its operations. */
export function GuidePage({ context, chapter }: { context: ReferenceContext; chapter: Chapter }) {
  const { contract, links } = context;
  const url = links.guide(chapter.name);
  const isEmpty = operationsOf(contract, chapter).length === 0 && webhooksIn(contract, chapter).length === 0;
  return (
    <ReferencePage
      context={context}
      title={chapter.name}
      current={url}
      markdown={`${url}.md`}
      text={chapter.description}
    >
      <ReferenceCrumbs context={context} />
      <h1>{chapter.name}</h1>
      <Prose text={links.relink(chapter.description)} />
      {!isEmpty && (
        <section id="operations">
          <h2>Operations</h2>
          <OperationList context={context} chapter={chapter} />
        </section>
      )}
    </ReferencePage>
  );
}
