import type { Operation } from '../../../platform/contract/contract.js';
import { Badge } from '../../../platform/pages/badge.js';
import { describeOperation } from '../reference/describer.js';
import { samplesOf } from '../samples/samples.js';
import { RequestAndResponses } from './bodies.js';
import type { ReferenceContext } from './context.js';
import { Errors } from './errors.js';
import { ReferenceCrumbs, ReferencePage } from './frame.js';
import { Prose } from './markdown.js';
import { Samples } from './samples.js';
import { Schemas } from './schemas.js';

/** `/docs/operations/<id>`: how to call an operation. */
export function OperationPage({ context, operation }: { context: ReferenceContext; operation: Operation }) {
  const { contract, links } = context;
  const description = describeOperation(contract, operation, links);
  const { title, chapter, deprecatedSince } = description;
  const url = links.operation(operation.id);
  return (
    <ReferencePage
      context={context}
      title={title}
      current={url}
      markdown={`${url}.md`}
      script="copy.js"
      text={description.text}
    >
      <ReferenceCrumbs context={context} chapter={chapter} />
      <h1>{title}</h1>
      <p class="request">
        <Badge>{operation.method}</Badge>{' '}
        <code>
          {links.base}
          {operation.path}
        </code>
      </p>
      {deprecatedSince !== undefined && (
        <p class="warning">
          <strong>Deprecated</strong> since {deprecatedSince}.
        </p>
      )}
      <Prose text={description.text} />
      <p class="hint">
        Operation <code>{operation.id}</code>
      </p>
      <Authorization context={context} operation={operation} />
      <Samples samples={samplesOf(contract, operation)} />
      <RequestAndResponses {...description} />
      <Errors errors={description.errors} links={links} />
      <Schemas schemas={description.schemas} />
    </ReferencePage>
  );
}

function Authorization({ context, operation }: { context: ReferenceContext; operation: Operation }) {
  const { contract, links } = context;
  const { scopes } = operation;
  return (
    <section id="authorization">
      <h2>Authorization</h2>
      {scopes === null ? (
        <p>None. The operation has no bearer token.</p>
      ) : (
        <p>
          <code>Authorization: Bearer</code> with an access token. See{' '}
          <a href={links.guide('Authentication')}>Authentication</a>.
        </p>
      )}
      {scopes !== null && scopes.length > 0 && (
        <ul>
          {scopes.map((scope) => (
            <li key={scope}>
              Scope <code>{scope}</code>: {contract.scopes[scope]}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
