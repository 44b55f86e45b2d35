import { Fragment } from 'preact';
import { Method, ReferenceCrumbs, ReferencePage } from '../../../src/features/documentation/frame.js';
import type { Operation } from '../../../src/platform/contract/contract.js';
import { type Column, DataTable } from '../../../src/platform/pages/data-table.js';
import { WrappedUrl } from '../../../src/platform/pages/wrapped-text.js';
import { describeOperation } from '../reference/describer.js';
import type { DescribedError } from '../reference/description.js';
import type { DocumentLinks } from '../reference/links.js';
import { neededScopes } from '../reference/needed-scopes.js';
import { type Sample, samplesOf } from '../samples/samples.js';
import { RequestAndResponses, Schemas } from './bodies.js';
import { type ReferenceContext, renderContents } from './contents.js';
import { firstSentence, Prose } from './markdown.js';

/** The errors of an operation. Codes link to their pages. */
function Errors({ errors, links }: { errors: readonly DescribedError[]; links: DocumentLinks }) {
  if (errors.length === 0) return null;
  const columns: readonly Column<DescribedError>[] = [
    { label: 'Status', cell: ({ status }) => status },
    {
      label: 'Code',
      cell: ({ codes }) => (
        <ul class="plain">
          {codes.map((code) => (
            <li key={code}>
              <a href={links.error(code)}>
                <code>{code}</code>
              </a>
            </li>
          ))}
        </ul>
      ),
    },
    { label: 'Meaning', cell: ({ text }) => <Prose text={text} /> },
  ];
  return (
    <section id="errors">
      <h2>Errors</h2>
      <DataTable caption="Errors of the operation" columns={columns} rows={errors} />
    </section>
  );
}

/** The same request in each language. One is open at a time. */
function Samples({ samples }: { samples: readonly Sample[] }) {
  return (
    <section id="samples">
      <h2>Samples</h2>
      {samples.map(({ label, source }, index) => (
        <details key={label} name="sample" open={index === 0}>
          <summary>{label}</summary>
          <pre>
            <code id={`sample-${label}`}>{source.trimEnd()}</code>
          </pre>
          <div>
            <button
              type="button"
              class="quiet"
              hidden
              data-copies={`sample-${label}`}
              data-label={`The sample in ${label} is`}
            >
              Copy
            </button>
          </div>
        </details>
      ))}
      <p id="copied" role="status" class="hint" />
    </section>
  );
}

/** `/docs/operations/<id>`: how to call an operation. */
export function OperationPage({ context, operation }: { context: ReferenceContext; operation: Operation }) {
  const { contract, links } = context;
  const description = describeOperation(contract, operation, links);
  const { title, chapter, deprecatedSince } = description;
  const url = links.operation(operation.id);
  return (
    <ReferencePage
      contents={renderContents(context, url)}
      title={title}
      description={firstSentence(description.text)}
      markdown={`${url}.md`}
      copies
    >
      <ReferenceCrumbs chapter={{ name: chapter, url: links.guide(chapter) }} />
      <h1>{title}</h1>
      <p class="request">
        <Method name={operation.method} />{' '}
        <code>
          {links.base}
          <WrappedUrl url={operation.path} />
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
  const { title, lines } = neededScopes(operation);
  return (
    <section id="authorization">
      <h2>Authorization</h2>
      {operation.scopes === null ? (
        <p>None. The operation has no bearer token.</p>
      ) : (
        <p>
          <code>Authorization: Bearer</code> with an access token. See{' '}
          <a href={links.guide('Authentication')}>Authentication</a>.
        </p>
      )}
      {lines.length > 0 && (
        <>
          <p>{title}:</p>
          <ul>
            {lines.map((line) => (
              <li key={line.join()}>
                {line.map((scope, index) => (
                  <Fragment key={scope}>
                    {index > 0 && '; '}
                    <code>{scope}</code>: {contract.scopes[scope]}
                  </Fragment>
                ))}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
